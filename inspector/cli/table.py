"""Formats tables for people: no wider than the terminal, and without columns whose rows are all equal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from inspector.terminal.ink import Ink, Inked, Span, inked, joined, spans_of
from inspector.terminal.stdout import terminal_width
from inspector.terminal.text import cell_len, clean_line, crop, fit
from inspector.terminal.wrap import broken

GAP = "  "
_NOTHING = ("", "–")
_SLIVER = 4


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes:
        right: Align to the right, as for numbers.
        shrinks: Gives up width on a narrow terminal, down to `least` cells.
        wraps: Wraps long texts over several rows instead of cutting them.
        varies: Leave the column out if all rows say the same; that is then said once below the table.
        rank: If there is no room, columns are left out from the highest rank down; 0 always stays.
    """

    title: str
    right: bool = False
    shrinks: bool = False
    least: int = 12
    wraps: bool = False
    varies: bool = False
    rank: int = 0


def lines(
    columns: Sequence[Column], rows: Iterable[Sequence[str]], total: Sequence[str] | None = None
) -> list[str]:
    """A header, the rows and the totals, then which columns were left out and why.

    Rows have one text per column, coloured or untrusted; it is cleaned here. No line ends with blanks, or is
    wider than the terminal if stdout is one.
    """
    cells = [[_clean(cell) for cell in row] for row in rows]
    foot = [[_clean(cell) for cell in total]] if total is not None else []
    same = _same(columns, cells)
    room = terminal_width()
    varying = [index for index in range(len(columns)) if index not in same]
    kept, widths = _fitting(columns, [*cells, *foot], varying, room)
    shown = [columns[i] for i in kept]
    if room is not None:
        widths = _shrunk(shown, widths, room, _SLIVER)  # rather than cut off a number at the end
    found = _headings(shown, widths)
    for row in (*cells, *foot):
        found += _row_lines(shown, widths, [row[i] for i in kept])
    found = found if room is None else [_cropped(line, room) for line in found]
    return [*found, *_left_out(columns, same, [i for i in varying if i not in kept])]


def _fitting(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], kept: Sequence[int], room: int | None
) -> tuple[list[int], list[int]]:
    """The columns that fit, and their widths; the least important ones are dropped first."""
    kept = list(kept)
    while True:
        widths = _widths([columns[i] for i in kept], [[row[i] for i in kept] for row in rows], room)
        spare = [i for i in kept if columns[i].rank]
        if room is None or _whole(widths) <= room or not spare:
            return kept, widths
        kept.remove(max(spare, key=lambda i: columns[i].rank))


def _clean(cell: str) -> str:
    text, spans = clean_line(cell), spans_of(cell)
    return inked(text, spans[0].ink) if spans else text


def _same(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> dict[int, str]:
    """Columns whose rows are all equal, if there are at least two rows."""
    if len(cells) < 2:
        return {}
    return {
        index: cells[0][index]
        for index, column in enumerate(columns)
        if column.varies and len({row[index] for row in cells}) == 1
    }


def _left_out(columns: Sequence[Column], same: dict[int, str], hidden: Sequence[int]) -> Iterator[str]:
    same_values = " · ".join(
        f"{columns[i].title}: {text}" for i, text in same.items() if text not in _NOTHING
    )
    if same_values:
        yield inked(f"in every row: {same_values}", Ink.MUTED)
    if hidden:
        names = ", ".join(columns[i].title for i in hidden)
        yield inked(f"no room for: {names}", Ink.MUTED)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int | None) -> list[int]:
    """The width of each column; headings give way first, then the widest columns that shrink."""
    needed = [max((cell_len(row[i]) for row in rows), default=0) for i in range(len(columns))]
    widths = [max(cell_len(column.title), width) for column, width in zip(columns, needed, strict=True)]
    if room is None:
        return widths
    if _whole(widths) > room:
        words = [max(map(cell_len, column.title.split()), default=0) for column in columns]
        widths = [max(pair) for pair in zip(words, needed, strict=True)]
    return _shrunk(columns, widths, room)


def _shrunk(columns: Sequence[Column], widths: Sequence[int], room: int, limit: int = 80) -> list[int]:
    """The widths after shrinkable columns gave up the excess; each keeps `limit` cells or its `least`."""
    widths, excess = list(widths), _whole(widths) - room
    order = sorted((i for i, column in enumerate(columns) if column.shrinks), key=lambda i: -widths[i])
    for index in order:
        taken = max(0, min(excess, widths[index] - min(limit, columns[index].least)))
        widths[index] -= taken
        excess -= taken
    return widths


def _whole(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _headings(columns: Sequence[Column], widths: Sequence[int]) -> list[str]:
    bold = [replace(column, wraps=True) for column in columns]
    return _row_lines(bold, widths, [inked(column.title, Ink.STRONG) for column in columns], foot=True)


def _row_lines(
    columns: Sequence[Column], widths: Sequence[int], row: Sequence[str], *, foot: bool = False
) -> list[str]:
    """One row over as many lines as its tallest cell; with `foot` all cells end on the last line."""
    stacks = [_stack(cell, width, column) for column, width, cell in zip(columns, widths, row, strict=True)]
    height = max(map(len, stacks), default=1)
    stacks = [["", *[""] * (height - len(one) - 1), *one][-height:] if foot else one for one in stacks]
    return [
        _line(columns, widths, [one[at] if at < len(one) else "" for one in stacks]) for at in range(height)
    ]


def _stack(cell: str, width: int, column: Column) -> list[str]:
    if cell_len(cell) <= width:
        return [cell]
    tint = spans_of(cell)[0].ink if spans_of(cell) else None
    if not column.wraps:
        return [inked(elided(cell, width), tint)]
    return [inked(f"{cell[start:end]}", tint) for _, (start, end) in broken(str(cell), width, 0)]


def elided(text: str, width: int) -> str:
    """Cut a text that is too wide: between words if that loses little, otherwise anywhere."""
    if cell_len(text) <= width:
        return text
    cut = crop(text, width)
    head, blank, _ = cut.removesuffix("…").rpartition(" ")
    broke = not text[len(cut) - 1 :].startswith(" ")
    return f"{head.rstrip()}…" if blank and broke and cell_len(head) * 3 >= width * 2 else cut


def _line(columns: Sequence[Column], widths: Sequence[int], row: Sequence[str]) -> str:
    parts: list[str] = []
    for column, width, cell in zip(columns, widths, row, strict=True):
        padded = fit(str(cell), width, right=column.right)
        parts += (inked(padded, spans_of(cell)[0].ink) if spans_of(cell) else padded, GAP)
    return _stripped(joined(*parts))


def _stripped(line: str) -> str:
    """Remove trailing blanks, with their colour."""
    text = str(line).rstrip()
    return _within(line, text)


def _cropped(line: str, room: int) -> str:
    return line if cell_len(line) <= room else _within(line, crop(str(line), room))


def _within(line: str, text: str) -> str:
    spans = (Span(one.start, min(one.end, len(text)), one.ink) for one in spans_of(line))
    return Inked(text, tuple(span for span in spans if span.start < span.end))
