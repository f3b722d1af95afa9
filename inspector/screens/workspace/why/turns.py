"""What was checked in each turn: why it compressed, or why it did not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from textual import getters, on
from textual.app import ComposeResult

from core.explain.events import explain
from core.explain.turns.checks import Check, Decision, Standing, Turn
from core.explain.turns.replay import replay_turns
from core.explain.turns.sentences import call_sentence, decision_sentence, outcome, turn_sentence
from core.model.finding import Headline
from core.preview.past import with_loss
from core.store.database.locate import Location
from core.store.store import Store
from core.support import formatting as fmt
from inspector.base.commands import bindings
from inspector.base.workers import cancelled, in_thread, then
from inspector.screens.page import CardPage
from inspector.terminal.line import Line, Palette
from inspector.widgets.bars.status_line import Piece, titled
from inspector.widgets.charts.curve import number
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import field, paragraph

TOKEN = {
    Standing.FIRED: "part-middle",
    Standing.FAILED: "severity-critical",
    Standing.BELOW: "ink-muted",
    Standing.HELD: "severity-warning",
    Standing.OPEN: "severity-info",
    Standing.DUE: "severity-critical",
}
SIZE, MIN_OUTCOME, MAX_OUTCOME = 7, 30, 40
"""Width of the size column, and the least and the greatest width of the outcome."""
SIGN = {True: "✓", False: "×", None: "–"}
_WIDE = 96
"""Width from which checks are shown in columns."""
_PASSED_TOKEN = {True: "severity-ok", False: "severity-warning", None: "ink-muted"}


class TurnList(RowList[Turn]):
    """Number, time, size, outcome, the user's message."""

    HEADER_LINES = 1
    OPENS = False

    def draw_header(self, width: int) -> list[Line]:
        """The column titles."""
        ink = self.palette.style("ink-muted")
        line = Line().cell("turn", 5, ink, right=True).gap(5).cell("began", 13, ink)
        came, asked = _rooms(width)
        line.cell("tokens", SIZE, ink, right=True).gap(2).cell("outcome", came, ink)
        return [line.gap(2).cell("your message", asked, ink)]

    def draw_row(self, row: Turn, index: int, width: int) -> Line:
        """Draw one turn; a compaction has the same number as on the curve."""
        ink, telling = self.palette, row.deciding
        token, muted = TOKEN[row.standing], ink.style("ink-muted")
        line = Line().cell(f"{row.index:,}", 5, muted, right=True).gap(1)
        line.cell("".join(map(number, row.events)), 3, ink.style(token, bold=True)).gap(1)
        line.cell(fmt.UNKNOWN if row.at is None else fmt.day_and_clock(row.at), 13, muted)
        mark = fmt.ESTIMATE if telling is not None and not telling.real else ""
        line.cell(fmt.short(telling.tokens if telling else None, mark=mark), SIZE, muted, right=True)
        came, asked = _rooms(width)
        line.gap(2).cell(outcome(row), came, ink.style(token))
        return line.gap(2).cell(row.text, asked, ink.style("ink"))


