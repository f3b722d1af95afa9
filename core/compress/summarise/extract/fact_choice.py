"""Choosing which facts a summary can afford, and what else was said of its topic where room is left.

A fact is worth its section's weight, its own, how late it was said and how many checkable facts it holds for
its length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from core.compress.facts.collect import sentences
from core.compress.facts.readable import View, one_line
from core.compress.facts.topic import Topic
from core.compress.facts.values import values
from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.sections import purposes

FOCUS_SHARE = 0.65
"""Share of the room that goes to the focus: the middle of the 60 to 70 % Hermes asks for."""

Estimate = Callable[[str], int]
"""Tokens of a text, as the release counts them."""

_DENSITY = 0.35
_OVERHEAD = 1
_LINE_ROOM = 60
"""Tokens every section may take at least: a line or two."""


def choose(facts: Sequence[FactLine], room: int, estimate: Estimate) -> list[FactLine]:
    """The facts worth keeping within `room` tokens, best first.

    Args:
        facts: Candidates, already without repeats.
        room: Tokens for all of them.
        estimate: Tokens of one line.
    """
    costs = {id(fact): estimate(fact.text) + _OVERHEAD for fact in facts}
    newest = max((fact.at for fact in facts), default=0)
    ranked = sorted(facts, key=lambda fact: (-_worth(fact, newest), fact.at))
    chosen = _take([fact for fact in ranked if fact.fixed], room, costs, {})
    left = room - _sum(chosen, costs)
    return [*chosen, *_fill([fact for fact in ranked if not fact.fixed], left, costs)]


def _fill(ranked: Sequence[FactLine], room: int, costs: dict[int, int]) -> list[FactLine]:
    """Facts in two passes: each section up to its share, then whoever is worth most."""
    limits = {kind: max(section.share * room, _LINE_ROOM) for kind, section in purposes().items()}
    first = _take(ranked, room, costs, limits)
    taken = {id(fact) for fact in first}
    rest = [fact for fact in ranked if id(fact) not in taken]
    return [*first, *_take(rest, room - _sum(first, costs), costs, {})]


def _take(
    ranked: Iterable[FactLine], room: int, costs: dict[int, int], limits: dict[str, float]
) -> list[FactLine]:
    spent: dict[str, int] = {}
    taken = []
    for fact in ranked:
        cost = costs[id(fact)]
        if cost > room or spent.get(fact.kind, 0) + cost > limits.get(fact.kind, math.inf):
            continue
        room -= cost
        spent[fact.kind] = spent.get(fact.kind, 0) + cost
        taken.append(fact)
    return taken


def _worth(fact: FactLine, newest: int) -> float:
    recency = 0.7 + 0.6 * (fact.at / newest if newest > 0 and fact.at >= 0 else 0.5)
    held = len(values(fact.text, errors=False)) if fact.kind != "log" else 0
    density = 1 + _DENSITY * math.log1p(held)
    return purposes()[fact.kind].weight * fact.weight * recency * density


def _sum(facts: Iterable[FactLine], costs: dict[int, int]) -> int:
    return sum(costs[id(fact)] for fact in facts)


_LONGEST = 240
_LEAST = 20
"""Characters a line needs to tell something."""

_PER_MESSAGE = 12
_SAID, _SHOWN = 0.5, 0.25
"""Worth of a sentence of an assistant, and of a line of a tool's output, beside the facts of the sections."""


def topic_details(views: Sequence[View], topic: Topic) -> Iterator[FactLine]:
    """The sentences of assistants and the lines of results that a topic covers, each once, oldest first."""
    seen: set[str] = set()
    for view in views:
        if view.role not in ("assistant", "tool"):
            continue
        said = view.role == "assistant"
        lines = sentences(view.text) if said else tuple(view.text.splitlines())
        told = (one_line(line, _LONGEST).strip("-*• ") for line in lines if topic.covers(line))
        new = [line for line in dict.fromkeys(told) if len(line) >= _LEAST and line not in seen]
        seen.update(new)
        weight = _SAID if said else _SHOWN
        yield from (FactLine("context", line, view.index, weight, True) for line in new[:_PER_MESSAGE])
