"""Context engines other than Hermes' own: which one is in force, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.explain.context.context import ConversationContext
from core.explain.context.rows.boundary_rows import BoundaryRows
from core.hermes.config.in_force import OUR_ENGINE
from core.model.compaction.event import Trigger
from core.model.finding import Evidence, Source
from core.model.transcript.conversation import BoundaryMode
from core.redact.quick_check import masked_line

if TYPE_CHECKING:
    from core.explain.compactions.matching import Match

_EXCERPT_CHARS = 60


@dataclass(frozen=True, slots=True)
class ForeignEngine:
    """An engine that compresses instead of Hermes' own.

    Attributes:
        name: As in config.yaml; None where only rows show that there was one.
        evidence: The setting, and the rows it wrote in place of a summary.
        known: What else is known of it, in words.
        limit: The log line that names its threshold, if there is one.
    """

    name: str | None
    evidence: tuple[Evidence, ...]
    known: tuple[str, ...] = ()
    limit: str | None = None

    @property
    def notes(self) -> Iterator[str]:
        """What a reader of the threshold should know."""
        proof = "; ".join(f"{one.where} {one.text}" for one in self.evidence)
        if self.name is not None:
            hermes = "Hermes' own threshold is not in force"
            unnamed = "the threshold shown follows the same rules" if self.name == OUR_ENGINE else hermes
            named = f"the threshold shown is the one it named in {self.limit}"
            told = unnamed if self.limit is None else named
            yield f"{proof}: the context engine is {self.name!r}, so {told}"
        else:
            yield f"another context engine wrote this, so the threshold shown was not in force then: {proof}"
        yield from self.known


def foreign_engine(context: ConversationContext) -> ForeignEngine | None:
    """The engine in force if it is not the built-in one, else None.

    Hermes uses its own where the configured engine cannot be loaded, and says so in the log.
    """
    marks, engine = tuple(_marks(context)), context.engine
    if engine is not None:
        evidence = (Evidence(Source.CONFIG, engine.origin, f"context.engine: {engine.name}"), *marks)
        files = tuple(_files_of_engine(context.store.location.home, engine.name))
        return ForeignEngine(engine.name, evidence, files, engine.line.where if engine.line else None)
    return ForeignEngine(None, marks) if marks else None


def written_by_another(rows: BoundaryRows) -> bool:
    """Whether rows replaced others without any summary that Hermes writes."""
    in_place = rows.boundary.mode is BoundaryMode.IN_PLACE
    if rows.pruned or rows.summary is not None:
        return False
    return rows.boundary.summary_row is not None or in_place


def rules_of_another(context: ConversationContext, pair: Match) -> str | None:
    """Whose threshold decided a compaction, in words; None where it was Hermes' own."""
    rows = pair.rows
    if pair.cause is not None and pair.cause.trigger is Trigger.NATIVE:
        return "the provider has its own threshold"
    if rows is not None and rows.summary is not None:
        return None
    if context.engine is not None:
        return f"the context engine {context.engine.name!r} has its own threshold"
    if rows is None or not written_by_another(rows):
        return None
    return "the context engine has its own threshold"


def _marks(context: ConversationContext) -> Iterator[Evidence]:
    written = [rows.boundary.summary_row for rows in context.boundaries if written_by_another(rows)]
    for message in context.messages([row for row in written if row is not None]):
        row = message.row.id if message.row is not None else None
        text = masked_line(message.text, _EXCERPT_CHARS)
        yield Evidence(Source.DATABASE, f"message {row}", f"holds no summary of Hermes' own: {text!r}")


def _files_of_engine(home: Path | None, name: str) -> Iterator[str]:
    """Its files in the home: the plugin it is loaded from, and a database named after it."""
    if home is None or not name.replace("-", "_").isidentifier():
        return
    for place in (home / "plugins" / "context_engine" / name, home / "plugins" / name):
        if place.is_dir():
            yield f"it is loaded from {place}"
    for path in sorted(home.glob(f"{name}*.db")) + sorted(home.glob(f"{name}*.sqlite")):
        if path.is_file():  # no link that leads nowhere
            yield f"it keeps {path.stat().st_size:,} bytes in {path.name}"
