"""Selects what fits into a summary: facts, then details of its topic, then exact values at the end.

The worth of a fact depends on its section's weight, its own weight, how recent it is, and how many checkable
values it holds for its length. Listing values is the cheapest way to keep a fact checkable.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from core.compress.facts.collect import Found, endings
from core.compress.facts.readable import View, one_line
from core.compress.facts.said import sentences
from core.compress.facts.topic import Topic
from core.compress.facts.values import classify, values
from core.compress.retention.summary_index import LOST, SummaryIndex
from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.sections import purposes

FOCUS_SHARE = 0.65
"""Share of the room that goes to the focus: the middle of the 60 to 70 % Hermes asks for."""

Estimate = Callable[[str], int]
"""Counts the tokens of a text as the release does."""

_DENSITY = 0.35
_OVERHEAD = 1
_LINE_ROOM = 60
"""Tokens that every section may take regardless of its share: a line or two."""
_MAX_LINE_CHARS = 240
_MIN_LINE_CHARS = 20
"""Characters a line needs to be worth telling."""
_PER_MESSAGE = 12
_ANSWER_WORTH, _OUTPUT_WORTH = 0.5, 0.25
"""Worth of an assistant's sentence, and of a line of tool output, relative to the sections' facts."""
_LABELS = {
    "urls": "Links",
    "ids": "Ids",
    "numbers": "Figures",
    "hashes": "Hashes",
    "paths": "Paths",
    "names": "Names",
}
"""Labels of the lists of values, in the order they are filled: rare kinds first."""
_SENTENCES = {
    "constraints": "constraints",
    "decisions": "decisions",
    "errors": "errors",
    "asks": "actions",
    "state": "state",
    "commands": "actions",
}
"""Section for each category that consists of whole sentences, most wanted first."""
_PER_LINE = 8
_MAX_LINES = {"numbers": 3, "hashes": 4}
"""Line limits for values that say little by themselves; the focus may have more."""
_MAX_VALUE_CHARS = 160
_MADE_UP = re.compile(r"[0-9a-f]{16}")
_ROOTED = 4
"""How many paths must share a folder for the folder to be named once for all of them."""


def choose(facts: Sequence[FactLine], room: int, estimate: Estimate) -> list[FactLine]:
    """The facts (without repeats) worth keeping within `room` tokens, best first."""
    costs = {id(fact): cost_of([fact], estimate) for fact in facts}
    newest = max((fact.at for fact in facts), default=0)
    ranked = sorted(facts, key=lambda fact: (-_score(fact, newest), fact.at))
    chosen = _take([fact for fact in ranked if fact.fixed], room, costs, {})
    left = room - _sum(chosen, costs)
    return [*chosen, *_fill([fact for fact in ranked if not fact.fixed], left, costs)]


def cost_of(facts: Iterable[FactLine], estimate: Estimate) -> int:
    """The tokens that facts take as lines of a summary."""
    return sum(estimate(fact.text) + _OVERHEAD for fact in facts)


def _fill(ranked: Sequence[FactLine], room: int, costs: dict[int, int]) -> list[FactLine]:
    """Select in two passes: each section up to its share, then the facts worth most."""
    limits = {kind: max(section.share * room, _LINE_ROOM) for kind, section in purposes().items()}
    first = _take(ranked, room, costs, limits)
    used = {id(fact) for fact in first}
    rest = [fact for fact in ranked if id(fact) not in used]
    return [*first, *_take(rest, room - _sum(first, costs), costs, {})]


def _take(
    ranked: Iterable[FactLine], room: int, costs: dict[int, int], limits: dict[str, float]
) -> list[FactLine]:
    spent: dict[str, int] = {}
    chosen = []
    for fact in ranked:
        cost = costs[id(fact)]
        if cost > room or spent.get(fact.kind, 0) + cost > limits.get(fact.kind, math.inf):
            continue
        room -= cost
        spent[fact.kind] = spent.get(fact.kind, 0) + cost
        chosen.append(fact)
    return chosen


def _score(fact: FactLine, newest: int) -> float:
    recency = 0.7 + 0.6 * (fact.at / newest if newest > 0 and fact.at >= 0 else 0.5)
    value_count = len(values(fact.text, errors=False)) if fact.kind != "log" else 0
    density = 1 + _DENSITY * math.log1p(value_count)
    return purposes()[fact.kind].weight * fact.weight * recency * density


def _sum(facts: Iterable[FactLine], costs: dict[int, int]) -> int:
    return sum(costs[id(fact)] for fact in facts)


def topic_details(views: Sequence[View], topic: Topic) -> Iterator[FactLine]:
    """The sentences of assistants and the result lines that a topic covers, each once, oldest first."""
    seen: set[str] = set()
    for view in views:
        if view.role not in ("assistant", "tool"):
            continue
        is_answer = view.role == "assistant"
        lines = sentences(view.text) if is_answer else tuple(view.text.splitlines())
        details = (one_line(line, _MAX_LINE_CHARS).strip("-*• ") for line in lines if topic.covers(line))
        new = [line for line in dict.fromkeys(details) if len(line) >= _MIN_LINE_CHARS and line not in seen]
        seen.update(new)
        weight = _ANSWER_WORTH if is_answer else _OUTPUT_WORTH
        yield from (FactLine("context", line, view.index, weight, True) for line in new[:_PER_MESSAGE])


def quotes(
    collected: Sequence[Found],
    summary: str,
    room: int,
    estimate: Estimate,
    sections: Mapping[str, str] = _SENTENCES,
) -> list[FactLine]:
    """Sentences that `summary` lacks, verbatim, newest first, within `room` tokens.

    `sections` are the categories to quote, most wanted first, each with its section.
    """
    index = SummaryIndex(summary)
    facts: list[FactLine] = []
    for category, kind in sections.items():
        for one in reversed([one for one in collected if one.category == category]):
            cost = estimate(one.value) + 1
            if cost <= room and index.fate(category, one.value) == LOST:
                room -= cost
                text = one.value.removeprefix("- ")  # a line of a list becomes one again
                facts.append(FactLine(kind, text, one.messages[-1], 0.5, in_focus=True))
    return facts


def lists(collected: Sequence[Found], summary: str, room: int, estimate: Estimate) -> list[FactLine]:
    """Lists of the values that `summary` lacks, most used first, within `room` tokens."""
    lines: list[FactLine] = []
    waiting = [
        one
        for one in sorted(collected, key=_rank)
        if one.category in _LABELS and len(one.value) <= _MAX_VALUE_CHARS and one.value not in summary
    ]
    newest = max((one.messages[-1] for one in waiting), default=0)
    for label, most, items in _pools(waiting, SummaryIndex(summary)):
        for at in range(0, len(items), _PER_LINE):
            group = items[at : at + _PER_LINE]
            in_focus = [one.in_focus for one, _ in group]
            if at >= most * _PER_LINE and not any(in_focus):
                break
            text = f"{label}: {', '.join(text for _, text in group)}"
            cost = estimate(text) + 1
            if cost > room:
                break
            room -= cost
            lines.append(FactLine("context", text, newest, 0.5, all(in_focus)))
    return lines


def _rank(one: Found) -> tuple[bool, int, int]:
    """Sort key: most used first, then newest; machine-generated names last."""
    made_up = one.category == "paths" and bool(_MADE_UP.search(one.value))
    return made_up, -len(one.messages), -one.messages[-1]


def _pools(
    waiting: Sequence[Found], index: SummaryIndex
) -> Iterator[tuple[str, int, Sequence[tuple[Found, str]]]]:
    """The values of each list with its label, its line limit, and how each value is written there."""
    for category, label in _LABELS.items():
        found = [one for one in waiting if one.category == category]
        most = _MAX_LINES.get(category, len(found))
        if category == "paths":
            found = list(_different(found, index.paths))
            root = _root([one.value for one in found])
            below = [(one, short) for one in found if (short := _below(one.value, root))]
            yield f"{label} in {root}", most, below
            known = {id(one) for one, _ in below}
            found = [one for one in found if id(one) not in known]
        yield label, most, [(one, one.value) for one in found]


def _different(paths: Iterable[Found], known: Iterable[str]) -> Iterator[Found]:
    """The paths that are not another form of an earlier one: `shop/cart.py` of `/srv/shop/cart.py`."""
    seen, ends = set[str](), set[str]()
    for path in known:
        seen.update(endings(path)[:1])
        ends.update(endings(path))
    for one in paths:
        own = endings(one.value.lower())
        if own and own[0] not in ends and seen.isdisjoint(part for part in own if "/" in part):
            yield one
        seen.update(own[:1])
        ends.update(own)


def _root(paths: Sequence[str]) -> str:
    """The deepest folder whose subfolders hold at least half of the absolute paths; "" if too few do."""
    rooted = [path for path in paths if path.startswith(("/", "~/"))]
    folders = Counter(path[:at] for path in rooted for at in range(2, path.rfind("/")) if path[at] == "/")
    shared = (folder for folder, count in folders.items() if count >= max(_ROOTED, len(rooted) / 2))
    return max(shared, key=len, default="")


def _below(path: str, root: str) -> str:
    """A path relative to a folder; "" if it is not below it or would no longer read as a path."""
    short = path[len(root) + 1 :] if root and path.startswith(f"{root}/") else ""
    one = classify(short)
    return short if "/" in short and one is not None and one.value == short else ""
