"""What was decided, turn by turn: why each compressed, and above all why it did not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from textual import getters, on
from textual.app import ComposeResult

from core.explain.events import explain
from core.explain.turns.checks import Standing, Turn
from core.explain.turns.replay import replay_turns
from core.model.finding import Headline
from core.store.database.locate import Location
from core.store.store import Store
from inspector.base.commands import bindings
from inspector.base.workers import ask_store
from inspector.screens.card_page import CardPage
from inspector.screens.workspace.why.turns_list import TurnList, card, rest
from inspector.terminal import formatting as fmt
from inspector.widgets.bars.status_line import Piece, titled
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.rows import ListRows


@dataclass(frozen=True, slots=True)
class Replayed:
    """A conversation turn by turn.

    Attributes:
        standings: What each turn came to, told in the worker: there may be thousands.
    """

    turns: tuple[Turn, ...]
    standings: tuple[Standing, ...]
    answer: Headline


class TurnsScreen(CardPage):
    """Every turn, and the checks of the one under the cursor.

    Args:
        location: The database.
        session: Any session of the conversation.
        title: What it is called.
        event: The compaction to begin with; None for the newest turn.
    """

    BINDINGS = bindings("turns")
    WORK = "turns"

    turns = getters.query_one(TurnList)

    def __init__(self, location: Location, session: str, title: str, *, event: int | None = None) -> None:
        super().__init__()
        self._location, self._session, self._title = location, session, title
        self._event = event
        self._standings: tuple[Standing, ...] = ()
        self._shown = False

    def compose(self) -> ComposeResult:
        """The turns."""
        return self.laid_out(TurnList(empty="Replaying every turn …"))

    def on_mount(self) -> None:
        """Start."""
        self.head.left = _head(self._title, ())
        self.turns.focus()
        self.say_when_behind(self._location)
        self.action_refresh()

    def action_refresh(self) -> None:
        """Replay the turns as they stand now."""
        ask_store(self, self.WORK, self._location, partial(_replayed, self._session), self._take)

    def _take(self, found: Replayed) -> None:
        again, before, newest = self._shown, self.turns.cursor, len(self._standings) - 1
        self._shown, self._standings = True, found.standings
        self.answer.answer = found.answer
        self.head.left, self.head.right = _head(self._title, found.standings), ()
        self.turns.empty = "No turns yet: one begins with every message you send."
        places = [place for place, turn in enumerate(found.turns) if self._event in turn.events]
        first = places[0] if places else len(found.turns) - 1
        self.turns.show(ListRows(found.turns), cursor=before if again and before < newest else first)
        self._show_card()

    @on(RowList.Moved)
    def _show_card(self) -> None:
        turn = self.turns.current
        if turn is not None:
            self.card.show(partial(card, turn), partial(rest, turn))

    def action_telling(self, step: int) -> None:
        """Go to the next or previous turn that was large enough, or may have been."""
        place = self.turns.cursor + step
        while 0 <= place < len(self._standings):
            if self._standings[place] is not Standing.BELOW:
                self.turns.cursor = place
                return
            place += step


def _replayed(session: str, store: Store) -> Replayed:
    explanation = explain(store, session)
    found = replay_turns(explanation.context, explanation.events)
    return Replayed(found, tuple(turn.standing for turn in found), explanation.headline)


def _head(title: str, standings: Sequence[Standing]) -> tuple[Piece, ...]:
    """How many turns came to what."""
    pieces = list(titled("Turns", title))
    words = {
        Standing.FIRED: "compressed",
        Standing.FAILED: "failed",
        Standing.HELD: "blocked",
        Standing.OPEN: "not on record",
        Standing.DUE: "due, yet did not fire",
    }
    if standings:
        pieces.append(("ink-muted", f" · {fmt.plural(len(standings), 'turn')}"))
    for standing, word in words.items():
        count = standings.count(standing)
        pieces += [("ink-muted?", f" · {count:,} {word}")] if count else []
    return tuple(pieces)
