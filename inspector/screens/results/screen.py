"""What became of each tool result, and what did it cost? Read from Map and Cache; the dearest come first."""

from __future__ import annotations

from functools import partial

from textual import getters, on
from textual.app import ComposeResult

from core.explain.tool_results.follow import result_lives
from core.explain.tool_results.life import ResultLives, results_headline
from core.store.database.locate import Location
from inspector.base.commands import bindings
from inspector.base.workers import ask_store
from inspector.screens.card_page import CardPage
from inspector.screens.results.list_view import ResultList, card, rest
from inspector.terminal import formatting as fmt
from inspector.widgets.bars.status_line import Piece, titled
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.rows import ListRows

NO_RESULTS = "No tool was called in this conversation, so there is no result to follow.\nesc goes back."


class ResultsScreen(CardPage):
    """Every tool result of a conversation, and the life of the one under the cursor.

    Args:
        location: The database.
        session: Any session of the conversation.
        title: What it is called.
    """

    BINDINGS = bindings("results")
    WORK = "results"

    results = getters.query_one(ResultList)

    def __init__(self, location: Location, session: str, title: str) -> None:
        super().__init__()
        self._location, self._session, self._title = location, session, title
        self._lives: ResultLives | None = None

    def compose(self) -> ComposeResult:
        """The results."""
        return self.laid_out(ResultList(empty="Reading every tool result …"))

    def on_mount(self) -> None:
        """Start."""
        self.head.left = titled("Results", self._title)
        self.results.focus()
        self.say_when_behind(self._location)
        self.action_refresh()

    def action_refresh(self) -> None:
        """Follow the results as they stand now."""
        self.follow(check_files=False)

    def follow(self, *, check_files: bool) -> None:
        """Read what became of every result."""
        read = partial(result_lives, session_id=self._session, check_files=check_files)
        ask_store(self, self.WORK, self._location, read, self._take)

    def _take(self, lives: ResultLives) -> None:
        again, self._lives = self._lives is not None, lives
        self.answer.answer = results_headline(lives)
        self.head.left, self.head.right = _head(self._title, lives), ()
        self.results.empty = NO_RESULTS
        self.results.show(ListRows(lives.results), cursor=self.results.cursor if again else 0)
        self._show_card()

    @on(RowList.Moved)
    def _show_card(self) -> None:
        one, lives = self.results.current, self._lives
        if one is not None and lives is not None:
            self.card.show(partial(card, one), partial(rest, one, lives))

    def action_check_files(self) -> None:
        """Look whether the saved files are there; none is opened."""
        self.follow(check_files=True)
        self.toast("Looking for the files results were saved to; none is opened.")


def _head(title: str, lives: ResultLives) -> tuple[Piece, ...]:
    """How many results, and the sizes they were judged by."""
    count = fmt.plural(len(lives.results), "result")
    window = f", window {fmt.short(lives.window)}" if lives.window else ""
    size, turn = fmt.short(lives.sizes.result), fmt.short(lives.sizes.turn)
    limits = f" · limits: {size} characters each, {turn} a turn (Hermes {lives.release}{window})"
    return (*titled("Results", title), ("ink-muted", f" · {count}"), ("ink-muted?", limits))
