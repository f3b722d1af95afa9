"""Maps facts to sections, writes them as sections, and carries over what still holds of the last summary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from core.compress.facts.corrections import Correction, corrections, with_correction
from core.compress.facts.history import files, outcomes
from core.compress.facts.readable import View
from core.compress.facts.said import without_handoff
from core.compress.facts.topic import Topic, terms
from core.compress.summarise.answer_check import sections
from core.compress.summarise.base import heading_line
from core.compress.summarise.extract.fact_lines import FactLine
from core.support.program_files import load_table

NOTHING = "None."
_LONG_PATH = 30
_TARGET = re.compile(
    r"(?:^|: |\()[^\s(]+ (?:\S.{0,120} in )?(?P<path>[~/\w][^\s()]*/[^\s()]+)"
    r"(?=(?: \(x\d+\))? -> |\)$|\) -> )"
)
"""The path a call was about: between the tool's name and the outcome."""
_PLAIN = frozenset({"task", "goal"})
_NUMBERED = frozenset({"actions"})
_NOTES = {
    "remaining": "Left to do: ",
    "pending": "Not answered yet: ",
    "constraints": "Must hold: ",
    "errors": "Error: ",
    "decisions": "Decided: ",
}
"""Introduces a fact that is listed under another section's heading."""

_OTHER_HOMES = {
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
"""Where facts of a kind go if no heading is theirs, best place first."""

_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_NOTHING = re.compile(r"^(?:none|n/a|unknown|nothing|-)\b.{0,60}$", re.IGNORECASE)
_REPLACED = frozenset({"state", "in_progress"})
"""Sections that describe only the present: the new middle replaces them."""

_STATED = frozenset({"constraints", "decisions", "context"})
_SERIAL = frozenset({"decisions", "remaining"})
_NUMBER = re.compile(r"\d+")
_WEIGHT = 0.9
_ASKED = re.compile(r"^User asked[^:]{0,60}:\s*", re.IGNORECASE)
_QUOTED = "> "
_ALIKE = 0.8


@dataclass(frozen=True, slots=True)
class Section:
    """One purpose a heading can have.

    Attributes:
        share: The share of the room its lines may take before the other sections had their turn.
        weight: The weight of each of its lines.
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
    """The purpose of a heading, by its name or else by a word in it; None if neither matches."""
    lower = heading.rpartition("### ")[2].strip().lower()
    for section in purposes().values():
        if lower in section.names:
            return section.kind
    for section in purposes().values():
        if any(word in lower for word in section.words):
            return section.kind
    return None


def homes(headings: Sequence[str]) -> Mapping[str, str]:
    """A mapping from kind to the heading its facts go under, or to a substitute the release does have."""
    return _homes(tuple(headings))


@cache
def _homes(headings: tuple[str, ...]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for heading in headings:
        kind = kind_of(heading)
        if kind:
            found.setdefault(kind, heading)
    for kind, others in _OTHER_HOMES.items():
        home = next((found[other] for other in others if other in found), None)
        if kind not in found and home:
            found[kind] = home
    return found


def render(facts: Iterable[FactLine], headings: Sequence[str]) -> str:
    """The body of a summary: every heading in order, oldest facts first, `None.` for an empty section."""
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
    """Facts with long paths in full only in the list of files, and as bare names in calls."""
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


def carried(previous: str | None, views: Sequence[View], topic: Topic | None) -> list[FactLine]:
    """The lines of the previous summary's body that the new middle neither replaces nor undoes."""
    if not previous or not previous.strip():
        return []
    undone = _undone(views)
    asked = any(view.request for view in views)
    answered = _answers_first(views)
    found: list[FactLine] = []
    for heading, text in sections(previous).items():
        kind = (kind_of(heading) or "context") if heading else "context"
        if not views or not (kind in _REPLACED or (kind == "pending" and answered)):
            found += _lines(kind, text, asked)
    changed = corrections(views)
    kept = (fact for fact in found if not any(name in fact.text for name in undone))
    return [_focused(_corrected(fact, changed), topic) for fact in kept]


def _corrected(fact: FactLine, changed: Sequence[Correction]) -> FactLine:
    """A line that still holds, or the same line with the user's correction."""
    return replace(fact, text=with_correction(fact.text, fact.at, changed)) if fact.kind in _STATED else fact


def without_repeats(facts: Sequence[FactLine]) -> list[FactLine]:
    """Facts of a kind without repeats, in their newest wording; the goal is not repeated as an action."""
    seen: dict[str, list[frozenset[str]]] = {}
    exact: set[tuple[str, str]] = set()
    kept: list[FactLine] = []
    updating = any(fact.at < 0 for fact in facts)
    goals = {f"User: {fact.text}" for fact in facts if fact.kind == "goal"}
    for fact in sorted(facts, key=lambda fact: (not fact.fixed, -fact.at)):
        key = (fact.kind, _comparison_key(fact))
        if key in exact or fact.text in goals:
            continue
        exact.add(key)
        words = frozenset(terms(fact.text)) if updating else frozenset()
        others = seen.setdefault(fact.kind, [])
        if fact.at < 0 and len(words) > 2 and any(_alike(words, other) for other in others):
            continue
        others.append(words)
        kept.append(fact)
    return kept


def _comparison_key(fact: FactLine) -> str:
    """What a fact says; decisions and open tasks that differ only in a number count as the same."""
    text = " ".join(fact.text.lower().split())
    return _NUMBER.sub("#", text) if fact.kind in _SERIAL and not fact.in_focus else text


def _alike(words: frozenset[str], other: frozenset[str]) -> bool:
    return len(words & other) >= _ALIKE * max(len(words), 1)


def _lines(kind: str, text: str, asked: bool) -> list[FactLine]:
    lines = [_BULLET.sub("", line).strip() for line in without_handoff(text).splitlines()]
    lines = [
        line for line in lines if line and not _NOTHING.match(line) and not line.startswith(("#", "```"))
    ]
    if kind == "task":
        if not asked:
            return [FactLine("task", line, -1, fixed=True) for line in lines[:1]]
        return [FactLine("actions", f"User: {_ASKED.sub('', line)}", -1, _WEIGHT * 1.6) for line in lines[:1]]
    if kind == "goal":
        return [FactLine("goal", line, -1, 1.5, fixed=at == 0) for at, line in enumerate(lines)]
    return [_line(kind, line) for line in lines]


def _line(kind: str, line: str) -> FactLine:
    """A line as a fact; a quoted one is what the user said."""
    if line.startswith(_QUOTED):
        return FactLine("actions", f"User: {line.removeprefix(_QUOTED)}", -1, _WEIGHT * 1.6)
    return FactLine(kind, line, -1, _WEIGHT)


def _undone(views: Sequence[View]) -> set[str]:
    """Texts that mark a line as being about a file now deleted or an error now fixed."""
    removed = {path for path, story in files(views).items() if story.effects[-1] == "removed"}
    calls = outcomes(views)
    passed = {(call.call.name, call.call.target) for call in calls if call.passed and not call.error}
    fixed = {outcome.error for outcome in calls if outcome.error and outcome.fixed_at is not None}
    failing = {f"{name} {target}" for name, target in passed if target}
    return removed | fixed | {f"({call})" for call in failing}


def _answers_first(views: Sequence[View]) -> bool:
    """Whether the middle starts by answering an earlier request: text without calls, before any request."""
    for view in views:
        if view.request:
            return False
        if view.role == "assistant" and view.text.strip() and not view.calls:
            return True
    return False


def _focused(fact: FactLine, topic: Topic | None) -> FactLine:
    return replace(fact, in_focus=True) if topic is not None and topic.covers(fact.text) else fact
