"""A card about the row under the cursor: labelled facts, and behind them their evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import groupby

from textual import getters
from textual.app import ComposeResult
from textual.containers import Horizontal

from core.account.pricing.paid import NO_BILL
from core.model.accounting.ledger import Term
from core.model.accounting.usage import Origin
from core.model.finding import Evidence
from core.support import formatting as fmt
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import clean, wrap
from inspector.widgets.panes.text_pane import Draw, TextPane

GAP = 1
"""Cells between the text and the scroll bar."""

LABEL = 10
"""Cells of the label column."""

NAMES = {
    "total": "tokens",
    "calls": "calls",
    "input": "uncached input",
    "cache_read": "cache read",
    "cache_write": "cache write",
    "output": "output",
    "hit_rate": "hit rate",
    "recorded": "recorded cost",
    "computed": "cost at the price list",
}
MAX_TERMS = 12


class Card(Horizontal):
    """Facts and evidence in one pane; a wide screen shows them side by side (`app.tcss`)."""

    DEFAULT_CSS = """
    Card {
        height: 1fr;
        border-top: solid $rule;
        TextPane { width: 1fr; padding: 0 0 0 1; }
        #behind { display: none; border-left: solid $rule; }
    }
    """

    face = getters.query_one("#face", TextPane)
    behind = getters.query_one("#behind", TextPane)

    def compose(self) -> ComposeResult:
        """Both panes; the style sheet decides which are visible."""
        yield TextPane(id="face")
        yield TextPane(id="behind")

    def show(self, face: Draw, behind: Draw, *, keep_place: bool = False) -> None:
        """Show the card of another row."""

        def whole(width: int, ink: Palette) -> Iterable[Line]:
            yield from face(width - GAP, ink)
            more = [] if self.behind.display else list(behind(width - GAP, ink))
            yield from [Line(), *more] if more else ()

        def rest(width: int, ink: Palette) -> Iterable[Line]:
            return behind(width - GAP, ink)

        self.face.show(whole, keep_place=keep_place)
        self.behind.show(rest, keep_place=keep_place)

    def clear(self) -> None:
        """Show nothing, because there is no row."""
        self.show(lambda width, ink: (), lambda width, ink: ())

    def scroll_face(self, step: int) -> None:
        """Scroll the facts by lines."""
        self.face.action_line(step)

    @property
    def text(self) -> str:
        """Both parts as plain text."""
        parts = (self.face.text, self.behind.text if self.behind.display else "")
        return "\n\n".join(part for part in parts if part)


def field(label: str, text: str, width: int, ink: Palette, token: str = "ink") -> Iterator[Line]:
    """A label, and its text wrapped next to it."""
    style = ink.style(token)
    for place, line in enumerate(wrap(clean(text), max(1, width - LABEL))):
        yield Line().cell("" if place else label, LABEL, ink.style("ink-muted")).preformatted(line, style)


def paragraph(
    text: str, width: int, ink: Palette, token: str = "ink", *, bold: bool = False
) -> Iterator[Line]:
    """A text wrapped to the whole width."""
    for line in wrap(clean(text), max(1, width)):
        yield Line().preformatted(line, ink.style(token, bold=bold))


def headline(
    text: str, badge: str, width: int, ink: Palette, *, badge_token: str = "ink-muted"
) -> Iterator[Line]:
    """A bold text with a badge at the right end of its first line."""
    room = max(1, width - len(badge) - 2)
    for place, line in enumerate(wrap(clean(text), room)):
        found = Line().preformatted(line, ink.style("ink", bold=True))
        if not place:
            found.to(width - len(badge)).add(badge, ink.style(badge_token))
        yield found


def evidence_lines(evidence: Iterable[Evidence], width: int, ink: Palette) -> Iterator[Line]:
    """Pieces of evidence: where each stands, said once for neighbours, and its text."""
    label = "evidence"
    for place, pieces in groupby(evidence, key=lambda piece: piece.place):
        yield from field(label, place, width, ink, "ink-muted")
        label = ""
        for piece in pieces:
            yield from field("", piece.text, width, ink)


def origin_lines(about: str, origin: Origin, width: int, ink: Palette) -> Iterator[Line]:
    """Everything behind one figure."""
    name = NAMES.get(origin.figure, origin.figure)
    of = f" of {about}" if about else ""
    yield from paragraph(f"{name}{of}: {_value(origin)}", width, ink, bold=True)
    yield Line()
    yield from field("= formula", origin.formula, width, ink)
    for place, term in enumerate(origin.terms[:MAX_TERMS]):
        yield from field("" if place else "terms", _term(term), width, ink)
    if len(origin.terms) > MAX_TERMS:
        yield from field("", f"and {len(origin.terms) - MAX_TERMS} more", width, ink, "ink-faint")
    for place, words in enumerate(origin.rows):
        yield from field("" if place else "rows", words, width, ink, "ink-muted")
    for place, words in enumerate(origin.prices):
        yield from field("" if place else "prices", words, width, ink, "ink-muted")
    for place, words in enumerate(origin.notes):
        yield from field("" if place else "note", words, width, ink, "severity-warning")


def _value(origin: Origin) -> str:
    value, mark = origin.value, fmt.LOWER_BOUND if origin.lower_bound else ""
    if isinstance(value, Decimal):
        return fmt.money(value, mark=mark)
    if value is None and NO_BILL in origin.notes:
        return fmt.NOTHING
    return fmt.percent(value) if isinstance(value, float) else fmt.count(value, mark=mark)


def _term(term: Term) -> str:
    if isinstance(term.amount, Decimal):
        return f"{fmt.money(term.amount)}  {term.label}"
    rate = "" if term.rate is None else f" × ${term.rate.normalize():f} per million"
    return f"{term.amount:,}{rate}  {term.label}"
