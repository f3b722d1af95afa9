"""What became of each tool result, and what did it cost? Read from Map and Cache; the dearest come first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message as Event

from core.explain.tool_results.follow import result_lives
from core.explain.tool_results.headline import results_headline
from core.explain.tool_results.life import ResultLives
from core.store.database.locate import Location
from core.store.store import Store
from inspector.base.commands import bindings
from inspector.base.workers import cancelled, in_thread
from inspector.screens.card_page import CardPage
from inspector.screens.results.list_view import ResultList, card, rest
from inspector.terminal import formatting as fmt
from inspector.widgets.bars.answer_bar import AnswerBar
from inspector.widgets.bars.key_bar import KeyBar
from inspector.widgets.bars.status_line import Piece, StatusLine
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.row_source import ListRows
from inspector.widgets.panes.card import Card

READING = "Reading every tool result …"


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
    head = getters.query_one("#head", StatusLine)

    @dataclass
    class Followed(Event):
        """Every result was followed."""

        lives: ResultLives

    def __init__(self, location: Location, session: str, title: str) -> None:
        super().__init__()
        self._location, self._session, self._title = location, session, title
        self._lives: ResultLives | None = None

    def compose(self) -> ComposeResult:
        """The answer, how many and whose rules, the results, the one under the cursor, keys."""
        answer = AnswerBar()
        answer.waiting = READING
        yield answer
        yield StatusLine(id="head")
        with Container(id="verdicts"):
            yield ResultList(empty=READING)
            yield Card()
        yield KeyBar()

    def on_mount(self) -> None:
        """Start."""
        self.head.left = (("part-head!", "Results"), ("ink-faint", " · "), ("ink", self._title))
        self.results.focus()
        self.follow(check_files=False)

    @in_thread(WORK)
    def follow(self, *, check_files: bool) -> None:
        """Follow them on a connection of the worker's own."""
        stop = cancelled()
        with Store(self._location, cancelled=stop) as store:
            found = result_lives(store, self._session, check_files=check_files)
        if not stop():
            self.post_message(self.Followed(found))

    @on(Followed)
    def _take(self, event: Followed) -> None:
        again, self._lives = self._lives is not None, event.lives
        self.query_one(AnswerBar).answer = results_headline(event.lives)
        self.head.left = _head(self._title, event.lives)
        self.results.empty = (
            "No tool was called in this conversation, so there is no result to follow.\nesc goes back."
        )
        self.results.show(ListRows(event.lives.results), cursor=self.results.cursor if again else 0)
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
    window = f", window {fmt.count(lives.window)}" if lives.window else ""
    size, turn = fmt.count(lives.sizes.result), fmt.count(lives.sizes.turn)
    rules = f" · {count} · Hermes {lives.release}{window}: {size} characters each, {turn} a turn"
    return (("part-head!", "Results"), ("ink-faint", " · "), ("ink", title), ("ink-muted", rules))
