"""The recorded cost of sessions, in words: `nothing` on local servers, which no provider bills."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from core.support import formatting as fmt

if TYPE_CHECKING:
    from core.model.accounting.amounts import Money
    from core.model.transcript.conversation import ChainNode
    from core.model.transcript.session import Session

NO_BILL = "nothing: no provider bills a server of your own"


def paid(usd: Decimal | None, routes: Collection[Session], *, lower_bound: bool = False) -> str:
    """An amount, `nothing`, or that the cost is unknown."""
    mark = fmt.LOWER_BOUND if lower_bound or _lacks_a_price(routes) else ""
    if usd is not None:
        return fmt.money(usd, mark=mark)
    from core.account.pricing.price import is_local_only  # a list whose rows all have a price does without

    return fmt.money(usd, mark=mark, own=is_local_only(routes))


def _lacks_a_price(routes: Iterable[Session]) -> bool:
    """Whether somebody bills a side task, such as a summary, that no cost is recorded for."""
    unpriced = [route for session in routes for route in session.unpriced]
    if not unpriced:
        return False
    from core.account.pricing.price import billing_of

    return any(billing_of(provider, address) == "api" for provider, address in unpriced)


def paid_together(cost: Money, nodes: Collection[ChainNode]) -> str:
    """What some sessions cost with their side tasks, which is `cost` if anybody knows: as `paid`.

    What ran on a server of one's own cost nothing, so that no price is missing for it.
    """
    from core.account.pricing.price import is_local_only
    from core.model.transcript.conversation import booked

    rows = booked(nodes)
    if cost.usd is None:
        return fmt.sum_of_money(cost, own=is_local_only(rows))
    unknown = [row for row in rows if row.recorded_cost.usd is None and row.tokens.total]
    unknown += [node.session for node in nodes if node.lower_bound]
    return fmt.sum_of_money(replace(cost, missing=sum(not is_local_only([row]) for row in unknown)))
