"""Exact values at the end of a summary: the cheapest way to keep a fact checkable."""

from __future__ import annotations

from collections.abc import Sequence

from core.compress.anchors import Found
from core.compress.retention.index import LOST, SummaryIndex
from core.compress.summarise.extract.facts import Fact
from core.compress.summarise.extract.select import Estimate

_LABELS = {"paths": "Paths", "urls": "Links", "ids": "Ids", "hashes": "Hashes", "numbers": "Figures"}
_SENTENCES = {"constraints": "constraints", "errors": "errors", "asks": "actions", "commands": "actions"}
"""Section of the categories that are whole sentences, most wanted first."""

_PER_LINE = 8
_MOST_LINES = {"numbers": 3, "hashes": 4}
"""Lines of values that say little by themselves; the focus may have more."""

_LONGEST = 160


def quotes(anchors: Sequence[Found], said: str, room: int, estimate: Estimate) -> list[Fact]:
    """The sentences that `said` does not hold, word for word, newest first, within `room` tokens."""
    held = SummaryIndex(said)
    facts: list[Fact] = []
    for category, kind in _SENTENCES.items():
        for anchor in reversed([anchor for anchor in anchors if anchor.category == category]):
            cost = estimate(anchor.value) + 1
            if cost <= room and held.fate(category, anchor.value) == LOST:
                room -= cost
                facts.append(Fact(kind, anchor.value, anchor.messages[-1], 0.5, in_focus=True))
    return facts


def lists(anchors: Sequence[Found], said: str, room: int, estimate: Estimate) -> list[Fact]:
    """Lines of values that `said` does not hold yet, most used first, within `room` tokens."""
    lines: list[Fact] = []
    waiting = [
        anchor
        for anchor in sorted(anchors, key=lambda anchor: (-len(anchor.messages), -anchor.messages[-1]))
        if anchor.category in _LABELS and len(anchor.value) <= _LONGEST and anchor.value not in said
    ]
    for category, label in _LABELS.items():
        names = [anchor for anchor in waiting if anchor.category == category]
        most = _MOST_LINES.get(category, len(names)) * _PER_LINE
        for at in range(0, len(names), _PER_LINE):
            group = names[at : at + _PER_LINE]
            if at >= most and not any(anchor.in_focus for anchor in group):
                break
            text = f"{label}: {', '.join(anchor.value for anchor in group)}"
            cost = estimate(text) + 1
            if cost > room:
                break
            room -= cost
            newest = max(anchor.messages[-1] for anchor in group)
            lines.append(Fact("context", text, newest, 0.5, all(anchor.in_focus for anchor in group)))
    return lines
