"""Facts as the sections of a summary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.compress.summarise.base import heading_line
from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.sections import homes

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
