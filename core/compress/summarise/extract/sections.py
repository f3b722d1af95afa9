"""Which section a fact belongs in, whatever a release calls the section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from core.support.yaml_tables import load_table


@dataclass(frozen=True, slots=True)
class Section:
    """One purpose a heading can have.

    Attributes:
        share: Most of the room its lines may take before the others had their turn.
        weight: How much one of its lines counts.
    """

    kind: str
    share: float
    weight: float
    names: tuple[str, ...]
    words: tuple[str, ...]


@cache
def purposes() -> Mapping[str, Section]:
    """Every purpose by its kind."""
    return {
        entry["kind"]: Section(
            entry["kind"], entry["share"], entry["weight"], tuple(entry["names"]), tuple(entry["words"])
        )
        for entry in load_table("core/compress/summarise/extract/sections.yaml")
    }


@cache
def kind_of(heading: str) -> str | None:
    """The purpose of a heading: by its name, else by a word in it; None when nothing tells."""
    lower = heading.rpartition("### ")[2].strip().lower()
    for section in purposes().values():
        if lower in section.names:
            return section.kind
    for section in purposes().values():
        if any(word in lower for word in section.words):
            return section.kind
    return None


def homes(headings: Sequence[str]) -> Mapping[str, str]:
    """Kind to the heading its facts go under; facts whose section a release lacks move in elsewhere."""
    return _homes(tuple(headings))


@cache
def _homes(headings: tuple[str, ...]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for heading in headings:
        kind = kind_of(heading)
        if kind:
            found.setdefault(kind, heading)
    for kind, shelters in _SHELTERS.items():
        shelter = next((found[other] for other in shelters if other in found), None)
        if kind not in found and shelter:
            found[kind] = shelter
    return found


_SHELTERS = {
    "pending": ("task", "remaining", "context"),
    "remaining": ("pending", "context"),
    "in_progress": ("state", "context"),
    "errors": ("blocked", "context"),
    "blocked": ("errors", "context"),
    "constraints": ("goal", "context"),
    "decisions": ("context",),
    "questions": ("context",),
    "files": ("context",),
    "actions": ("context",),
    "state": ("context",),
    "task": ("goal", "context"),
}
"""Where facts of a kind go when no heading is theirs, best place first."""
