"""What the summary before still has to say in the next one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.compress.facts.history import files, outcomes
from core.compress.facts.lexicon import lexicon
from core.compress.facts.outlook import Correction, corrections, with_correction
from core.compress.facts.readable import View
from core.compress.facts.topic import Topic, terms
from core.compress.summarise.base import sections
from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.sections import kind_of

_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_NOTHING = re.compile(r"^(?:none|n/a|unknown|nothing|-)\b.{0,60}$", re.IGNORECASE)
_REPLACED = frozenset({"state", "in_progress"})
"""Sections that only speak of the present: the new middle knows better."""

_STATED = frozenset({"constraints", "decisions", "context"})
_SERIAL = frozenset({"decisions", "remaining"})
_NUMBER = re.compile(r"\d+")
_WEIGHT = 0.9
_ASKED = re.compile(r"^User asked[^:]{0,60}:\s*", re.IGNORECASE)
_QUOTED = "> "
_ALIKE = 0.8


def carried(previous: str | None, views: Sequence[View], topic: Topic | None) -> list[FactLine]:
    """The lines of the previous summary that the new middle neither replaces nor undoes.

    Args:
        previous: Its body, without markers.
        views: The new middle.
        topic: The focus, when there is one.
    """
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
    """A line that still holds, or with what a person said instead."""
    return replace(fact, text=with_correction(fact.text, fact.at, changed)) if fact.kind in _STATED else fact


def without_repeats(facts: Sequence[FactLine]) -> list[FactLine]:
    """Facts of one kind that say the same only once, the newest wording kept; the goal is no action too."""
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
    """What a fact says; of decisions and open ends that differ in a number alone the newest is enough."""
    text = " ".join(fact.text.lower().split())
    return _NUMBER.sub("#", text) if fact.kind in _SERIAL and not fact.in_focus else text


def _alike(words: frozenset[str], other: frozenset[str]) -> bool:
    return len(words & other) >= _ALIKE * max(len(words), 1)


def _lines(kind: str, text: str, asked: bool) -> list[FactLine]:
    lines = [_BULLET.sub("", line).strip() for line in text.splitlines()]
    lines = [
        line for line in lines if line and not _NOTHING.match(line) and not line.startswith(("#", "```"))
    ]
    lines = [line for line in lines if not lexicon().handoff.match(line)]
    if kind == "task":
        if not asked:
            return [FactLine("task", line, -1, fixed=True) for line in lines[:1]]
        return [FactLine("actions", f"User: {_ASKED.sub('', line)}", -1, _WEIGHT * 1.6) for line in lines[:1]]
    if kind == "goal":
        return [FactLine("goal", line, -1, 1.5, fixed=at == 0) for at, line in enumerate(lines)]
    return [_line(kind, line) for line in lines]


def _line(kind: str, line: str) -> FactLine:
    """A line as a fact; what is quoted was said by the user."""
    if line.startswith(_QUOTED):
        return FactLine("actions", f"User: {line.removeprefix(_QUOTED)}", -1, _WEIGHT * 1.6)
    return FactLine(kind, line, -1, _WEIGHT)


def _undone(views: Sequence[View]) -> set[str]:
    """Texts that tell a line speaks of a file now deleted or an error now fixed."""
    gone = {path for path, story in files(views).items() if story.effects[-1] == "removed"}
    calls = outcomes(views)
    passed = {(call.call.name, call.call.target) for call in calls if call.passed and not call.error}
    fixed = {outcome.error for outcome in calls if outcome.error and outcome.fixed_at is not None}
    failing = {f"{name} {target}" for name, target in passed if target}
    return gone | fixed | {f"({call})" for call in failing}


def _answers_first(views: Sequence[View]) -> bool:
    """Whether the middle closes what was asked before it: an answer without calls, before any request."""
    for view in views:
        if view.request:
            return False
        if view.role == "assistant" and view.text.strip() and not view.calls:
            return True
    return False


def _focused(fact: FactLine, topic: Topic | None) -> FactLine:
    if topic is None or not topic.covers(fact.text):
        return fact
    return FactLine(fact.kind, fact.text, fact.at, fact.weight, True, fact.fixed)
