"""What a worker computes for the list: context used, what needs attention, first words of untitled rows.

It also ranks by what no database can sort by: measured conversations come first in order, others after them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from core.compress.planning.row_facts import StubTexts
from core.errors import InspectorError
from core.explain.events import explain
from core.explain.explanation import Explanation, Now
from core.explain.headline.conversation import standing_failure
from core.model.compaction.event import REFUSED, Trigger, tally
from core.model.finding import NO_HEADLINE, Headline, Severity
from core.preview.generation import Reading, followed
from core.preview.past import event_of_headline, with_loss
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store
from inspector.screens.sessions.data.order import Order, SourcePage
from inspector.screens.sessions.data.session_line import Extra, Key, SessionLine
from inspector.screens.sessions.data.source import read_keys, read_ranked
from inspector.screens.workspace.why.curve import FINEST, request_curve
from inspector.widgets.charts.context_bar import ContextUse
from inspector.widgets.charts.curve import sampled

if TYPE_CHECKING:
    from core.account.spending.budget import Today

CHUNK = 500
"""Conversations whose rows are read at once; they are not kept."""

PATIENCE = 0.5
"""Seconds to the first partial answer; each later one takes twice as long, up to `MAX_SECONDS`."""

MAX_SECONDS = 8.0


def previews(lines: Sequence[SessionLine], stop: Cancelled) -> dict[Key, str]:
    """The first words of the user in each untitled conversation."""
    untitled = [line for line in lines if not line.title]
    found: dict[Key, str] = {}
    for location in dict.fromkeys(line.location for line in untitled):
        rows = [line.row for line in untitled if line.location == location]
        try:
            with Store(location, cancelled=stop) as store:
                found |= {(location, one): words for one, words in store.began_with(rows).items()}
        except InspectorError:
            continue  # the row shows its id, and opening it shows the error
    return found


def measure(lines: Sequence[SessionLine], stop: Cancelled) -> Iterator[tuple[Key, Extra]]:
    """Compute what each line lacks; an unreadable conversation gets only what its row says."""
    for line in lines:
        if stop():
            return
        try:
            with Store(line.location, cancelled=stop) as store:
                yield line.key, _measure(store, line)
        except InspectorError as error:
            answer = Headline(f"{error.line}.", None, Severity.WARNING)
            yield line.key, Extra(ContextUse(), severity=answer.severity, state=line.state, answer=answer)


def parts(
    line: SessionLine, stop: Cancelled, before: Reading | None = None
) -> tuple[tuple[int, ...], Reading | None]:
    """Tokens of what precedes the messages, of head, middle and tail, and the reading behind them.

    Empty without a plan. If the reading before can be continued, only new messages are read.
    """
    try:
        with Store(line.location, cancelled=stop) as store:
            conversation = store.conversation(line.row.tip.id)
        if not conversation.generations:
            return (), None
        newest = conversation.generations[-1]
        found = followed(line.location, newest, stop, conversation=conversation, before=before)
    except InspectorError:
        return (), None
    found = replace(found, measured=replace(found.measured, stubs=StubTexts()))  # the list shows no stubs
    plan = found.planned(found.measured, found.what_if.actual)
    sizes = [sum(plan.estimates[part.start : part.end]) for part in (plan.head, plan.middle, plan.tail)]
    return (max(0, plan.compared_tokens - sum(sizes)), *sizes), found


def answer(line: SessionLine, stop: Cancelled) -> Headline:
    """The conversation's headline with what its summary lost; nothing if it cannot be read."""
    try:
        with Store(line.location, cancelled=stop) as store:
            return with_loss(explain(store, line.row.tip.id))[0].headline
    except InspectorError:
        return NO_HEADLINE


def _measure(store: Store, line: SessionLine) -> Extra:
    found = explain(store, line.row.tip.id)
    here, (done, _, failed) = found.now, tally(found.events)
    use = ContextUse(here.tokens, here.limit, here.window, here.refused_beyond)
    happened = _happened(found)
    severity, answer = _standing(found, _watched(line, use, here)) if happened is None else happened
    return Extra(
        use,
        done - sum(event.completed and event.trigger is Trigger.NATIVE for event in found.events),
        failed,
        severity,
        line.state,
        answer,
        _fewer(found.context.log.prompts),
        found.headline,
        request_curve(found),
        happened is not None,
        found.now.refused_at,
    )


