"""Lists of exact values at the end of a summary: the cheapest way to keep a fact checkable."""

from __future__ import annotations

from collections.abc import Sequence

from core.compress.anchors import Found
from core.compress.summarise.extract.facts import Fact
from core.compress.summarise.extract.select import Estimate

_LABELS = {"paths": "Paths", "urls": "Links", "ids": "Ids", "hashes": "Hashes", "numbers": "Figures"}
_PER_LINE = 8
_LONGEST = 160


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
        for at in range(0, len(names), _PER_LINE):
            group = names[at : at + _PER_LINE]
            text = f"{label}: {', '.join(anchor.value for anchor in group)}"
            cost = estimate(text) + 1
            if cost > room:
                break
            room -= cost
            newest = max(anchor.messages[-1] for anchor in group)
            lines.append(Fact("context", text, newest, 0.5, all(anchor.in_focus for anchor in group)))
    return lines
