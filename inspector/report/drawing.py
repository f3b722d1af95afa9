"""Draws the charts of a report as SVG: a plane of values, axes, columns, lines and labels.

A drawing names no colours. The page's style sheet colours its classes (`cache-read`, `limit`, ...), so that
it looks right in light mode, in dark mode and on paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.support.formatting import short
from inspector.report.blocks import for_html

WIDTH, HEIGHT = 760, 200
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 26, 24
_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class Plane:
    """Maps values to positions: `places` columns from left to right, values from 0 up to `most`."""

    places: int
    most: float

    @property
    def column(self) -> float:
        """The width of one place, in units of the drawing."""
        return (WIDTH - LEFT - RIGHT) / max(1, self.places)

    def x(self, place: float) -> float:
        """The left edge of a place."""
        return LEFT + place * self.column

    def y(self, value: float) -> float:
        """The vertical position of a value, measured from the top."""
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self.most


def plane(places: int, values: Iterable[int]) -> Plane:
    """A plane from 0 to the first round number that no value exceeds."""
    most = max((*values, 1))
    unit = 10 ** (len(str(most)) - 1)
    return Plane(places, next(step * unit for step in _STEPS if step * unit >= most))


def scale(on: Plane) -> list[str]:
    """Three horizontal lines, with their token counts on the left."""
    parts = []
    for value in (0, on.most / 2, on.most):
        parts.append(f'<path class="rule" d="M{LEFT} {on.y(value):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(words(LEFT - 6, on.y(value) + 4, short(round(value)), anchor="end"))
    return parts


def columns(name: str, on: Plane, spans: Sequence[tuple[int, int, int]]) -> str:
    """One path of vertical strokes, each (place, from, to) in values."""
    strokes = "".join(
        f"M{on.x(place) + on.column / 2:.1f} {on.y(low):.1f}V{on.y(high):.1f}" for place, low, high in spans
    )
    width = max(0.5, on.column * 0.82)
    return f'<path class="bar {name}" stroke-width="{width:.2f}" d="{strokes}"/>'


def words(x: float, y: float, text: str, *, name: str = "", anchor: str = "start") -> str:
    """A text label."""
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{for_html(text)}</text>'


def legend(names: Iterable[tuple[str, str]]) -> list[str]:
    """A legend in one line at the top: a coloured square and a word for each (class, word)."""
    parts, x = [], float(LEFT)
    for name, text in names:
        parts.append(f'<path class="key {name}" stroke-width="10" d="M{x + 5:.0f} 4V14"/>')
        parts.append(words(x + 15, 13, text))
        x += 30 + 6.6 * len(text)
    return parts


def ends(first: str, last: str) -> list[str]:
    """Labels below both ends of the horizontal axis."""
    low = HEIGHT - 6
    return [words(LEFT, low, first), words(WIDTH - RIGHT, low, last, anchor="end")]


def svg(title: str, parts: Iterable[str], height: int = HEIGHT) -> str:
    """The complete drawing; screen readers read out its title."""
    body = "".join(parts)
    label = for_html(title)
    head = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">'
    return f"{head}<title>{label}</title>{body}</svg>"
