"""One column of the focus lab: a topic, its summary, and what the summary keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from core.preview.comparison import Comparison
from core.support import formatting as fmt
from inspector.screens.workspace.preview.focus.model import LOST, Section
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import clean, clean_line, wrap
from inspector.widgets.charts.retention import RetentionStrip
from inspector.widgets.panes.text_pane import Lines, TextPane

Piece: TypeAlias = tuple[str, bool]
"""A line of text, and whether it is a section heading."""
ROOMY = 34
"""Width of a column from which its figures have full labels."""


class ColumnHead(Widget):
    """The head of a column: topic, facts kept of each topic and overall, size after."""

    DEFAULT_CSS = "ColumnHead { height: auto; background: $surface; }"

    def __init__(self, number: int, topic: str | None, topics: Sequence[str]) -> None:
        super().__init__()
        self._number = number
        self._topic = topic
        self._topics = tuple(topics)
        self._shown: Comparison | None = None
        self._waiting = "writing …"
        self._counts: tuple[tuple[int, int] | None, ...] = ()

    def show(self, comparison: Comparison, counts: Sequence[tuple[int, int] | None]) -> None:
        """Show the result for the topic; `counts` are the facts kept of each topic, None if not known yet."""
        self._shown, self._counts = comparison, tuple(counts)
        self.refresh(layout=True)

    def give_up(self) -> None:
        """Show that no summary was made."""
        self._waiting = "not made"
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A line for the title, for each topic, for all facts and for the size."""
        return 3 + len(self._topics)

    def render_line(self, y: int) -> Strip:
        """Draw one of the lines."""
        ink = Palette.of(self.app)
        lines = [self._title(ink), *self._figures(ink)]
        return (lines[y] if y < len(lines) else Line()).strip(self.size.width, self.rich_style)

    def _title(self, palette: Palette) -> Line:
        line = Line().gap().add(f"{self._number} ", palette.style("ink-muted"))
        if self._topic is None:
            return line.add("no focus", palette.style("ink-muted", bold=True))
        line.add("focus ", palette.style("ink-muted"))
        return line.add(
            self._topic, palette.style("match", bold=True), most=max(0, self.size.width - line.width - 1)
        )

    def _figures(self, palette: Palette) -> Iterator[Line]:
        shown = self._shown
        if shown is None:
            yield Line().gap().add(self._waiting, palette.style("ink-faint"))
            return
        for topic, count in zip(self._topics, self._counts, strict=False):
            if count is None:
                yield Line().gap().add("counting …", palette.style("ink-faint"))
                continue
            kept, of = count
            token = "ink-muted" if not of else "severity-ok" if kept == of else "severity-warning"
            figures = f"{kept:,} of {of:,} " if of else "no "
            line = Line().gap().add(figures, palette.style(token, bold=topic == self._topic))
            about = f"“{clean_line(topic)}”"
            words = f"facts of {about}" if self.size.width >= ROOMY else about
            yield line.add(words, palette.style("ink-muted"), most=max(0, self.size.width - line.width - 1))
        facts = shown.retention.facts if shown.retention else ()
        kept = sum(fact.fate != LOST for fact in facts)
        roomy = self.size.width >= ROOMY
        words = f"{kept:,} of {len(facts):,} {'facts in total' if roomy else 'in total'}"
        yield Line().gap().add(words, palette.style("ink"), most=max(0, self.size.width - 2))
        words = f"{fmt.short(shown.after_tokens, mark=fmt.ESTIMATE)} {'tokens after' if roomy else 'after'}"
        yield Line().gap().add(words, palette.style("ink-muted"), most=max(0, self.size.width - 2))


class FocusColumn(Vertical):
    """A column: head, sections, facts kept."""

    DEFAULT_CSS = """
    FocusColumn { width: 1fr; border-right: solid $rule; }
    FocusColumn:last-of-type { border-right: none; }
    FocusColumn TextPane { border-top: solid $rule; }
    """

    def __init__(self, place: int, topic: str | None, topics: Sequence[str]) -> None:
        super().__init__()
        self._place = place
        self._head = ColumnHead(place + 1, topic, topics)

    def compose(self) -> ComposeResult:
        """Head, sections, facts kept."""
        yield self._head
        yield TextPane()
        yield RetentionStrip()

    @property
    def pane(self) -> TextPane:
        """The pane with the sections."""
        return self.query_one(TextPane)

    def show(self, comparison: Comparison, counts: Sequence[tuple[int, int] | None]) -> None:
        """Show the result for the topic; `counts` are the facts kept of each topic, None if not known yet."""
        self._head.show(comparison, counts)
        self.query_one(RetentionStrip).show(comparison.retention)

    def give_up(self) -> None:
        """Show that no summary was made."""
        self._head.give_up()

    def align(self, found: Sequence[Section]) -> None:
        """Show the sections, each padded to its height in the tallest column."""
        self.pane.show(
            lambda width, palette: column_lines(found, self._place, width, palette), keep_place=True
        )


def column_lines(found: Sequence[Section], place: int, width: int, palette: Palette) -> Lines[Piece]:
    """The lines of one column; each section begins on the same line in all columns."""
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
    """Wrap a text; cached, because each column wraps the texts of all to find the tallest."""
    return tuple(wrap(clean(text), width)) if text else ("–",)
