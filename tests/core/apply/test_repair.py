from __future__ import annotations

from pathlib import Path

import pytest

from core.apply.database.snapshot import live_messages
from core.apply.execute import execute
from core.apply.journal import Journal
from core.apply.repair import rehearse_repair
from core.apply.undo import undo
from core.errors import UsageError
from core.store.store import Store
from tests.core.apply.material import compress_here, dump
from tests.core.store.database import SUMMARY, SessionDatabase


def compressed_here(path: Path, release: str = "0.19", since: int = 0) -> Path:
    """What `/compress here 2` leaves: the compressed part written back, the kept two turns archived."""
    with SessionDatabase(path, release) as database:
        compress_here(database)
        for number in range(since):
            database.turn("s", f"since {number}")
    return path


def asks(store: Store) -> list[str]:
    return [message.text for message in live_messages(store, "s") if message.role == "user"]


@pytest.mark.parametrize("since", [0, 2])
def test_lost_turns_come_back_where_they_belong(tmp_path: Path, journal: Journal, since: int) -> None:
    path = compressed_here(tmp_path / "state.db", since=since)
    before = dump(path)
    with Store(path) as store:
        lost, later = store.lost_tail("s")
        assert (len(lost), len(later)) == (8, 4 * since)
        rehearsal = rehearse_repair(store, "s")
    done = execute(rehearsal, journal)
    with Store(path) as store:
        spoken = [f"ask since {number}" for number in range(since)]
        assert asks(store) == ["ask 0", f"{SUMMARY} so far", "ask 3", "ask 4", "ask 5", *spoken]
        assert store.lost_tail("s") == ((), ())
        assert store.session("s").messages == len(live_messages(store, "s"))
    undo(journal, done.undo_id)
    assert dump(path) == before


def test_a_compaction_that_kept_its_tail_lost_nothing(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with SessionDatabase(path, "0.19") as database:
        database.session("s")
        for number in range(6):
            database.turn("s", str(number))
        database.compact("s", 3, 6, "so far")
        database.turn("s", "later")
    with Store(path) as store:
        assert store.lost_tail("s") == ((), ())
        with pytest.raises(UsageError, match="lost"):
            rehearse_repair(store, "s")


def test_a_conversation_says_what_it_lost(tmp_path: Path) -> None:
    with Store(compressed_here(tmp_path / "state.db")) as store:
        assert any("lost them" in note for note in store.conversation("s").notes)
