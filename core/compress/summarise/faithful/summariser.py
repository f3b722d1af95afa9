"""A summary that keeps most of what matters: facts by weight, entities by last state, nothing twice."""

from __future__ import annotations

from collections.abc import Sequence

from core.compress.facts.collect import Found, topic_of
from core.compress.facts.importance import weigh
from core.compress.facts.readable import views
from core.compress.summarise.base import (
    Cancelled,
    OfflineSummariser,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
    stop_if,
)
from core.compress.summarise.extract.content_selection import Estimate, cost_of, topic_details
from core.compress.summarise.extract.fact_lines import FactLine, facts_of
from core.compress.summarise.extract.sections import carried, render, without_repeats
from core.compress.summarise.extract.summariser import MAX_SHARE, fitted, masked, quarter, rooms_for
from core.compress.summarise.faithful.coverage import best_lines, entity_lines, lines_of, lost
from core.redact.text import redact_bulk

_VALUES = 0.25
"""Share of the room reserved for values that no line states."""


class FaithfulSummariser(OfflineSummariser):
    """Fills the release's headings with the lines that state the most weight of facts for their tokens."""

    name = "faithful"

    def __init__(self, estimate: Estimate = quarter) -> None:
        self._estimate = estimate

    def _written(self, request: SummaryRequest, cancelled: Cancelled | None) -> SummaryResult:
        request, before = masked(request)
        read = views(request.originals or request.turns, clean=redact_bulk)
        topic = topic_of(request.focus, [*before, *read])
        facts = weigh([*before, *read], topic).facts
        known = "" if request.previous_summary else request.asked_before
        stop_if(cancelled)
        lines = [*facts_of(read, topic, known), *entity_lines(read)]
        lines += carried(request.previous_summary, read, topic)
        lines += [] if topic is None else topic_details(read, topic)
        [room] = rooms_for(request, read, self._estimate, [MAX_SHARE])
        lines = without_repeats(lines)
        stop_if(cancelled)
        chosen = best_lines(lines, facts, int(room * (1 - _VALUES)), self._estimate)
        chosen += self._values(facts, chosen, room, request)
        used = {line.text for line in chosen}
        left = room - cost_of(chosen, self._estimate)
        more = [one for one in lines if one.text not in used]
        chosen += best_lines(more, (), left, self._estimate, chosen)
        return SummaryResult(fitted(chosen, request, self._estimate), SummaryStatus.EXTRACTIVE)

    def _values(
        self,
        facts: Sequence[tuple[Found, float]],
        chosen: Sequence[FactLine],
        room: int,
        request: SummaryRequest,
    ) -> list[FactLine]:
        """What no chosen line states: sentences verbatim, then values, heaviest first."""
        summary = render(chosen, request.headings)
        left = max(0, room - cost_of(chosen, self._estimate))
        return lines_of(lost(facts, summary), summary, left, self._estimate)
