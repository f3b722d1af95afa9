"""What happened to each tool result, and what did it cost? Opened from Map and Cache; costliest first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual import getters, on
from textual.app import ComposeResult

from core.explain.tool_results.follow import result_lives
from core.explain.tool_results.life import MOVED, ResultLife, ResultLives, file_words, results_headline
from core.store.database.locate import Location
from core.support import formatting as fmt
from inspector.base.commands import bindings, hint
from inspector.base.workers import ask_store
from inspector.screens.page import CardPage
from inspector.terminal.line import Line, Palette
from inspector.widgets.bars.status_line import Piece, titled
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import field, headline, paragraph

_COLOURS = {"tool_cap": "severity-info", "persisted": "severity-info", "truncated": "severity-warning"}
_PRUNED = "already: this is what is left of it"
_ROOMY = 100
"""Columns from which a row also has its tokens and number of calls."""
_OUTCOMES = {
    "kept": "be kept",
    "persisted": "be saved to a file, with its first characters kept",
    "truncated": "be truncated, and the rest lost",
    "changed": "be rewritten",
}
NO_RESULTS = (
    "No tool was called in this conversation, so there are no tool results.\n{results.back} goes back."
)


class ResultList(RowList[ResultLife]):
    """Row, tool, tokens, calls, total tokens and cost, state, and what pruning will leave."""

    HEADER_LINES = 1
    OPENS = False

    priced = True
    """Whether the cost of any result is known."""

    def draw_header(self, width: int) -> list[Line]:
        """The column titles."""
        ink = self.palette.style("ink-muted")
        line = Line().cell("row", 8, ink, right=True).gap(2).cell("tool", 16, ink)
        if width >= _ROOMY:
            line.cell("tokens", 9, ink, right=True).cell("calls", 7, ink, right=True)
        line.cell("in all", 10, ink, right=True)
        if self.priced:
            line.cell("cost", 10, ink, right=True)
        line.gap(2).cell("state", 16, ink)
        return [line.add("if pruned", ink, most=max(0, width - line.width))]

    def draw_row(self, row: ResultLife, index: int, width: int) -> Line:
        """Draw one result."""
        ink = self.palette
        layer = row.standing.layer
        muted, plain = ink.style("ink-muted"), ink.style("ink")
        line = Line().cell(f"{row.row:,}", 8, muted, right=True).gap(2).cell(row.tool, 16, plain)
        if width >= _ROOMY:
            line.cell(fmt.short(row.tokens, mark=fmt.ESTIMATE), 9, plain, right=True)
            line.cell(f"{row.calls:,}", 7, muted, right=True)
        line.cell(fmt.short(row.lifetime_tokens, mark=fmt.ESTIMATE), 10, plain, right=True)
        if self.priced:
            line.cell(fmt.money(row.usd), 10, ink.style("money"), right=True)
        line.gap(2)
        line.cell(row.state, 16, ink.style(_COLOURS.get(layer, "ink-muted")))
        stub = " ".join((row.stub or "").split()).removeprefix(f"[{row.tool}] ")
        return line.add(stub, muted, most=max(0, width - line.width))


def card(one: ResultLife, width: int, ink: Palette) -> Iterator[Line]:
    """What was done to the result, its cost, and what is left of it."""
    title = f"{one.tool} · {one.state}"
    yield from headline(title, "" if one.usd is None else fmt.money(one.usd), width, ink, badge_token="money")
    tokens, lifetime = (fmt.count(n, mark=fmt.ESTIMATE) for n in (one.tokens, one.lifetime_tokens))
    calls = fmt.plural(one.calls, "call")
    is_less = one.lifetime_tokens > one.tokens * one.calls
    sent = f"{tokens} tokens now, more before; sent" if is_less else f"{tokens} tokens, sent"
    yield from field("cost", f"{sent} with {calls}: {lifetime} in total", width, ink)
    if one.arrived.chars is not None:
        yield from field("in full", f"{fmt.count(one.arrived.chars)} characters", width, ink)
    if one.moved:
        yield from field("file", MOVED, width, ink)
    if one.path is not None:
        yield from field("file", f"{one.path} ({file_words(one)})", width, ink)
        if one.standing.layer == "pruned":
            yield from field("", "nothing in the conversation mentions it any more", width, ink)
    no_stub = _PRUNED if one.standing.layer == "pruned" else "never: pruning does not change it"
    yield from field("if pruned", one.stub or no_stub, width, ink)


def rest(one: ResultLife, lives: ResultLives, width: int, ink: Palette) -> Iterator[Line]:
    """Where the result is stored, and what a release would do with it now."""
    yield from field("stored", f"row {one.row:,}, session {one.session}, call {one.call}", width, ink)
    if one.would is not None:
        yield Line()
        outcome = _OUTCOMES[one.would.outcome]
        text = f"If it were returned now, by the rules of Hermes {lives.release}, it would {outcome}."
        yield from paragraph(text, width, ink)


class ResultsScreen(CardPage):
    """Every tool result of a conversation, with a card about the one under the cursor."""

    BINDINGS = bindings("results")
    WORK = "results"

    results = getters.query_one(ResultList)

    def __init__(self, location: Location, session: str, title: str) -> None:
        super().__init__()
        self._location, self._session, self._title = location, session, title
        self._lives: ResultLives | None = None

    def compose(self) -> ComposeResult:
        """The results, in the layout of a card page."""
        return self.laid_out(ResultList(empty="Reading every tool result …"))

    def on_mount(self) -> None:
        """Start reading."""
        self.head.left = titled("Results", self._title)
        self.results.focus()
        self.note_new_writes(self._location)
        self.action_refresh()

    def action_refresh(self) -> None:
        """Read the results again."""
        self.follow(check_files=False)

    def follow(self, *, check_files: bool) -> None:
        """Find out what happened to every result."""
        read = partial(result_lives, session_id=self._session, check_files=check_files)
        ask_store(self, self.WORK, self._location, read, self._take)

    def _take(self, lives: ResultLives) -> None:
        again, self._lives = self._lives is not None, lives
        self.answer.answer = results_headline(lives)
        self.head.left, self.head.right = _head(self._title, lives), ()
        self.results.empty = hint(NO_RESULTS)
        self.results.priced = any(one.usd is not None for one in lives.results)
        self.results.show(ListRows(lives.results), cursor=self.results.cursor if again else 0)
        self._show_card()

    @on(RowList.Moved)
    def _show_card(self) -> None:
        one, lives = self.results.current, self._lives
        if one is not None and lives is not None:
            self.card.show(partial(card, one), partial(rest, one, lives))

    def action_check_files(self) -> None:
        """Check whether the saved files exist; none is opened."""
        self.follow(check_files=True)
        self.toast("Checking whether saved files exist; none is opened.")


def _head(title: str, lives: ResultLives) -> tuple[Piece, ...]:
    """How many results there are, and the limits they were judged by."""
    count = fmt.plural(len(lives.results), "result")
    window = f", window {fmt.round_number(lives.window)}" if lives.window else ""
    size, turn = fmt.short(lives.sizes.result), fmt.short(lives.sizes.turn)
    limits = f" · limits: {size} characters each, {turn} per turn (Hermes {lives.release}{window})"
    return (*titled("Results", title), ("ink-muted", f" · {count}"), ("ink-muted?", limits))
