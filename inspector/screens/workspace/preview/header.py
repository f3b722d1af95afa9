"""The first two lines of the preview: how much smaller, by whom, for how much; then what Hermes would say."""

from __future__ import annotations

from decimal import Decimal

from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from core.preview.comparison import Comparison
from inspector.terminal import formatting as format
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.terminal.text import cell_len, clean
from inspector.widgets.panes.text_wrap import wrap

MOST_WORDS = 2
"""Lines of words at the most."""
LEAST_CUT = 20
"""A piece that does not fit is cut where this many cells of it stay, else left out."""


class PreviewHeader(Widget):
    """Two lines about a comparison, a third where the words need it, or what is being waited for."""

    DEFAULT_CSS = "PreviewHeader { height: auto; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: Comparison | None = None
        self._price: Decimal | None = None
        self._waiting = ""

    def show(self, comparison: Comparison | None, *, price: Decimal | None = None, waiting: str = "") -> None:
        """Show a comparison; `price` is what making the summary costs."""
        self._shown, self._price, self._waiting = comparison, price, waiting
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are words for, three at the most."""
        return 1 + max(1, min(MOST_WORDS, len(self._words(width))))

    def _words(self, width: int) -> list[str]:
        return [] if self._shown is None else list(wrap(clean(words_of(self._shown)), max(1, width - 2)))

    def render_line(self, y: int) -> Strip:
        """Figures (line 0), words (line 1)."""
        width, palette = self.size.width, Palette.of(self.app)
        if self._shown is None:
            words = self._waiting if y == 0 else ""
            return Line().gap().add(words, palette.style("ink-muted")).strip(width, self.rich_style)
        if y == 0:
            line = figures(self._shown, self._price, width, palette)
        else:
            lines = self._words(width)
            words = lines[y - 1] if y <= len(lines) else ""
            more = " …" if y == MOST_WORDS and len(lines) > MOST_WORDS else ""
            line = Line().gap().add(words + more, palette.style("ink-muted"), most=max(0, width - 1))
        return line.strip(width, self.rich_style)


def figures(shown: Comparison, price: Decimal | None, width: int, palette: Palette) -> Line:
    """Messages, tokens, author, money, focus; where room is short the author gives way first."""
    ink, muted = palette.style("ink", bold=True), palette.style("ink-muted")
    before = _side(len(shown.before), shown.before_tokens, shown.incomplete[0])
    after = _side(len(shown.after), shown.after_tokens, shown.incomplete[1])
    line = Line().gap().add(f"{before[0]} → {after[0]} messages", ink)
    tokens = f"{before[1]} → {after[1]} tokens"
    line.gap(3).add(tokens, ink).gap().add(
        f"({_saving(shown.saved)})", palette.style(_saving_ink(shown.saved))
    )
    focus = f"focus: {shown.focus}" if shown.focus else "no focus"
    moved = shown.made is not None and shown.made.plan.kept_from is not None
    kept = "boundary moved by you" if moved else ""
    supposed = f"what if: {shown.supposed}" if shown.supposed else ""
    changed = ((supposed, palette.style("match", bold=True)), (kept, palette.style("match")))
    author, money = (shown.made_by, muted), (_money(shown, price), palette.style("money"))
    topic = (focus, palette.style("match") if shown.focus else muted)
    pieces = (*changed, author, money, topic)
    if line.width + sum(cell_len(text) + 3 for text, _ in pieces if text) >= width:
        pieces = (*changed, money, topic, author) if shown.focus else (*changed, money, author, topic)
    for text, style in pieces:
        room = width - line.width - 4
        if text and (cell_len(text) <= room or room >= LEAST_CUT):
            line.gap(3).add(text, style, most=room)
    return line


def _side(messages: int, tokens: int, incomplete: bool) -> tuple[str, str]:
    """Messages and tokens of one side; at least so many, or unknown, where not all of it was kept."""
    if not incomplete:
        return format.count(messages), format.short(tokens)
    mark = format.LOWER_BOUND
    return format.count(messages or None, mark=mark), format.short(tokens or None, mark=mark)


def _money(shown: Comparison, price: Decimal | None) -> str:
    """What the summary costs, and what each request after it costs less."""
    if shown.real or not shown.summary:
        return ""
    cost = format.money(price, mark=format.ESTIMATE if price else "")
    if shown.saves is None or shown.saves <= 0:
        return cost
    return f"{cost}, saves {format.money(shown.saves, mark=format.ESTIMATE)} a call"


def words_of(shown: Comparison) -> str:
    """Hermes' own words for a preview; where and why for the past."""
    if shown.feedback is None:
        return " · ".join(shown.notes)
    said = shown.feedback
    # The line above has the tokens already: where there is more to tell, they give way here.
    parts = (said.headline, "" if shown.notes else said.token_line, said.note or "", *shown.notes)
    return "Hermes would say: " + " · ".join(part for part in parts if part)


def _saving(saved: float | None) -> str:
    if saved is None:
        return format.UNKNOWN
    return f"-{format.percent(saved)}" if saved >= 0 else f"+{format.percent(-saved)}"


def _saving_ink(saved: float | None) -> str:
    return "severity-ok" if saved is not None and saved > 0 else "severity-warning"
