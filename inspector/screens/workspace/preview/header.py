"""The top of the preview: the answer, how much is kept, how it was made, what Hermes would print."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from rich.style import Style
from textual import getters
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from core.model.finding import NO_HEADLINE, Headline
from core.preview.comparison import Comparison
from core.preview.words import LEAST_SAVED
from core.support import formatting as fmt
from inspector.base.commands import hint
from inspector.base.live import OUTDATED
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import cell_len, clean, wrap
from inspector.widgets.bars.answer_and_keys import AnswerBar, measure_again
from inspector.widgets.charts.retention import WeightBar

MAX_WORDS = 2
"""Most lines of Hermes' words, and of notes."""
MIN_CUT = 20
"""A piece that does not fit is cut if this many of its cells remain, otherwise left out."""
ROOMY = 60
"""From this width on there is room for the sizes, which the answer states too."""


class PreviewHeader(Vertical):
    """The result of a comparison, or what is being waited for."""

    DEFAULT_CSS = """
    PreviewHeader { height: auto; }
    PreviewHeader #made { height: auto; }
    PreviewHeader.-waiting #made, PreviewHeader.-waiting SpokenLines { display: none; }
    """

    answer = getters.query_one(AnswerBar)

    def compose(self) -> ComposeResult:
        """Answer, bar, how the preview was made, what Hermes would print."""
        yield AnswerBar()
        yield Container(WeightBar(), MadeLine(), id="made")
        yield SpokenLines()

    def show_outdated(self, outdated: bool) -> None:
        """Show whether Hermes has written more since."""
        self.query_one(MadeLine).show_outdated(outdated)

    def show(
        self,
        comparison: Comparison | None,
        *,
        price: Decimal | None = None,
        waiting: str = "",
        said: Headline | None = None,
    ) -> None:
        """Show a comparison; `price` is the cost of its summary, `said` the answer or an engine's failure."""
        self.set_class(comparison is None and said is None, "-waiting")
        self.answer.waiting = waiting
        self.answer.answer = said or NO_HEADLINE
        retention = comparison.retention if comparison else None
        bar = self.query_one(WeightBar)
        bar.retention, bar.display = retention, retention is not None
        self.query_one(MadeLine).show(comparison, price)
        self.query_one(SpokenLines).show(comparison)


