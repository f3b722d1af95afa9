"""The default summariser: offline, deterministic, built from the messages themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from core.compress.facts.collect import Found, collect, topic_of
from core.compress.facts.history import outcomes, stories_of
from core.compress.facts.importance import weigh
from core.compress.facts.readable import View, ends, views
from core.compress.summarise.base import (
    Cancelled,
    OfflineSummariser,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
    stop_if,
)
from core.compress.summarise.extract.content_selection import (
    FOCUS_SHARE,
    Estimate,
    choose,
    cost_of,
    lists,
    quotes,
    topic_details,
)
from core.compress.summarise.extract.fact_lines import FactLine, facts_of
from core.compress.summarise.extract.sections import carried, homes, purposes, render, without_repeats
from core.redact.text import redact_bulk, redact_text

MAX_SHARE = 0.5
"""A summary may take at most half of what it replaces."""

_MAX_FOCUS_SHARE = 0.8
"""The same limit while values of its focus would be lost."""

_MIN_TOKENS = 500
"""Tokens a summary may take however small the middle."""

_LIST_SHARE = 0.30
"""Share of the room for lists of exact values; the focus, if there is one, has all of it."""


def quarter(text: str) -> int:
    """A quarter of the characters, rounded up: how Hermes up to 0.19 counts tokens."""
    return (len(text) + 3) // 4


class ExtractiveSummariser(OfflineSummariser):
    """Fills the release's headings from the messages: asks, actions, files, errors, decisions, open ends."""

    name = "extractive"

    def __init__(
        self, estimate: Estimate = quarter, limits: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        self._estimate = estimate
        self._limits = limits

    def _written(self, request: SummaryRequest, cancelled: Cancelled | None) -> SummaryResult:
        request, known_before = masked(request)
        read = views(request.originals or request.turns, clean=redact_bulk, limits=self._limits)
        topic = topic_of(request.focus, [*known_before, *read])
        stop_if(cancelled)
        known = "" if request.previous_summary else request.asked_before
        earlier = carried(request.previous_summary, read, topic)
        ended = outcomes(read)
        # What no section takes would use up room; with a focus it holds back the room of the rest.
        home = homes(request.headings) if topic is None else purposes()
        every = [*facts_of(read, topic, known, ended, "log" in home), *earlier]
        facts = without_repeats([fact for fact in every if fact.kind in home])
        everything = [*known_before, *read]
        collected = collect(everything, topic)
        judged = [] if topic is None else [entry for entry, _ in weigh(everything, topic).facts]
        stop_if(cancelled)
        vanished = {path for path, story in stories_of(ended).items() if story.vanished}
        current = [one for one in collected if one.value not in vanished]
        texts = {fact.text for fact in facts}
        details = [] if topic is None else topic_details(read, topic)
        more = [fact for fact in details if fact.text not in texts]
        rooms = rooms_for(request, read, self._estimate, (MAX_SHARE, _MAX_FOCUS_SHARE))
        body = self._body(request, facts, more, (current, judged), rooms)
        stop_if(cancelled)
        return SummaryResult(body, SummaryStatus.EXTRACTIVE)

    def _body(
        self,
        request: SummaryRequest,
        facts: list[FactLine],
        more: list[FactLine],
        found: tuple[list[Found], list[Found]],
        rooms: Sequence[int],
    ) -> str:
        (collected, judged), (room, widest) = found, rooms
        known = {(one.category, one.value) for one in collected}
        judged_too = (one for one in judged if (one.category, one.value) not in known)
        focused = [one for one in (*collected, *judged_too) if one.in_focus]
        added = request.complete("")

        def written(facts: Sequence[FactLine]) -> str:
            return f"{render(facts, request.headings)}\n{added}"

        listed = int(room * _LIST_SHARE)
        chosen = choose(facts, room - listed, self._estimate)
        chosen += lists(
            collected, written(chosen), min(max(0, room - self._cost(chosen)), listed), self._estimate
        )
        plain = fitted(chosen, request, self._estimate)
        if not focused:
            return plain
        kept = self._focused(facts, more, focused, room, self._cost(chosen), written)
        kept += self._exact(focused, kept, written(kept), widest)

        def left() -> int:
            """Tokens left once the chosen lines are written: merged, they take less than one by one."""
            return max(0, room - self._estimate(written(kept)) + self._estimate(written(())))

        kept += self._exact(focused, kept, written(kept), self._cost(kept) + left())
        used = {fact.text for fact in kept}
        kept += choose([fact for fact in facts if fact.text not in used], left(), self._estimate)
        return fitted(kept, request, self._estimate)

    def _focused(
        self,
        facts: Sequence[FactLine],
        more: Sequence[FactLine],
        focused: Sequence[Found],
        room: int,
        plain: int,
        written: Callable[[Sequence[FactLine]], str],
    ) -> list[FactLine]:
        """Facts about the focus while there is room for them; others up to a plain summary's size."""
        about = [fact for fact in facts if fact.in_focus or fact.fixed]
        others = [fact for fact in facts if not (fact.in_focus or fact.fixed)]
        for_focus = room - int((1 - FOCUS_SHARE) * min(room, plain))
        chosen = choose(about, int(for_focus * (1 - _LIST_SHARE)), self._estimate)
        chosen += self._exact(focused, chosen, written(chosen), for_focus)
        chosen += choose(more, max(0, for_focus - self._cost(chosen)), self._estimate)
        left = max(room - for_focus, plain - self._cost(chosen))
        return [*chosen, *choose(others, min(left, room - self._cost(chosen)), self._estimate)]

    def _exact(
        self, focused: Sequence[Found], chosen: Sequence[FactLine], summary: str, room: int
    ) -> list[FactLine]:
        """What the focus holds and `summary` lacks, verbatim, in the room the chosen facts leave."""
        left = max(0, room - self._cost(chosen))
        found = lists(focused, summary, min(left, int(room * FOCUS_SHARE)), self._estimate)
        text = "\n".join((summary, *(fact.text for fact in found)))
        return found + quotes(focused, text, left - self._cost(found), self._estimate)

    def _cost(self, facts: Sequence[FactLine]) -> int:
        return cost_of(facts, self._estimate)


def rooms_for(
    request: SummaryRequest, read: Sequence[View], estimate: Estimate, shares: Sequence[float]
) -> list[int]:
    """Tokens for the lines: the budget less the headings, and at most each share of what they replace."""
    texts = (text for view in read for text in (view.text, *(call.strings for call in view.calls)))
    size = sum(map(estimate, texts)) + estimate(request.previous_summary or "")
    empty = estimate(render((), request.headings))
    return [max(0, min(request.budget, max(_MIN_TOKENS, int(size * share))) - empty) for share in shares]


def fitted(chosen: Sequence[FactLine], request: SummaryRequest, estimate: Estimate) -> str:
    """The body cut to the budget; the facts chosen last are dropped first."""
    kept = list(chosen)
    body = redact_text(render(kept, request.headings))
    while kept and estimate(body) > request.budget:
        at = next((i for i in range(len(kept) - 1, -1, -1) if not kept[i].fixed), len(kept) - 1)
        del kept[at]
        body = redact_text(render(kept, request.headings))
    return body


def masked(request: SummaryRequest) -> tuple[SummaryRequest, list[View]]:
    """The request, with what came before its turns masked while it is whole; and its summary as a message."""
    earlier = redact_text(request.previous_summary or "")
    before = [View(0, "assistant", ends(earlier))] if earlier.strip() else []
    return replace(request, previous_summary=earlier, asked_before=redact_text(request.asked_before)), before