def _happened(found: Explanation) -> tuple[Severity | None, Headline] | None:
    """What went wrong: a failure that still stands, no answer, a refused request; None if nothing did.

    A limit that is passed now is worse than a refusal that was dealt with, of which the headline tells.
    """
    failure, headline, event = standing_failure(found.events), found.headline, event_of_headline(found)
    if failure is not None:
        return failure.headline.severity, failure.headline
    if found.now.headline.severity is Severity.CRITICAL:
        return None
    if headline.severity in (Severity.CRITICAL, Severity.WARNING) and headline != found.now.headline:
        return headline.severity, headline
    return (Severity.INFO, NO_HEADLINE) if event is not None and event.trigger in REFUSED else None


def _standing(found: Explanation, severity: Severity | None) -> tuple[Severity | None, Headline]:
    """How near the limit it is, and whether compression is blocked."""
    if found.now.headline.severity is Severity.CRITICAL:
        return Severity.CRITICAL, found.now.headline
    return severity, found.now.headline if severity else NO_HEADLINE


def _watched(line: SessionLine, use: ContextUse, now: Now) -> Severity | None:
    """A warning near the limit, over damaged rows, and while a provider or failed attempts come before it."""
    damaged = any(session.damage for session in line.row.sessions)
    refused = bool(now.refused_at) and now.headline.severity is Severity.WARNING
    return Severity.WARNING if use.near or damaged or now.failing or refused else None


def _fewer(sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(sizes[place] for place in sampled(sizes, FINEST)) if len(sizes) > FINEST else tuple(sizes)


class Standing(NamedTuple):
    """What a conversation is ranked by, and the state that was computed for."""

    state: int
    context_use: float | None
    compressions: float | None


class Ranker:
    """Measures conversations and remembers the results; an unchanged conversation is not read again."""

    def __init__(self) -> None:
        self._known: dict[Key, Standing] = {}

    def pages(
        self, locations: Sequence[Location], order: Order, size: int, stop: Cancelled
    ) -> Iterator[SourcePage]:
        """Yield the first page: now and then in the order known so far, and finally in the right one."""
        keys, errors = read_keys(locations, order, stop)
        asked = SourcePage(order, 0, (), errors=errors)
        patience, shown_at = PATIENCE, time.monotonic()
        for looked_at, line in enumerate(_lines(keys, stop), 1):
            self._measure(line, stop)
            if stop():
                return
            if time.monotonic() - shown_at > patience:
                yield self._page(asked, keys, looked_at, size, stop)
                patience, shown_at = min(2 * patience, MAX_SECONDS), time.monotonic()
        there = [key for key in keys if key in self._known]
        yield self._page(asked, there, len(there), size, stop)

    def _measure(self, line: SessionLine, stop: Cancelled) -> None:
        known, state = self._known.get(line.key), hash(line.state)
        if known is not None and known.state == state:
            return
        for key, extra in measure((line,), stop):
            if not stop():  # an interrupted result is incomplete
                self._known[key] = Standing(state, extra.context_use.share, extra.compressions)

    def _page(
        self, asked: SourcePage, keys: Sequence[Key], looked_at: int, size: int, stop: Cancelled
    ) -> SourcePage:
        order = asked.order
        ranked = [key for key in keys if key in self._known]
        ranked.sort(key=lambda key: self._value(key, order.sort), reverse=True)
        waiting = (key for key in keys if key not in self._known)
        ranking = (*(ranked if order.natural else reversed(ranked)), *waiting)
        rows = tuple(read_ranked(ranking[:size], stop))
        totals = Counter(location for location, _ in ranking)
        return replace(asked, rows=rows, totals=totals, ranking=ranking, measured=looked_at)

    def _value(self, key: Key, sort: str) -> float:
        value: float | None = getattr(self._known[key], sort)
        return float("-inf") if value is None else value


def _lines(keys: Sequence[Key], stop: Cancelled) -> Iterator[SessionLine]:
    for start in range(0, len(keys), CHUNK):
        yield from read_ranked(keys[start : start + CHUNK], stop)


def spent(locations: Sequence[Location], now: datetime, stop: Cancelled) -> Today | None:
    """What the sessions that began today, or else since yesterday, cost; None if no database is readable."""
    # Slow to import; the first rows must not wait.
    from core.account.spending.budget import spent_lately
    from inspector.screens.workspace.usage.model import open_stores

    with ExitStack() as stack:
        opened, _ = open_stores(stack, locations, stop)  # the list shows the errors
        return spent_lately(opened, now=now) if opened else None
