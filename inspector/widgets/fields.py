"""Labelled facts and paragraphs as lines for a pane."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.line import Line
from inspector.palette import Palette
from inspector.text import clean
from inspector.widgets.text_wrap import wrap

LABEL = 10
"""Cells of the label column."""


def field(label: str, text: str, width: int, ink: Palette, token: str = "ink") -> Iterator[Line]:
    """A label and its text, wrapped beside it."""
    style = ink.style(token)
    for place, line in enumerate(wrap(clean(text), max(1, width - LABEL))):
        yield Line().cell("" if place else label, LABEL, ink.style("ink-muted")).preformatted(line, style)


def paragraph(
    text: str, width: int, ink: Palette, token: str = "ink", *, bold: bool = False
) -> Iterator[Line]:
    """Running text over the whole width."""
    for line in wrap(clean(text), max(1, width)):
        yield Line().preformatted(line, ink.style(token, bold=bold))
