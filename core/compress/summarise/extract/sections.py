"""Which section a fact belongs in, whatever a release calls it, and the facts written as sections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from core.compress.summarise.base import heading_line
from core.compress.summarise.extract.fact_lines import FactLine
from core.support.yaml_tables import load_table

NOTHING = "None."
_LONG_PATH = 30
_TARGET = re.compile(
    r"(?:^|: |\()[^\s(]+ (?:\S.{0,120} in )?(?P<path>[~/\w][^\s()]*/[^\s()]+)"
    r"(?=(?: \(x\d+\))? -> |\)$|\) -> )"
)
"""The path a call was about: it stands right behind the tool's name, and its outcome behind it."""
_PLAIN = frozenset({"task", "goal"})
_NUMBERED = frozenset({"actions"})
_NOTES = {
    "remaining": "Left to do: ",
    "pending": "Not answered yet: ",
    "constraints": "Must hold: ",
    "errors": "Error: ",
    "decisions": "Decided: ",
}
"""What introduces a fact that stands under another section's heading."""


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


def render(facts: Iterable[FactLine], headings: Sequence[str]) -> str:
    """The body of a summary: every heading in order, oldest facts first, `None.` where there is nothing."""
    home = homes(headings)
    by_heading: dict[str, list[FactLine]] = {heading: [] for heading in headings}
    for fact in sorted(_brief(list(facts)), key=lambda fact: fact.at):
        heading = home.get(fact.kind)
        if heading is not None and fact.text not in (other.text for other in by_heading[heading]):
            by_heading[heading].append(fact)
    own = {heading: kind for kind, heading in reversed(tuple(home.items()))}
    blocks = (
        f"{heading_line(heading)}\n{_block(found, own.get(heading))}" for heading, found in by_heading.items()
    )
    return "\n\n".join(blocks)


def _brief(facts: Sequence[FactLine]) -> Iterator[FactLine]:
    """Long paths written out once, in the list of files, and by their names where calls are told."""
    paths = [fact.text.rpartition(" (")[0] for fact in facts if fact.kind == "files"]
    names = Counter(map(_name, paths))
    short = {path: _name(path) for path in paths if len(path) >= _LONG_PATH and names[_name(path)] == 1}
    for fact in facts:
        target = None if fact.kind == "files" else _TARGET.search(fact.text)
        name = short.get(target["path"]) if target else None
        if target is None or name is None:
            yield fact
        else:
            yield replace(
                fact, text=f"{fact.text[: target.start('path')]}{name}{target.string[target.end('path') :]}"
            )


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _block(facts: Sequence[FactLine], kind: str | None) -> str:
    if not facts:
        return NOTHING
    lines = []
    numbered = 0
    for fact in facts:
        if fact.kind in _NUMBERED and fact.kind == kind:
            numbered += 1
            lines.append(f"{numbered}. {fact.text}")
        elif fact.kind in _PLAIN and fact.kind == kind:
            lines.append(fact.text)
        else:
            lines.append(f"- {'' if fact.kind == kind else _note(fact)}{fact.text}")
    return "\n".join(lines)


def _note(fact: FactLine) -> str:
    note = _NOTES.get(fact.kind, "")
    return "" if fact.text.lower().startswith(note.strip().lower()) else note
