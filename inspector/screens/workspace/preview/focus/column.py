"""One column of the focus lab: a topic, what its summary says, what it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.strip import Strip
from textual.widget import Widget

from core.preview.comparison import Comparison
from inspector.screens.workspace.preview.focus.model import Section
from inspector.terminal import formatting as format
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.terminal.text import cell_len, clean, clean_line, crop
from inspector.widgets.charts.retention_strip import RetentionStrip, kept_share
from inspector.widgets.panes.text_pane import Lines, TextPane
from inspector.widgets.panes.text_wrap import wrap

Piece: TypeAlias = tuple[str, bool]
"""A line of text, and whether it opens a section."""
SHORT_TOPIC = 9
"""Cells of a topic where its share has no room for all of it."""


class ColumnHead(Widget):
    """Four lines: topic, survival, size, share of the summary by topic."""

    DEFAULT_CSS = "ColumnHead { height: 4; background: $surface; }"

    def __init__(self, topic: str | None) -> None:
        super().__init__()
        self._topic = topic
        self._shown: Comparison | None = None
        self._shares: tuple[tuple[str, float | None], ...] = ()

    def show(self, comparison: Comparison, shares: tuple[tuple[str, float | None], ...]) -> None:
        """Show what came of the topic."""
        self._shown, self._shares = comparison, shares
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One of the four lines."""
        palette = Palette.of(self.app)
        lines = (self._title, self._figures, self._tokens, self._by_topic)
        return lines[y](palette).strip(self.size.width, self.rich_style)

    def _title(self, palette: Palette) -> Line:
        if self._topic is None:
            return Line().gap().add("no focus", palette.style("ink-muted", bold=True))
        line = Line().gap().add("focus ", palette.style("ink-muted"))
        return line.add(self._topic, palette.style("match", bold=True), most=self.size.width - 8)

    def _figures(self, palette: Palette) -> Line:
        if self._shown is None:
            return Line().gap().add("being made …", palette.style("ink-faint"))
        kept = self._shown.retention
        words = f"survives {format.percent(kept.score if kept else None)}"
        line = Line().gap().add(words, palette.style("ink", bold=True))
        if kept is not None and kept.focus is not None:
            words = f" · focus {format.percent(kept_share(kept.focus))}"
            line.add(words, palette.style("match"), most=self.size.width - line.width - 1)
        return line

    def _tokens(self, palette: Palette) -> Line:
        if self._shown is None:
            return Line()
        words = f"{format.short(self._shown.after_tokens, mark=format.ESTIMATE)} tokens after"
        return Line().gap().add(words, palette.style("ink-muted"), most=self.size.width - 2)

    def _by_topic(self, palette: Palette) -> Line:
        """Shares of the summary; where they do not fit, each with the beginning of its topic."""
        shares = [(clean_line(topic), format.percent(share)) for topic, share in self._shares]
        words = "  ".join(f"on “{topic}” {share}" for topic, share in shares)
        if cell_len(words) > self.size.width - 2:
            words = "  ".join(f"{crop(topic, SHORT_TOPIC)} {share}" for topic, share in shares)
        return Line().gap().add(words, palette.style("ink-muted"), most=self.size.width - 2)


class FocusColumn(Vertical):
    """Head, sections, survival."""

    DEFAULT_CSS = """
    FocusColumn { width: 1fr; border-right: solid $rule; }
    FocusColumn TextPane { border-top: solid $rule; }
    """

    def __init__(self, place: int, topic: str | None) -> None:
        super().__init__()
        self._place = place
        self._topic = topic

    def compose(self) -> ComposeResult:
        """Head, sections, survival."""
        yield ColumnHead(self._topic)
        yield TextPane()
        yield RetentionStrip()

    @property
    def pane(self) -> TextPane:
        """The sections."""
        return self.query_one(TextPane)

    def show(self, comparison: Comparison, shares: tuple[tuple[str, float | None], ...]) -> None:
        """Show what came of the topic."""
        self.query_one(ColumnHead).show(comparison, shares)
        self.query_one(RetentionStrip).show(comparison.retention, None)

    def align(self, found: Sequence[Section]) -> None:
        """Show the sections, as tall as the tallest column makes them."""
        self.pane.show(
            lambda width, palette: column_lines(found, self._place, width, palette), keep_place=True
        )


def column_lines(found: Sequence[Section], place: int, width: int, palette: Palette) -> Lines[Piece]:
    """The lines of one column; every section begins on the same line in all of them."""
    ink, heading = palette.style("ink"), palette.style("role-summary", bold=True)

    def line(piece: Piece) -> Line:
        text, opens = piece
        made = Line().gap()
        return made.add(text, heading, most=width - 1) if opens else made.preformatted(text, ink)

    return Lines(list(_pieces(found, place, max(1, width - 2))), line)


def _pieces(found: Sequence[Section], place: int, width: int) -> Iterator[Piece]:
    for section in found:
        yield section.heading, True
        wrapped = [_wrapped(text, width) for text in section.texts]
        yield from ((text, False) for text in wrapped[place])
        yield from (("", False) for _ in range(max(map(len, wrapped)) - len(wrapped[place]) + 1))


@lru_cache(maxsize=256)
def _wrapped(text: str, width: int) -> tuple[str, ...]:
    """Kept: each column asks for all of them, to know which is the tallest."""
    return tuple(wrap(clean(text), width)) if text else ("–",)
