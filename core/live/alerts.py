"""Alerts a user asked for: a share of the context used, and money spent today."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

from core.account.spending.budget import spent_today
from core.errors import InspectorError
from core.explain.events import explain
from core.live.event import LiveEvent, LiveKind
from core.store.store import Store

PAUSE = 2.0
"""Seconds between two checks of the same thing, which read more than events do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to alert the user.

    Attributes:
        share: Share of the threshold in use, 0 to 1; None for never.
        budget: US dollars per day; None for no budget.
        cache_break: US dollars that a single cache break costs; None for never.
    """

    share: float | None = None
    budget: Decimal | None = None
    cache_break: Decimal | None = None

    def should_notify(self, event: LiveEvent) -> bool:
        """Whether an event is worth a notification: bell, desktop, and `watch --notify`.

        These are an exceeded share or budget, a failure or fallback, and a cache break above its price limit;
        a break without a known price is not above any.
        """
        if event.kind is LiveKind.CACHE_BREAK:
            cost = event.facts["cost_usd"]
            return self.cache_break is not None and cost is not None and bool(cost > self.cache_break)
        return event.kind in (LiveKind.ALERT, LiveKind.BUDGET, LiveKind.FAILURE)


@dataclass(slots=True)
class Alerts:
    """Which limits were already exceeded: each is reported once, a share again after it fell below.

    Attributes:
        above: Sessions whose share is above the limit.
        day: The day whose budget was exceeded, ISO 8601; "" for none.
        due: Sessions to check once the pause is over.
    """

    limits: Limits = field(default_factory=Limits)
    above: dict[str, None] = field(default_factory=dict)
    day: str = ""
    due: dict[str, None] = field(default_factory=dict)
    looked: float = float("-inf")

    def passed(self, store: Store, sessions: Iterable[str]) -> Iterator[LiveEvent]:
        """Limits exceeded since the last check."""
        self.due |= dict.fromkeys(sessions)
        if not self.due or time.monotonic() - self.looked < PAUSE:
            return
        due, self.due, self.looked = self.due, {}, time.monotonic()
        if self.limits.share is not None:
            yield from (found for one in due for found in self._share(store, one, self.limits.share))
        if self.limits.budget is not None:
            yield from self._budget(store, self.limits.budget)

    def _share(self, store: Store, session: str, limit: float) -> Iterator[LiveEvent]:
        try:
            now = explain(store, session).now
        except InspectorError:  # the session is gone, or the settings are unreadable
            return
        if now.tokens is None or not now.limit:  # another engine decides, and named no limit
            return
        share = now.tokens / now.limit
        if share < limit:
            self.above.pop(session, None)
        elif session not in self.above:
            self.above[session] = None
            facts = {"share": share, "tokens": now.tokens, "threshold": now.limit, "limit": limit}
            at = datetime.now(UTC)
            yield LiveEvent(LiveKind.ALERT, f"share:{session}:{at.isoformat()}", session, at, facts)

    def _budget(self, store: Store, budget: Decimal) -> Iterator[LiveEvent]:
        spent = spent_today([store])
        day = spent.since.date().isoformat()
        if spent.usd > budget and self.day != day:
            self.day = day
            facts = {"spent_usd": spent.usd, "budget_usd": budget, "at_least": spent.at_least}
            yield LiveEvent(LiveKind.BUDGET, f"budget:{day}", None, datetime.now(UTC), facts)
