"""The recorded cost of sessions, in words: `nothing` on local servers, which no provider bills."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING

from core.support import formatting as fmt

if TYPE_CHECKING:
    from core.model.transcript.session import Session
    from core.model.transcript.storage import UsageRow

NO_BILL = "nothing: no provider bills a server of your own"


def paid(usd: Decimal | None, routes: Iterable[Session], *, lower_bound: bool = False) -> str:
    """An amount, `nothing`, or that the cost is unknown."""
    own = usd is None and is_local_only(routes)
    return fmt.money(usd, mark=fmt.LOWER_BOUND if lower_bound else "", own=own)


def is_local_only(routes: Iterable[Session | UsageRow]) -> bool:
    """Whether all sessions used local servers."""
    from core.account.pricing.price import billing_of  # a list whose rows all have a price does without

    return all(billing_of(route.provider or "", route.base_url or "") == "local" for route in routes)
