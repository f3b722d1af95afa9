"""Where the tokens and the money of a conversation, or of one session of it, come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.account.pricing.price_book import open_book
from core.account.spending.ledger import collect
from core.account.spending.origins import origin
from core.model.accounting.ledger import LedgerRow
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store
from inspector.base.figure_origins import FigureOrigin

FIGURES = ("total", "hit_rate", "recorded", "computed")
"""What lists show of a conversation, and the cost at the price list beside the recorded one."""


def spending(
    location: Location, session_id: str, *, alone: bool = False
) -> Callable[[Cancelled], Sequence[FigureOrigin]]:
    """Looks up the figures of the conversation of a session, the main loop's first.

    Args:
        location: The database.
        session_id: Any session of the conversation.
        alone: Only what this session spent.
    """

    def read(stop: Cancelled) -> Sequence[FigureOrigin]:
        with Store(location, cancelled=stop) as store:
            by = "session" if alone else "conversation"
            found = collect([store], by=by, session=session_id, prices=open_book()).ledger()
        rows = [row for row in found.rows if not alone or row.key == session_id]
        if len(rows) > 1 and not alone:
            rows.append(found.totals)
        return [FigureOrigin(origin(found, row, figure), _name(row)) for row in rows for figure in FIGURES]

    return read


def _name(row: LedgerRow) -> str:
    name = row.label or row.key
    return f"{name} ({row.task})" if row.task else name