class MadeLine(Widget):
    """How the preview was made, on one line."""

    DEFAULT_CSS = "MadeLine { height: 1; }"

    _shown: Comparison | None = None
    _price: Decimal | None = None
    _outdated = False

    def show_outdated(self, outdated: bool) -> None:
        """Show whether Hermes has written more since."""
        self._outdated = outdated
        self.refresh()

    def show(self, comparison: Comparison | None, price: Decimal | None) -> None:
        """Show another comparison."""
        self._shown, self._price = comparison, price
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The figures."""
        width, ink, line = self.size.width, Palette.of(self.app), Line()
        if self._shown is not None:
            line = figures(self._shown, self._price, width, ink, outdated=self._outdated)
        return line.strip(width, self.rich_style)


class SpokenLines(Widget):
    """Hermes' own words after a bar, then notes."""

    DEFAULT_CSS = "SpokenLines { height: auto; }"

    _shown: Comparison | None = None

    def show(self, comparison: Comparison | None) -> None:
        """Show the words about another comparison."""
        self._shown = comparison
        measure_again(self)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines the words need."""
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        """One line of the words."""
        width, ink = self.size.width, Palette.of(self.app)
        lines = self._lines(width)
        quoted, text = lines[y] if y < len(lines) else (False, "")
        line = Line().gap()
        if quoted:
            line.preformatted("▌ ", ink.style("role-summary"))
        return line.add(text, ink.style("ink-muted")).strip(width, self.rich_style)

    def _lines(self, width: int) -> list[tuple[bool, str]]:
        return [] if self._shown is None else list(words_of(self._shown, width))


def figures(
    shown: Comparison, price: Decimal | None, width: int, palette: Palette, *, outdated: bool = False
) -> Line:
    """Sizes, changed settings, topic, summariser, cost; sizes and the last pieces need space."""
    muted = palette.style("ink-muted")
    line, roomy = Line().gap(), width >= ROOMY
    if any(shown.incomplete) or (shown.real and roomy):
        before = _side(len(shown.before), shown.before_tokens, shown.incomplete[0])
        after = _side(len(shown.after), shown.after_tokens, shown.incomplete[1])
        line.add(f"{before[0]} → {after[0]} messages", muted).gap(3)
        line.add(f"{before[1]} → {after[1]} tokens", muted).gap()
    if shown.saved is not None and roomy and not shown.is_unchanged:
        line.add(f"{_saving(shown.saved)} tokens", palette.style(_saving_ink(shown.saved), bold=True))
    outdated_words = (hint(OUTDATED) if outdated else "", palette.style("severity-warning", bold=True))
    for text, style in (
        outdated_words,
        *_conditions(shown, palette),
        (_money(shown, price), palette.style("money")),
        (_little_saved(shown) if roomy else "", muted),
    ):
        room = width - line.width - 4
        if text and (cell_len(text) <= room or room >= MIN_CUT):
            line.gap(3 if line.width > 1 else 0).add(text, style, most=room)
    return line


def _conditions(shown: Comparison, palette: Palette) -> Iterator[tuple[str, Style]]:
    """The settings and the summariser the preview was made with."""
    match, bold, muted = palette.style("match"), palette.style("match", bold=True), palette.style("ink-muted")
    moved = shown.made is not None and shown.made.plan.kept_from is not None
    yield (f"engine: {shown.engine}" if shown.engine else ""), bold
    yield (f"what if: {shown.supposed}" if shown.supposed else ""), bold
    yield ("boundary moved by you" if moved else ""), match
    yield (f"focus: {shown.focus}", match) if shown.focus else ("no focus", muted)
    yield ("" if shown.is_unchanged else f"summariser: {shown.made_by}"), muted


def _side(messages: int, tokens: int, incomplete: bool) -> tuple[str, str]:
    """Messages and tokens of one side; a lower bound or unknown if part of it is not on record."""
    if not incomplete:
        return fmt.count(messages), fmt.short(tokens)
    mark = fmt.LOWER_BOUND
    return fmt.count(messages or None, mark=mark), fmt.short(tokens or None, mark=mark)


def _money(shown: Comparison, price: Decimal | None) -> str:
    """The cost of the summary."""
    return "" if shown.real or not shown.summary else fmt.money(price, mark=fmt.ESTIMATE)


def _little_saved(shown: Comparison) -> str:
    """What a later call costs less, where the sentence above says nothing of so little."""
    little = shown.saves is not None and 0 < shown.saves < LEAST_SAVED
    return f"saves {fmt.money_a_call(shown.saves, mark=fmt.ESTIMATE)}" if little else ""


def words_of(shown: Comparison, width: int) -> Iterator[tuple[bool, str]]:
    """Hermes' own words, marked as quoted; then our notes."""
    room = max(10, width - 4)
    if shown.feedback is not None:
        said = shown.feedback
        parts = (said.headline, said.token_line, said.note or "")
        release = shown.made.plan.release if shown.made else ""
        words = f"Hermes {release} would print: “{' · '.join(part for part in parts if part)}”"
        yield from ((True, line) for line in _lines(words, room))
    if shown.notes:
        yield from ((False, line) for line in _lines(" · ".join(shown.notes), room))


def _lines(words: str, room: int) -> list[str]:
    lines = list(wrap(clean(words), room))
    return lines if len(lines) <= MAX_WORDS else [*lines[: MAX_WORDS - 1], f"{lines[MAX_WORDS - 1]} …"]


def _saving(saved: float) -> str:
    if not saved:
        return fmt.percent(0)
    return f"-{fmt.percent(saved)}" if saved > 0 else f"+{fmt.percent(-saved)}"


def _saving_ink(saved: float) -> str:
    return "severity-ok" if saved > 0 else "severity-warning"
