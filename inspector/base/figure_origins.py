"""Figures on a screen and where they come from: what `=` asks of any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from core.model.accounting.usage import Origin
from core.model.evidence import Evidence
from core.store.database.connect import Cancelled


@dataclass(frozen=True, slots=True)
class FigureOrigin:
    """One figure: its origin, and what it is of where the title does not say that."""

    origin: Origin
    about: str = ""


@dataclass(frozen=True, slots=True)
class FigureQuestion:
    """The figures under the cursor.

    Attributes:
        title: What they are of.
        read: Looks them up, in a worker's thread.
    """

    title: str
    read: Callable[[Cancelled], Sequence[FigureOrigin]]


def located(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """Where each piece lies, and what it says there."""
    return tuple(f"{one.where}: {one.text}" for one in evidence)
