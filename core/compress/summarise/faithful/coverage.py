"""Selects lines by coverage: the most weight of facts not stated yet for the tokens a line costs."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.compress.facts.collect import Found, endings
from core.compress.facts.history import Outcome, effect_of, is_acting, outcomes
from core.compress.facts.readable import View, one_line
from core.compress.facts.topic import roots
from core.compress.facts.values import values
from core.compress.retention.summary_index import LOST, SummaryIndex
from core.compress.summarise.extract.content_selection import Estimate, cost_of, lists, quotes
from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.sections import purposes

_LINE = 160
_SENTENCES = frozenset({"asks", "constraints", "open", "decisions", "state", "errors"})
_STATED_SHARE = 0.6
_FOCUS = 3.0
"""Factor by which a fact in focus counts more."""
_ALIKE = 0.8
_FILL = 0.02
"""Worth of a line for its section alone, if it states no new fact."""
_SECTIONS = {
    "constraints": "constraints",
    "asks": "pending",
    "open": "remaining",
    "decisions": "decisions",
    "errors": "errors",
    "state": "state",
    "commands": "actions",
}
"""Section for a sentence that no line states."""


class State(StrEnum):
    """The last thing done to an entity."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"
    FAILED = "failed"
    FIXED = "fixed"
    READ = "read"


_STATES = {"wrote": State.CREATED, "changed": State.CHANGED, "removed": State.DELETED, "read": State.READ}


@dataclass(frozen=True, slots=True)
class Entity:
    """A file, a record or a command target.

    Attributes:
        name: Its path or id.
        state: The state that the last call about it left it in.
        by: The tool of that call.
        at: Index of the message of that call.
        ended: The call's result or error, on one line.
    """

    name: str
    state: State
    by: str
    at: int
    ended: str


def entities(views: Sequence[View]) -> dict[str, Entity]:
    """Every file and id that calls named, with its last state, in order of first mention."""
    found: dict[str, Entity] = {}
    for outcome in outcomes(views):
        for name in dict.fromkeys(_names(outcome)):
            state = _state(outcome, found.get(name))
            known = found.get(name)
            if known is None or state is not State.READ:
                found[name] = Entity(name, state, outcome.call.name, outcome.at, _ended(outcome))
    return found


def entity_lines(views: Sequence[View]) -> Iterator[FactLine]:
    """One line for each entity that was not only read."""
    for one in entities(views).values():
        if one.state is not State.READ:
            weight = 1.5 if one.state in (State.FAILED, State.DELETED) else 1.0
            yield FactLine("state", f"{one.name}: {one.state}, {one.by} -> {one.ended}", one.at, weight)


def _names(one: Outcome) -> Iterator[str]:
    if one.call.path:
        yield one.call.path
    yield from (
        anchor.value for anchor in values(one.call.strings[:400], errors=False) if anchor.category == "ids"
    )


def _state(one: Outcome, before: Entity | None) -> State:
    if one.error:
        return State.FAILED
    effect = effect_of(one.call.name)
    if effect is None and is_acting(one.call):
        effect = "changed"
    state = _STATES[effect or "read"]
    failed = before is not None and before.state is State.FAILED
    return State.FIXED if failed and state in (State.CHANGED, State.CREATED) else state


def _ended(one: Outcome) -> str:
    first = next((line for line in one.text.splitlines() if line.strip()), "done")
    return one_line(one.error or first, _LINE)


def best_lines(
    lines: Sequence[FactLine],
    facts: Sequence[tuple[Found, float]],
    room: int,
    estimate: Estimate,
    existing: Sequence[FactLine] = (),
) -> list[FactLine]:
    """Lines within `room` tokens, best first; fixed ones are taken before all others.

    A line that states no new fact, in words that another line has, is left out. `facts` have weights;
    `existing` lines were chosen before.
    """
    words = [frozenset(roots(line.text)) for line in lines]
    existing_words = [frozenset(roots(line.text)) for line in existing]
    stated_facts = _stated_facts(lines, words, [entry for entry, _ in facts])
    left = {at: (weight * (_FOCUS if entry.in_focus else 1)) ** 2 for at, (entry, weight) in enumerate(facts)}
    chosen: list[FactLine] = []

    def score(at: int) -> float:
        line = lines[at]
        own = _FILL * purposes()[line.kind].weight * line.weight
        return (own + sum(left.get(fact, 0.0) for fact in stated_facts[at])) / (estimate(line.text) + 1)

    for at in _best_first(lines, score):
        cost = cost_of([lines[at]], estimate)
        is_stated = left.keys().isdisjoint(stated_facts[at]) and _is_stated(words[at], existing_words)
        if cost > room or (is_stated and not lines[at].fixed):
            continue
        room -= cost
        chosen.append(lines[at])
        existing_words.append(words[at])
        for fact in stated_facts[at]:
            left.pop(fact, None)
    return chosen


def _best_first(lines: Sequence[FactLine], score: Callable[[int], float]) -> Iterator[int]:
    """Indices of lines, fixed ones first, then by a score, which falls while others are chosen."""
    heap = [(not line.fixed, -score(at), at) for at, line in enumerate(lines)]
    heapq.heapify(heap)
    while heap:
        late, before, at = heapq.heappop(heap)
        now = -score(at)
        if now > before and heap and (late, now, at) > heap[0]:
            heapq.heappush(heap, (late, now, at))  # others told its facts meanwhile
        else:
            yield at


def _is_stated(words: frozenset[str], existing_words: Sequence[frozenset[str]]) -> bool:
    """Whether one of the lines has most of a line's words."""
    return any(len(words & other) >= _ALIKE * len(words) for other in existing_words)


def _stated_facts(
    lines: Sequence[FactLine], words: Sequence[frozenset[str]], facts: Sequence[Found]
) -> list[list[int]]:
    """The facts that each line states, as indexes."""
    values = [(at, _key(fact)) for at, fact in enumerate(facts) if fact.category not in _SENTENCES]
    spoken = [
        (at, frozenset(fact.key_words or roots(fact.value)))
        for at, fact in enumerate(facts)
        if fact.category in _SENTENCES
    ]
    found: list[list[int]] = []
    for line, words_of_line in zip(lines, words, strict=True):
        lower = line.text.lower()
        stated = [at for at, key in values if key in lower]
        stated += [
            at for at, words in spoken if words and len(words & words_of_line) >= _STATED_SHARE * len(words)
        ]
        found.append(stated)
    return found


def _key(fact: Found) -> str:
    parts = endings(fact.value) if fact.category == "paths" else []
    return (parts[-1] if parts else fact.value).lower()


def lost(facts: Sequence[tuple[Found, float]], summary: str) -> list[Found]:
    """The facts a summary leaves out, heaviest first."""
    index = SummaryIndex(summary)
    ranked = sorted(facts, key=lambda fact: -fact[1])
    return [one for one, _ in ranked if index.fate(one.category, one.value, one.key_words) == LOST]


def lines_of(missing: Sequence[Found], summary: str, room: int, estimate: Estimate) -> list[FactLine]:
    """Facts, heaviest first, as lines within `room` tokens: sentences in half of it, then lists of values."""
    lines = quotes(missing[::-1], summary, room // 2, estimate, _SECTIONS)  # it begins with the last
    room -= cost_of(lines, estimate)
    return [*lines, *lists(missing, summary, room, estimate)]
