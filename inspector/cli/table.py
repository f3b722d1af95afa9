"""Tidy tables for people: aligned by what the terminal draws, never wider than it when there is one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.terminal.text import clean_line, fit

GAP = "  "


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes:
        right: Align to the right, as numbers are.
        shrinks: Give up width when the terminal is narrow; at least `least` cells stay.
    """

    title: str
    right: bool = False
    shrinks: bool = False
    least: int = 12


def lines(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> list[str]:
    """A header and one line a row.

    Args:
        columns: What stands where.
        rows: One text a column; untrusted, cleaned here.

    Returns:
        Lines without trailing blanks, within the terminal's width when stdout is one.
    """
    from inspector.terminal.text import cell_len

    cells = [[clean_line(cell) for cell in row] for row in rows]
    titles = [column.title for column in columns]
    widths = [max(map(cell_len, column)) for column in zip(titles, *cells, strict=True)]
    widths = _shrunk(columns, widths, terminal_width())
    return [_line(columns, widths, row) for row in [titles, *cells]]


def _line(columns: Sequence[Column], widths: Sequence[int], row: Sequence[str]) -> str:
    parts = (
        fit(cell, width, right=column.right) for column, width, cell in zip(columns, widths, row, strict=True)
    )
    return GAP.join(parts).rstrip()


def _shrunk(columns: Sequence[Column], widths: list[int], room: int | None) -> list[int]:
    """Take what does not fit from the columns that shrink, the widest first."""
    if room is None:
        return widths
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - room
    order = sorted((i for i, column in enumerate(columns) if column.shrinks), key=lambda i: -widths[i])
    for index in order:
        taken = max(0, min(excess, widths[index] - columns[index].least))
        widths[index] -= taken
        excess -= taken
    return widths


def terminal_width() -> int | None:
    """Columns of the terminal stdout goes to; None when it goes elsewhere."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return None
