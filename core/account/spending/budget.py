"""How much was spent, in a ledger or today, and whether that exceeds a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal

from core.account.spending.conversations import whole_rows, with_names
from core.account.spending.ledger import collect
from core.account.spending.recorded import day_start
from core.model.accounting.ledger import Ledger
from core.model.accounting.usage import BudgetCheck
from core.store.conversations.session_lists import SessionLists


@dataclass(frozen=True, slots=True)
class Today:
    """The cost of the sessions that began today.

    Attributes:
        usd: US dollars, as recorded by Hermes, or computed if it recorded nothing.
        at_least: Whether it may be more: something has no price, or a session of an earlier day continued
            today, whose cost is booked on the day it began.
        largest: Name and cost of the conversation that cost most.
        since_yesterday: Whether the sessions that began yesterday are counted too.
    """

    since: datetime
    usd: Decimal
    at_least: bool
    largest: tuple[str, Decimal] | None = None
    since_yesterday: bool = False

    @property
    def known(self) -> Decimal | None:
        """The amount, or None if none of it is known: an unknown sum is not zero."""
        return None if self.at_least and not self.usd else self.usd


def check_budget(spending: Ledger, budget: Decimal) -> BudgetCheck:
    """Compare a ledger with a budget in US dollars; `spent_of` defines what counts as spent."""
    spent, at_least = spent_of(spending)
    passed = spent > budget
    sign = "≥" if at_least else ""
    verb = "passed" if passed else "within"
    sentence = f"{sign}${spent:.2f} spent, {verb} the budget of ${budget:.2f}"
    if at_least and not passed:
        sentence += "; some of the spending has no known price"
    return BudgetCheck(passed, sentence)


def spent_of(spending: Ledger) -> tuple[Decimal, bool]:
    """What a ledger cost in US dollars, and whether it was more than that.

    What counts is, part by part, what Hermes recorded, and the computed cost where it recorded nothing or not
    all; what a subscription includes costs nothing.
    """
    spent, unknown = Decimal(0), 0
    for part in spending.totals.parts:
        if part.billing in ("included", "local"):
            continue
        complete = part.recorded.usd is not None and not part.recorded.missing
        amount = part.recorded if complete or part.computed.usd is None else part.computed
        spent += amount.usd or 0
        unknown += amount.missing
    return spent, bool(unknown) or spending.lower_bound


def _largest(spending: Ledger, stores: Sequence[SessionLists]) -> tuple[str, Decimal] | None:
    """The most expensive conversation with its auxiliary calls; None if no cost is known."""
    for row in whole_rows(spending).rows[:1]:
        (named,) = with_names(replace(spending, rows=(row,)), stores).rows
        return (named.label or named.key, row.cost.usd) if row.cost.usd else None
    return None


def spent_today(
    stores: Sequence[SessionLists], *, now: datetime | None = None, zone: tzinfo | None = None
) -> Today:
    """Add up what was spent since midnight, by default of this machine's day.

    Prices are looked up only if Hermes recorded no cost: loading their list takes a third of a second.
    """
    return _spent_since(stores, day_start(now or datetime.now(UTC), zone), zone)


def spent_lately(
    stores: Sequence[SessionLists], *, now: datetime | None = None, zone: tzinfo | None = None
) -> Today:
    """Add up what was spent today, or since yesterday where nobody knows because what runs began then."""
    today = spent_today(stores, now=now, zone=zone)
    if today.known is not None:
        return today
    lately = _spent_since(stores, day_start(today.since - timedelta(hours=1), zone), zone)
    return today if lately.known is None else replace(lately, since_yesterday=True)


def _spent_since(stores: Sequence[SessionLists], since: datetime, zone: tzinfo | None) -> Today:
    spending = collect(stores, by="conversation", since=since, zone=zone).ledger()
    usd, at_least = spent_of(spending)
    if at_least:
        from core.account.pricing.price_book import open_book

        spending = collect(stores, by="conversation", since=since, prices=open_book(), zone=zone).ledger()
        usd, at_least = spent_of(spending)
    return Today(since, usd, at_least, _largest(spending, stores))