def _rooms(width: int) -> tuple[int, int]:
    """Cells for the outcome of a turn, and for the user's message."""
    room = max(2, width - 5 - 5 - 13 - SIZE - 4)
    came = max(min(room // 2, MAX_OUTCOME), min(room, MIN_OUTCOME))
    return came, room - came


def card(turn: Turn, width: int, ink: Palette) -> Iterator[Line]:
    """A turn's outcome, and the check that fired or came closest."""
    sentence = turn_sentence(turn)
    yield from paragraph(f"{_capital(sentence)}.", width, ink, "ink", bold=True)
    if turn.unanswered is not None:
        yield from paragraph(
            f"{turn.unanswered.says} {turn.unanswered.helps}", width, ink, "severity-warning"
        )
    if turn.text:
        yield from field("asked", turn.text, width, ink, "ink-muted")
    if turn.deciding is not None:
        yield Line()
        yield from _decision(turn.deciding, width, ink)


def rest(turn: Turn, width: int, ink: Palette) -> Iterator[Line]:
    """The other checks of a turn in order, and its calls."""
    others = (decision for decision in turn.decisions if decision is not turn.deciding)
    for place, decision in enumerate(others):
        yield from [Line()] if place else []
        yield from _decision(decision, width, ink)
    for place, call in enumerate(turn.calls):
        yield from [] if place else [Line()]
        yield from field("" if place else "calls", call_sentence(call), width, ink)


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _decision(decision: Decision, width: int, ink: Palette) -> Iterator[Line]:
    yield from paragraph(_capital(decision_sentence(decision)), width, ink, "ink")
    for check in decision.checks:
        if width < _WIDE:
            words = f"{SIGN[check.passed]} {check.name}: required {check.needed}, actual {check.had}"
            yield from paragraph(words, width, ink, _PASSED_TOKEN[check.passed])
        else:
            yield _check(check, width, ink)


def _check(check: Check, width: int, ink: Palette) -> Line:
    """Sign, name, required, actual."""
    style = ink.style(_PASSED_TOKEN[check.passed])
    line = Line().gap(2).cell(SIGN[check.passed], 2, style).cell(check.name, 33, ink.style("ink"))
    line.cell(f"required {check.needed}", 27, ink.style("ink-muted"))
    return line.add(f"actual {check.had}", style, most=max(0, width - line.width))


@dataclass(frozen=True, slots=True)
class Replayed:
    """A conversation turn by turn.

    Attributes:
        standings: The outcome of each turn, computed in the worker because there may be thousands.
    """

    turns: tuple[Turn, ...]
    standings: tuple[Standing, ...]
    answer: Headline


class TurnsScreen(CardPage):
    """Every turn, with a card of the checks of the one under the cursor.

    `event` is the compaction to start on; None for the newest turn.
    """

    BINDINGS = bindings("turns")
    WORK = "turns"

    turns = getters.query_one(TurnList)

    def __init__(self, location: Location, session: str, title: str, *, event: int | None = None) -> None:
        super().__init__()
        self._location, self._session, self._title = location, session, title
        self._event = event
        self._standings: tuple[Standing, ...] = ()

    def compose(self) -> ComposeResult:
        """The turns, in the layout of a card page."""
        return self.laid_out(TurnList(empty="Replaying every turn …"))

    def on_mount(self) -> None:
        """Start reading."""
        self.head.left = _head(self._title, ())
        self.turns.focus()
        self.note_new_writes(self._location)
        self.action_refresh()

    def action_refresh(self) -> None:
        """Replay the turns again."""
        self._read()

    @in_thread(WORK)
    def _read(self) -> None:
        """Replay the turns, then find out what the summary lost, which takes longer."""
        with Store(self._location, cancelled=cancelled()) as store:
            explanation = explain(store, self._session)
            found = replay_turns(explanation.context, explanation.events)
            standings = tuple(turn.standing for turn in found)
            then(self, self._take, Replayed(found, standings, explanation.headline))
            then(self, self._complete, with_loss(explanation)[0].headline)

    def _take(self, found: Replayed) -> None:
        before, newest = self.turns.cursor, len(self._standings) - 1
        self._standings = found.standings
        self.answer.answer = found.answer
        self.head.left, self.head.right = _head(self._title, found.standings), ()
        self.turns.empty = "No turns yet: one begins with every message you send."
        places = [place for place, turn in enumerate(found.turns) if self._event in turn.events]
        first = places[0] if places else len(found.turns) - 1
        self._event = None  # read again, it follows the newest turn, or stays where it is
        self.turns.show(ListRows(found.turns), cursor=before if before < newest else first)
        self._show_card()

    def _complete(self, answer: Headline) -> None:
        self.answer.answer = answer

    @on(RowList.Moved)
    def _show_card(self) -> None:
        turn = self.turns.current
        if turn is not None:
            self.card.show(partial(card, turn), partial(rest, turn))

    def action_telling(self, step: int) -> None:
        """Go to the next or previous turn that was large enough to compress, or may have been."""
        place = self.turns.cursor + step
        while 0 <= place < len(self._standings):
            if self._standings[place] is not Standing.BELOW:
                self.turns.cursor = place
                return
            place += step


def _head(title: str, standings: Sequence[Standing]) -> tuple[Piece, ...]:
    """How many turns had which outcome."""
    pieces = list(titled("Turns", title))
    words = {
        Standing.FIRED: "compressed",
        Standing.FAILED: "failed",
        Standing.HELD: "blocked",
        Standing.OPEN: "not certain",
        Standing.DUE: "due but did not fire",
    }
    if standings:
        pieces.append(("ink-muted", f" · {fmt.plural(len(standings), 'turn')}"))
    for standing, word in words.items():
        count = standings.count(standing)
        pieces += [("ink-muted?", f" · {count:,} {word}")] if count else []
    return tuple(pieces)
