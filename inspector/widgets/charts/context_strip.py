"""The context strip: a whole request on one line, every message as wide as its tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.style import Style
from textual.events import Click
from textual.message import Message as Event
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from core.model.compaction.plan import Part, Plan, Span
from core.support.formatting import ESTIMATE, round_number, short
from inspector.terminal import glyphs
from inspector.terminal.line import Line, Palette
from inspector.widgets.charts.context_strip_layout import StripLayout, strip_layout

INK = {
    Part.OUTSIDE: "part-outside", Part.HEAD: "part-head", Part.MIDDLE: "part-middle", Part.TAIL: "part-tail",
}  # fmt: skip
"""The theme token of each part with content; free space is drawn faint."""

FILL = {
    Part.OUTSIDE: "░", Part.HEAD: "█", Part.MIDDLE: "▒", Part.TAIL: "▄", Part.ROOM: "·", Part.MARGIN: " ",
}  # fmt: skip
"""A texture for each part, so that the strip is readable without colour."""

CURSOR, BARE_CURSOR = "█", "╳"
"""The glyph of the message under the cursor; without colour, one that is none of the textures."""
MARGIN = 1
"""Blank cells on both sides of the strip."""


class ContextStrip(Widget):
    """A plan as one line of cells and one line of legend.

    A click on a cell asks for the message under it.
    """

    DEFAULT_CSS = """
    ContextStrip { height: 2; width: 1fr; }
    """

    cursor: reactive[int | None] = reactive(None)

    @dataclass
    class Chosen(Event):
        """The user clicked a message on the strip."""

        index: int

    _plan: Plan | None = None
    _layout: StripLayout | None = None

    def show(self, plan: Plan | None) -> None:
        """Draw another plan; None draws an empty line while the messages are being measured."""
        self._plan, self._layout = plan, None
        self.refresh()

    def on_click(self, event: Click) -> None:
        """Announce the message under the mouse."""
        layout = self._laid_out()
        found = None if layout is None or event.y else layout.message_at(event.x - MARGIN)
        if found is not None:
            self.post_message(self.Chosen(found))

    def render_line(self, y: int) -> Strip:
        """Draw the strip (line 0) or its legend (line 1)."""
        palette, layout = Palette.of(self.app), self._laid_out()
        if layout is None or self._plan is None:
            blank = "·" * max(0, self.size.width - 2 * MARGIN) if y == 0 else ""
            return (
                Line().gap(MARGIN).add(blank, palette.style("rule")).strip(self.size.width, self.rich_style)
            )
        if y == 0:
            glyph = BARE_CURSOR if self.app.no_color else CURSOR
            line = draw_cells(layout, palette, self.cursor, glyph)
        else:
            line = legend(self._plan, layout, palette)
        return line.strip(self.size.width, self.rich_style)

    def _laid_out(self) -> StripLayout | None:
        width = max(0, self.size.width - 2 * MARGIN)  # the strip may be drawn before its resize event
        if self._plan is not None and (self._layout is None or self._layout.width != width):
            self._layout = strip_layout(self._plan, width)
        return self._layout


def draw_cells(layout: StripLayout, palette: Palette, cursor: int | None, cursor_glyph: str = CURSOR) -> Line:
    """The strip itself; runs of equal cells become one piece of text."""
    here = range(0) if cursor is None else layout.cells_of(cursor)
    line, run, shaded = Line().gap(MARGIN), "", False
    style: Style | None = None
    before: int | None = None
    for cell in range(layout.width):
        owner = layout.message_at(cell)
        # Every other message is dimmer, if messages are wide enough to be told apart.
        wide = owner is not None and len(layout.cells_of(owner)) > 1
        shaded, before = wide and shaded != (owner != before), owner
        marked = cursor_glyph if cell in here else ""
        glyph, ink = _cell(layout, palette, cell, marked=marked, shaded=shaded)
        if ink != style and run:
            line.add(run, style)
            run = ""
        run, style = run + glyph, ink
    return line.add(run, style)


def _cell(
    layout: StripLayout, palette: Palette, cell: int, *, marked: str, shaded: bool
) -> tuple[str, Style]:
    part = layout.part(cell)
    if cell == layout.threshold:
        return glyphs.THRESHOLD, palette.style("threshold", bold=True)
    if cell == layout.window_end:
        return "┃", palette.style("severity-critical", bold=True)
    if marked:
        return marked, palette.style("ink", bold=True)
    return FILL[part], palette.style(INK.get(part, "ink-faint")) + Style(dim=shaded or None)


def legend(plan: Plan, layout: StripLayout, palette: Palette) -> Line:
    """The size of each part, as detailed as fits, with the threshold labelled under its tick."""
    for leave_out in range(3):
        line = _legend(plan, layout, palette, leave_out)
        if line.width <= layout.width + MARGIN:
            break
    return _threshold_label(line, plan, layout, palette)


def _legend(plan: Plan, layout: StripLayout, palette: Palette, leave_out: int) -> Line:
    """The legend: complete (0), with short words (1), or also without message counts (2)."""
    line = Line().gap(MARGIN)
    for part, words in _legend_parts(plan, layout, leave_out):
        ink = palette.style(INK.get(part, "ink-muted"))
        line.gap(0 if line.width == MARGIN else 2 if leave_out else 3).add(FILL[part], ink)
        line.gap().add(words, ink)
    return line


def _legend_parts(plan: Plan, layout: StripLayout, leave_out: int) -> Iterable[tuple[Part, str]]:
    if outside := max(0, plan.compared_tokens - layout.offsets[-1]):
        yield Part.OUTSIDE, f"{'fixed' if leave_out else 'system and tools'} {short(outside, mark=ESTIMATE)}"
    for part, span in ((Part.HEAD, plan.head), (Part.MIDDLE, plan.middle), (Part.TAIL, plan.tail)):
        after = ""
        if part is Part.MIDDLE and plan.summary_budget is not None:
            mark = ESTIMATE if plan.may_shorten else "up to "
            after = f" → {short(plan.summary_budget, mark=mark)}"
        count = f" {span.size:,} ·" if leave_out < 2 else ""
        yield part, f"{part}{count} {short(_tokens(layout, span))}{after}"


def _tokens(layout: StripLayout, span: Span) -> int:
    return layout.offsets[span.end] - layout.offsets[span.start]


def _threshold_label(line: Line, plan: Plan, layout: StripLayout, palette: Palette) -> Line:
    """Add the threshold's label to the right of its tick, else to the left, else not at all."""
    if layout.threshold is None:
        return line
    words, column = f"threshold {round_number(plan.threshold_tokens)}", MARGIN + layout.threshold
    text = f"{glyphs.THRESHOLD} {words}"
    if column + len(text) > layout.width + MARGIN:
        text, column = f"{words} {glyphs.THRESHOLD}", column - len(words) - 1
    return line.to(column).add(text, palette.style("threshold")) if column > line.width else line
