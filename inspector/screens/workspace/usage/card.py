"""The row under the cursor of a ledger: where its figure comes from, what it comes to. Lines for a pane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.account.pricing.price import bucket_costs
from core.account.spending.origins import origin
from core.model.accounting.ledger import LedgerRow
from inspector.screens.workspace.usage.bars import STACKED
from inspector.screens.workspace.usage.days import BUCKETS
from inspector.screens.workspace.usage.model import UsageAnswer
from inspector.terminal import formatting as fmt
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
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
