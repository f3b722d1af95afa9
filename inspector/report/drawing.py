"""What the charts of a report are drawn with: a plane of values, its axes, columns, lines and words, as SVG.

A drawing names no colour: its classes (`cache-read`, `limit`, ...) get theirs from the style of the page, so
that it is right in the light, in the dark and on paper.
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
    """Where values lie: `places` columns from left to right, values from 0 to `most` upwards."""

    places: int
    most: float

    @property
    def column(self) -> float:
        """How wide one place is, in units of the drawing."""
        return (WIDTH - LEFT - RIGHT) / max(1, self.places)

    def x(self, place: float) -> float:
        """The left edge of a place."""
        return LEFT + place * self.column

    def y(self, value: float) -> float:
        """The height of a value, counted from the top."""
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self.most


def plane(places: int, values: Iterable[int]) -> Plane:
    """A plane that holds all values below a round number."""
    most = max((*values, 1))
    unit = 10 ** (len(str(most)) - 1)
    return Plane(places, next(step * unit for step in _STEPS if step * unit >= most))


def scale(on: Plane) -> list[str]:
    """Three levels with their tokens on the left."""
    parts = []
    for value in (0, on.most / 2, on.most):
        parts.append(f'<path class="rule" d="M{LEFT} {on.y(value):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(words(LEFT - 6, on.y(value) + 4, short(round(value)), anchor="end"))
    return parts


def columns(name: str, on: Plane, spans: Sequence[tuple[int, int, int]]) -> str:
    """One path of upright strokes, each (place, from, to) in values."""
    strokes = "".join(
        f"M{on.x(place) + on.column / 2:.1f} {on.y(low):.1f}V{on.y(high):.1f}" for place, low, high in spans
    )
    width = max(0.5, on.column * 0.82)
    return f'<path class="bar {name}" stroke-width="{width:.2f}" d="{strokes}"/>'


def words(x: float, y: float, text: str, *, name: str = "", anchor: str = "start") -> str:
    """A word beside something."""
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{for_html(text)}</text>'


def legend(names: Iterable[tuple[str, str]]) -> list[str]:
    """A square and a word for each (class, word), in one line on top."""
    parts, x = [], float(LEFT)
    for name, text in names:
        parts.append(f'<path class="key {name}" stroke-width="10" d="M{x + 5:.0f} 4V14"/>')
        parts.append(words(x + 15, 13, text))
        x += 30 + 6.6 * len(text)
    return parts


def ends(first: str, last: str) -> list[str]:
    """What stands at both ends below."""
    low = HEIGHT - 6
    return [words(LEFT, low, first), words(WIDTH - RIGHT, low, last, anchor="end")]


def svg(title: str, parts: Iterable[str], height: int = HEIGHT) -> str:
    """The whole drawing; a screen reader says its title."""
    body = "".join(parts)
    label = for_html(title)
    head = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">'
    return f"{head}<title>{label}</title>{body}</svg>"
