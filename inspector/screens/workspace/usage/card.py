"""The row under the cursor of a ledger: where its figure comes from, what it comes to. Lines for a pane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.account.spending.origins import origin
from core.model.accounting.ledger import LedgerRow
from inspector.screens.workspace.usage.model import UsageAnswer
from inspector.terminal import formatting as fmt
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.widgets.panes.fields import field
from inspector.widgets.panes.origin import origin_lines

Others = Sequence[tuple[str, str]]
"""Figures beside a row's own: name and sum."""


def behind(
    row: LedgerRow, found: UsageAnswer, figure: str, others: Others, width: int, ink: Palette
) -> list[Line]:
    """Where the figure of a row comes from, what its delegates add, and the other sums beside it."""
    about = row.label or row.key
    told = [*origin_lines(about, origin(found.ledger, row, figure), width, ink), *_subtree(row, width, ink)]
    return [*told, *(line for name, sums in others for line in field(name, sums, width, ink))]


def _subtree(row: LedgerRow, width: int, ink: Palette) -> Iterator[Line]:
    """What a conversation comes to with its delegates; nothing for one that has none."""
    if row.subtree is not None:
        usd = fmt.money(row.subtree_recorded.usd if row.subtree_recorded else None)
        words = f"{usd} recorded with its sub-agents · {fmt.short(row.subtree.total)} tokens"
        yield from field("together", words, width, ink, "ink-muted")
