"""A sample compacted by this program itself, with the journal entry that takes it back."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from core.apply.execute import execute
from core.apply.journal import Journal
from core.apply.rehearse import rehearse
from core.compress.summarise.extract.summariser import ExtractiveSummariser
from core.preview.carry_out import carry_out
from core.preview.foreseen import basis_of
from core.store.database.locate import locate
from core.store.store import Store


def write_compaction(home: Path, session_id: str, journal: Journal, at: datetime) -> None:
    """Do to one session of a home what `compress --apply` does, offline."""
    (location,) = locate(db=home / "state.db")
    with Store(location) as store:
        generation = store.conversation(session_id).generations[-1]
        basis = basis_of(location, generation, lambda: False)
        summariser = ExtractiveSummariser()
        made = carry_out(basis.reading.measured, basis.plan, summariser, here=basis.reading.context)
        execute(rehearse(store, session_id, made), journal, now=at)
