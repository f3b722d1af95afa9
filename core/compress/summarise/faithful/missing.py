"""What a summary does not tell, as lines for it."""

from __future__ import annotations

from collections.abc import Sequence

from core.compress.facts.collect import Found
from core.compress.retention.summary_index import LOST, SummaryIndex
from core.compress.summarise.extract.content_selection import Estimate, lists, quotes
from core.compress.summarise.extract.fact_lines import FactLine

_SECTIONS = {
    "constraints": "constraints",
    "asks": "pending",
    "open": "remaining",
    "decisions": "decisions",
    "errors": "errors",
    "state": "state",
    "commands": "actions",
}
"""Where a sentence goes that no line tells."""


def lost(facts: Sequence[tuple[Found, float]], said: str) -> list[Found]:
    """The facts a summary does not tell, heaviest first."""
    index = SummaryIndex(said)
    ranked = sorted(facts, key=lambda fact: -fact[1])
    return [one for one, _ in ranked if index.fate(one.category, one.value, one.told_by) == LOST]


def lines_of(missing: Sequence[Found], said: str, room: int, estimate: Estimate) -> list[FactLine]:
    """Facts, heaviest first, as lines within `room` tokens: sentences in half of it, then lists of values."""
    told = quotes(missing[::-1], said, room // 2, estimate, _SECTIONS)  # it begins with the last
    room -= sum(estimate(line.text) + 1 for line in told)
    return [*told, *lists(missing, said, room, estimate)]
