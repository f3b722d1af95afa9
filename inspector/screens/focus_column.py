"""One column of the focus lab: a topic, what its summary says, what it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.strip import Strip
from textual.widget import Widget

from inspector import format
from inspector.line import Line
from inspector.palette import Palette
from inspector.screens.focus_model import Section
from inspector.screens.preview_model import Comparison
from inspector.text import clean
from inspector.widgets.retention_strip import RetentionStrip, kept_share
from inspector.widgets.text_pane import TextPane
from inspector.widgets.text_wrap import wrap


class ColumnHead(Widget):
    """Three lines: topic, size and survival, share of the summary by topic."""

    DEFAULT_CSS = "ColumnHead { height: 3; background: $surface; }"

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
        """One of the three lines."""
        palette = Palette.of(self.app)
        lines = (self._title, self._figures, self._by_topic)
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
        tokens = format.short(self._shown.after_tokens)
        words = f"survives {format.percent(kept.score if kept else None)} · {tokens} tokens after"
        if kept is not None and kept.focus is not None:
            words = f"focus {format.percent(kept_share(kept.focus))} · {words}"
        return Line().gap().add(words, palette.style("ink"), most=self.size.width - 2)

    def _by_topic(self, palette: Palette) -> Line:
        words = " · ".join(f"on “{topic}” {format.percent(share)}" for topic, share in self._shares)
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
            lambda width, palette: list(column_lines(found, self._place, width, palette)), keep_place=True
        )


def column_lines(found: Sequence[Section], place: int, width: int, palette: Palette) -> Iterator[Line]:
    """The lines of one column; every section begins on the same line in all of them."""
    ink, heading = palette.style("ink"), palette.style("role-summary", bold=True)
    for section in found:
        yield Line().gap().add(section.heading, heading, most=width - 1)
        wrapped = [list(wrap(clean(text), max(1, width - 2))) if text else [] for text in section.texts]
        lines = wrapped[place] or ["–"]
        yield from (Line().gap().preformatted(line, ink) for line in lines)
        tallest = max(len(other or ["–"]) for other in wrapped)
        yield from (Line() for _ in range(tallest - len(lines) + 1))
