"""The answer of a screen: one sentence coloured by how bad it is, and below it what helps."""

from __future__ import annotations

from collections.abc import Iterator

from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from core.model.finding import NO_HEADLINE, Headline, Severity
from inspector.terminal.glyphs import SEVERITY
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.terminal.text import clean, wrap

_WELL = "●"
_MOST_LINES = 3
"""Of the sentence, and of what helps; a terminal of 60 cells needs three for the longest."""
_TOKEN = {
    None: "severity-ok",
    Severity.INFO: "severity-info",
    Severity.WARNING: "severity-warning",
    Severity.CRITICAL: "severity-critical",
}


class AnswerBar(Widget):
    """A sign and a sentence; what helps on lines of its own. As high as the words need at its width."""

    DEFAULT_CSS = "AnswerBar { height: auto; min-height: 1; }"

    answer: reactive[Headline] = reactive(NO_HEADLINE)
    waiting: reactive[str] = reactive("")
    """Said in place of an answer that is not known yet."""

    def __init__(self, waiting: str = "") -> None:
        super().__init__()
        self.waiting = waiting

    def watch_answer(self) -> None:
        """Other words: the screen is laid out anew where they take more lines, or fewer."""
        if self.display and max(1, len(self._texts(self.size.width))) != self.size.height:
            self.refresh(layout=True)

    watch_waiting = watch_answer

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines the words take."""
        return max(1, len(self._texts(width)))

    def render_line(self, y: int) -> Strip:
        """One line of the answer."""
        ink = Palette.of(self.app)
        lines = list(self._lines(self.size.width, ink))
        return (lines[y] if y < len(lines) else Line()).strip(self.size.width, self.rich_style)

    @property
    def text(self) -> str:
        """Sentence and remedy, for the clipboard."""
        found = self.answer
        return f"{found.sentence}\n{found.helps}" if found.remedy else found.sentence

    def _texts(self, width: int) -> list[tuple[bool, str]]:
        """The lines, each with whether it belongs to the remedy."""
        room = max(10, width - 4)
        if not self.answer.sentence:
            return [(False, self.waiting)]
        said = list(wrap(clean(self.answer.sentence), room))[:_MOST_LINES]
        helps = list(wrap(clean(self.answer.helps), room))[:_MOST_LINES] if self.answer.remedy else []
        return [*((False, line) for line in said), *((True, line) for line in helps)]

    def _lines(self, width: int, ink: Palette) -> Iterator[Line]:
        severity = self.answer.severity
        sign = SEVERITY[severity] if severity is not None else _WELL
        for place, (helps, text) in enumerate(self._texts(width)):
            first = place == 0 and bool(self.answer.sentence)
            line = Line().gap(1).cell(sign if first else "", 2, ink.style(_TOKEN[severity], bold=True))
            if not self.answer.sentence:
                yield line.preformatted(text, ink.style("ink-muted"))
            elif helps:
                yield line.preformatted(text, ink.style("ink"))
            else:
                token = _TOKEN[severity] if severity in (Severity.WARNING, Severity.CRITICAL) else "ink"
                yield line.preformatted(text, ink.style(token, bold=True))
