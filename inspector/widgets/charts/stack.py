"""Stacked columns in block characters: what each cell shows. Pure functions except for styles."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import floor, log10

from rich.style import Style

from inspector.terminal.glyphs import LEVELS
from inspector.terminal.line import Palette

EIGHTHS = 8
"""Levels of a cell."""
MIN_DISTANCE, MARKS = 2, 5
"""Rows between two numbers of a scale, and how many numbers a high chart has at most."""
UNSEEN, MOST_FREE = 0.25, 0.1
"""Shares: of a distance by which another may differ unseen, and of a chart's height left free above it."""
MOST_OFF = 0.35
"""Share of their distance by which two numbers may stand nearer to each other than they are, or farther."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of every column.

    Attributes:
        name: Its name in the legend.
        token: Its colour token.
        texture: What fills it without colour.
        values: Its height in each column, 0 or more.
    """

    name: str
    token: str
    texture: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows: a block in one layer's colour, on another layer's colour where two layers meet.

    Attributes:
        level: Eighths that the block fills, 0 to 8.
        layer: The layer that colours it.
        above: The layer behind it; None for the background.
    """

    level: int
    layer: int = 0
    above: int | None = None


def ends_of(parts: Sequence[float], top: float, rows: int) -> tuple[int, ...]:
    """Where each layer of a column ends, in eighths of a cell from the bottom; the last is its height."""
    cells = rows * EIGHTHS
    return tuple(min(cells, max(0, round(sum_ / top * cells))) for sum_ in accumulate(parts))


def round_marks(top: float, rows: int, used: Mapping[int, float] | None = None) -> Mapping[int, float]:
    """Round values for the scale of a chart up to `top`, each by the row whose upper edge is nearest to it.

    Rows in `used` have a number of their own, which leaves no room beside it, nor for one that would seem
    nearer to it or farther from it than it is.
    """
    found: Mapping[int, float] = {}
    own = [(row, value / top * rows) for row, value in (used or {}).items()]
    for step in _steps(top, rows):
        marks = (step * count for count in range(1, int(top / step) + 1))
        places = {round(mark / top * rows) - 1: mark for mark in marks}
        kept = {row: mark for row, mark in places.items() if _has_room(row, mark / top * rows, own)}
        if kept and _are_even([row for row in places if row <= max(kept)]):
            return kept
        found = found or dict([max(kept.items())] if kept else ())
    return found


def even_top(top: float, rows: int) -> float:
    """The top of a chart as high as `top`: a little more where round numbers are then whole rows apart."""
    tops = (step * rows / int(step / top * rows) for step in _steps(top, rows) if int(step / top * rows))
    return next((one for one in tops if top <= one <= top * (1 + MOST_FREE)), top)


def _steps(top: float, rows: int) -> Iterator[float]:
    """Distances of round numbers that leave rows between them, the smallest first."""
    least = top * max(MIN_DISTANCE, rows // MARKS) / max(1, rows)
    power = 10.0 ** floor(log10(least))
    while power <= top:
        yield from (power * times for times in (1, 2, 5) if least <= power * times <= top)
        power *= 10


def _has_room(row: int, place: float, own: Iterable[tuple[int, float]]) -> bool:
    """Whether a number is far enough from the others, and about as far in rows as in truth."""
    apart = ((row - other, place - there) for other, there in own)
    return all(abs(rows) > 1 and abs(rows - truly) <= MOST_OFF * abs(rows) for rows, truly in apart)


def _are_even(rows: Sequence[int]) -> bool:
    """Whether numbers stand so evenly above zero that nobody sees that each has the row nearest to it."""
    gaps = [row - below for below, row in zip((-1, *rows), rows, strict=False)]
    return max(gaps) - min(gaps) <= max(gaps) * UNSEEN


def cell_of(ends: Sequence[int], row: int) -> Cell:
    """The cell of a column in a row counted from the bottom; of more than two layers, the two widest show."""
    low, high = row * EIGHTHS, (row + 1) * EIGHTHS
    place = bisect_right(ends, low)
    if place == len(ends):
        return Cell(0)
    if ends[place] >= high:
        return Cell(EIGHTHS, place)
    spans = [
        (min(end, high) - max(start, low), place, min(end, high) - low)
        for place, (start, end) in enumerate(zip((0, *ends), ends, strict=False))
        if min(end, high) > max(start, low)
    ]
    filled = spans[-1][2]
    if filled < EIGHTHS or len(spans) == 1:
        return Cell(filled, max(spans)[1])
    lower, upper = sorted(sorted(spans)[-2:], key=lambda span: span[1])
    return Cell(lower[2], lower[1], upper[1])


def drawn(cell: Cell, layers: Sequence[Layer], ink: Palette, *, plain: bool = False) -> tuple[str, Style]:
    """The glyph and style of a cell; `plain` uses textures instead of colours."""
    if not cell.level:
        return " ", Style.null()
    layer = layers[cell.layer]
    if cell.above is None:
        sign = layer.texture if plain and cell.level == EIGHTHS else LEVELS[cell.level]
        return sign, ink.style("ink" if plain else layer.token)
    if plain:
        return layers[_seen(cell, plain=True)[0]].texture, ink.style("ink")
    return LEVELS[cell.level], ink.style(layer.token, on=layers[cell.above].token)


def legend(
    layers: Sequence[Layer], columns: Sequence[Sequence[int]], *, plain: bool = False
) -> tuple[tuple[str, str], ...]:
    """Token, sign and name of each layer that some cell of the columns shows; see `ends_of`."""
    return tuple(
        (one.token, f"{one.texture if plain else '■'} {one.name}")
        for place, one in enumerate(layers)
        if one.name and any(_shows(ends, place, plain=plain) for ends in columns)
    )


def _shows(ends: Sequence[int], place: int, *, plain: bool) -> bool:
    """Whether a column has a cell that shows the layer: with textures, a thin one may have none."""
    rows = range((ends[place - 1] if place else 0) // EIGHTHS, -(-ends[place] // EIGHTHS))
    return any(place in _seen(cell_of(ends, row), plain=plain) for row in rows)


def _seen(cell: Cell, *, plain: bool) -> tuple[int, ...]:
    """The layers that the glyph of a cell shows."""
    if not plain:
        return (cell.layer,) if cell.above is None else (cell.layer, cell.above)
    if cell.above is None:
        return (cell.layer,) if cell.level == EIGHTHS else ()
    return (cell.above if cell.level < EIGHTHS // 2 else cell.layer,)


def prompt_layers(calls: Iterable[tuple[int, int | None, int | None]]) -> tuple[Layer, ...]:
    """Layers of each prompt: read from the cache, written to it, new, or unknown where not recorded."""
    columns: tuple[list[int], ...] = ([], [], [], [])
    for call in calls:  # one by one: a followed session has thousands of calls
        for column, part in zip(columns, _parts(*call), strict=True):
            column.append(part)
    read, wrote, fresh, unknown = map(tuple, columns)
    layers = (
        Layer("from the cache", "bucket-read", "█", read),
        Layer("written to it", "bucket-write", "▓", wrote),
        Layer("new", "bucket-fresh", "▒", fresh),
        Layer("not told apart", "ink-faint", "░", unknown),
    )
    return layers if any(read) or any(wrote) else ()


def _parts(prompt: int, read: int | None, wrote: int | None) -> tuple[int, int, int, int]:
    if read is None:
        return 0, 0, 0, prompt
    read = min(read, prompt)
    written = min(wrote or 0, prompt - read)
    return read, written, prompt - read - written, 0
