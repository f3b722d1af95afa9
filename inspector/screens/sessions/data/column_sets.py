"""Which columns of the session list are shown: those somebody chose, as many as fit."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.screens.sessions.columns import COLUMNS, PROFILE, Column

GAP = 2
LEAST_TITLE = 12
FEWEST = 3
"""Columns that stay however narrow the list is."""
ALL = "all"
_TOKENS = frozenset({"last", "conversation", "uncached", "read", "write", "output", "hit", "cost"})
_CONTEXT = frozenset({"context used", "context used of limit", "requests", "compr.", "compressions"})
SETS = {
    "all": frozenset[str](),
    "tokens": frozenset({"last", "conversation", "uncached", "read", "write", "output", "hit", "cost"}),
    "context": frozenset(
        {
            "last",
            "conversation",
            "context used",
            "context used of limit",
            "requests",
            "compr.",
            "compressions",
        }
    ),
}
"""The columns one can choose, by their titles; `all` are as many as the width has room for."""


def layout(width: int, *, profiles: bool = False, chosen: str = ALL) -> tuple[tuple[Column, int], ...]:
    """The columns that fit a list of `width` cells, each with its width; the title takes what is left.

    Args:
        width: Cells of the list.
        profiles: Rows of several databases are shown.
        chosen: One of `SETS`.
    """
    titles = SETS[chosen]
    shown = [
        one
        for one in COLUMNS
        if one.least <= width <= one.most or (one.title in titles and one.title in SETS["tokens"])
    ]
    shown = [
        one for one in shown if (not titles or one.title in titles) and (profiles or one.title != PROFILE)
    ]
    while _fixed(shown) + LEAST_TITLE > width and len(shown) > FEWEST:
        shown.pop(-2)
    room = max(LEAST_TITLE, width - _fixed(shown))
    return tuple((column, column.width or room) for column in shown)


def _fixed(columns: Sequence[Column]) -> int:
    """Cells of all but the title."""
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)
