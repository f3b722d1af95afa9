"""The row under the cursor of a ledger: what it comes to, and where its figures come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from core.account.pricing.price import bucket_costs
from core.account.pricing.price_book import open_book
from core.account.spending.ledger import collect
from core.account.spending.origins import origin
from core.model.accounting.ledger import LedgerRow
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store
from inspector.base.figure_origins import FigureOrigin
from inspector.screens.workspace.usage.bars import STACKED
from inspector.screens.workspace.usage.days import BUCKETS
from inspector.screens.workspace.usage.model import UsageAnswer
from inspector.terminal import formatting as fmt
from inspector.terminal.line import Line, Palette
from inspector.widgets.panes.fields import field, origin_lines

BAR = "▇"
Others = Sequence[tuple[str, str]]
"""Figures beside a row's own: name and sum."""


def behind(
    row: LedgerRow, found: UsageAnswer, figure: str, others: Others, width: int, ink: Palette
) -> Iterator[Line]:
    """Where the figure of a row comes from, what its delegates add, and the other sums beside it."""
    about = row.label or row.key
    yield from origin_lines(about, origin(found.ledger, row, figure), width, ink)
    yield from _subtree(row, width, ink)
    yield Line()
    yield from _buckets(row, width, ink)
    for name, sums in others:
        yield from field(name, sums, width, ink)


def _buckets(row: LedgerRow, width: int, ink: Palette) -> Iterator[Line]:
    """What its tokens were and what each kind of them cost, the largest share plain to see."""
    usd = bucket_costs(row).usd
    most = max(usd.values(), default=None)
    for name, token, _, place in STACKED:
        key = BUCKETS[place]
        line = Line().cell(name, 13, ink.style("ink-muted"))
        line.cell(
            fmt.tokens(getattr(row.tokens, key), lower_bound=row.lower_bound), 7, ink.style(token), right=True
        )
        if key in usd and most:
            line.cell(fmt.money(usd[key]), 9, ink.style("money"), right=True).gap(1)
            line.add(BAR * round(usd[key] / most * max(0, width - line.width)), ink.style(token))
        yield line


def _subtree(row: LedgerRow, width: int, ink: Palette) -> Iterator[Line]:
    """What a conversation comes to with its delegates; nothing for one that has none."""
    if row.subtree is not None:
        usd = fmt.money(row.subtree_recorded.usd if row.subtree_recorded else None)
        words = f"{usd} recorded with its sub-agents · {fmt.short(row.subtree.total)} tokens"
        yield from field("together", words, width, ink, "ink-muted")


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
