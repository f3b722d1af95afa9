"""Context engines other than Hermes' own: which one decides, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.explain.frame import Frame
from core.explain.rows import BoundaryRows
from core.hermes.log import Kind
from core.model.evidence import Evidence, Source

BUILT_IN = (None, "", "compressor")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class ForeignEngine:
    """An engine that decides instead of Hermes' own compressor.

    Attributes:
        name: As config.yaml calls it; None where only rows show one.
        evidence: The setting, and rows it wrote in the place of a summary.
        known: What else there is of it, in words.
    """

    name: str | None
    evidence: tuple[Evidence, ...]
    known: tuple[str, ...] = ()

    @property
    def notes(self) -> Iterator[str]:
        """What a reader of a threshold should know."""
        told = "; ".join(f"{one.where} {one.text}" for one in self.evidence)
        if self.name is not None:
            yield f"{told}: the context engine is {self.name!r}, so the threshold shown is not in force"
        else:
            yield f"another context engine wrote this, so the threshold shown was not in force then: {told}"
        yield from self.known


def foreign_engine(frame: Frame) -> ForeignEngine | None:
    """The engine in force when that is not the built-in one.

    Hermes falls back to its own where the configured engine cannot be loaded, and says so in the log.
    """
    setting = frame.config.setting("context.engine", frame.release.release)
    marks = tuple(_marks(frame))
    named = setting.value not in BUILT_IN
    replaced = any(record.kind is Kind.ENGINE_MISSING for record in frame.log.records)
    if named and not replaced:
        evidence = (Evidence(Source.CONFIG, setting.origin, f"context.engine: {setting.value}"), *marks)
        name = str(setting.value)
        return ForeignEngine(name, evidence, tuple(_known(frame.store.location.home, name)))
    return ForeignEngine(None, marks) if marks else None


def written_by_another(rows: BoundaryRows) -> bool:
    """A row stands where a summary would and is none that Hermes writes."""
    return rows.boundary.summary_row is not None and rows.summary is None


def _marks(frame: Frame) -> Iterator[Evidence]:
    written = [rows.boundary.summary_row or 0 for rows in frame.boundaries if written_by_another(rows)]
    for row, message in zip(written, frame.messages(written), strict=False):
        text = " ".join(message.text.split())[:_SHOWN]
        yield Evidence(Source.DATABASE, f"message {row}", f"holds no summary of Hermes' own: {text!r}")


def _known(home: Path | None, name: str) -> Iterator[str]:
    """Its files in the home: where a plugin is loaded from, and a store named after it."""
    if home is None or not name.replace("-", "_").isidentifier():
        return
    for place in (home / "plugins" / "context_engine" / name, home / "plugins" / name):
        if place.is_dir():
            yield f"it is loaded from {place}"
    for path in sorted(home.glob(f"{name}*.db")) + sorted(home.glob(f"{name}*.sqlite")):
        yield f"it keeps {path.stat().st_size:,} bytes in {path.name}"
