"""Labelled facts and paragraphs as lines for a pane."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.model.evidence import Evidence
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.terminal.text import clean
from inspector.widgets.panes.text_wrap import wrap

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


def headline(
    text: str, badge: str, width: int, ink: Palette, *, badge_token: str = "ink-muted"
) -> Iterator[Line]:
    """What a card says first, in bold, with a badge at the right end of its first line."""
    room = max(1, width - len(badge) - 2)
    for place, line in enumerate(wrap(clean(text), room)):
        found = Line().preformatted(line, ink.style("ink", bold=True))
        if not place:
            found.to(width - len(badge)).add(badge, ink.style(badge_token))
        yield found


def evidence_lines(evidence: Iterable[Evidence], width: int, ink: Palette) -> Iterator[Line]:
    """What a claim rests on: where it stands, and what it says there."""
    for place, piece in enumerate(evidence):
        label = "" if place else "evidence"
        yield from field(label, f"{piece.source} {piece.where}", width, ink, "ink-muted")
        yield from field("", piece.text, width, ink)
