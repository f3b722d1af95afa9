"""Where was it said? Searches messages of every open database, or of what one conversation lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widgets import Input, Static

from core.model.transcript.message import Message, RowState
from core.model.transcript.storage import SearchHit
from core.redact.quick_check import masked_start
from core.store.database.connect import Cancelled
from core.store.store import Store
from core.support import formatting as fmt
from inspector.base.app_protocol import shell
from inspector.base.commands import bindings, key_of
from inspector.base.workers import ask_store, cancelled, in_thread, then
from inspector.screens.page import WIDTHS, Page
from inspector.screens.search.question import Hit, Question, SearchAnswer
from inspector.terminal.glyphs import ROLE, ROLE_OTHER
from inspector.terminal.line import Line
from inspector.terminal.text import cell_len, clean_line, content, crop
from inspector.widgets.bars.answer_and_keys import KeyBar
from inspector.widgets.bars.input_lines import InputLine
from inspector.widgets.bars.status_line import Banner, Piece, StatusLine
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.messages.detail_pane import Detail, DetailPane

RECENT, MAX_RECENT = "searches", 8
GLANCE = 0.04
"""Seconds the cursor must rest before its message is read."""
FOLLOWING = 3
"""Messages shown below the one under the cursor."""
WIDE = WIDTHS[-1][0]
"""Columns from which there is room for a message beside the hits."""


class HitList(RowList[Hit]):
    """When, in which conversation, by whom, and the words around the match."""

    words: re.Pattern[str] | None = None
    now: datetime
    titles = 0
    """Cells of the longest title."""
    visited = (0, 0)
    """A row, and which of its places was chosen there; elsewhere it is the newest."""

    @property
    def chosen(self) -> SearchHit | None:
        """The place chosen in the row under the cursor."""
        row = self.current
        return None if row is None else row.places[self._place(self.cursor)]

    @property
    def position(self) -> tuple[int, int]:
        """Which of all places is the chosen one, counted from 1, and how many there are."""
        sizes = [len(row.places) for row in map(self.rows.row, range(self.rows.count)) if row]
        return sum(sizes[: self.cursor]) + self._place(self.cursor) + 1, sum(sizes)

    def _place(self, index: int) -> int:
        row, place = self.visited
        return place if row == index else 0

    def step(self, step: int) -> None:
        """Choose the next or previous place of this row, or else of the next or previous row."""
        row, place = self.current, self._place(self.cursor) + step
        if row is not None and not 0 <= place < len(row.places):
            before = self.cursor
            self.action_move(step)
            row = self.current if self.cursor != before else None
            place = -1 if step < 0 else 0
        if row is not None:
            self.visited = self.cursor, place % len(row.places)
            self.refresh_row(self.cursor)

    def draw_row(self, row: Hit, index: int, width: int) -> Line:
        """Draw a hit; a message the model no longer sees is faint."""
        ink, hit = self.palette, row.places[self._place(index)]
        text = "ink" if hit.state is RowState.LIVE else "ink-muted"
        line = Line().cell(fmt.age(hit.timestamp, self.now), 8, ink.style("ink-muted"))
        room = min(self.titles, max(14, min(32, width // 4)))
        line.cell(row.title, room, ink.style("ink-muted")).gap(2)
        line.add(ROLE.get(hit.role, ROLE_OTHER), ink.style("ink-muted")).gap(1)
        often = f"×{len(row.places):,} " if row.others else ""
        line.add(often, ink.style("ink-muted", bold=True))
        copies = f"+{fmt.plural(row.copies, 'copy', 'copies')} " if row.copies else ""
        line.add(copies, ink.style("ink-muted"))
        excerpt = _near(clean_line(hit.excerpt), self.words, width - line.width)
        for piece, matched in _pieces(crop(excerpt, width - line.width - 1), self.words):
            line.add(piece, ink.style("match", bold=True) if matched else ink.style(text))
        return line


class SearchScreen(Page):
    """Ask, show the hits, open one."""

    CSS_PATH = "search.tcss"
    BINDINGS = bindings("search")

    question = getters.query_one(Input)
    hits = getters.query_one(HitList)
    found = getters.query_one("#found", StatusLine)

    def __init__(self, asked: Question, *, text: str = "") -> None:
        super().__init__()
        self.asked = asked
        self._recent: tuple[str, ...] = ()
        self._chosen = -1
        self._text = text
        self._resting: Timer | None = None
        self._searched = False

    def compose(self) -> ComposeResult:
        """Input, a hint, number of hits, errors, hits, on a wide screen the message of one, key bar."""
        yield InputLine(self.asked.label, self.asked.expects)
        yield Static(id="hint")
        yield StatusLine(id="found")
        yield Banner()
        yield Horizontal(HitList(empty=""), DetailPane())
        yield KeyBar()

    def on_mount(self) -> None:
        """Focus the input; run the given query, if any."""
        self.hits.now = shell(self).now()
        kept = shell(self).recall(RECENT)
        self._recent = tuple(kept.splitlines()) if isinstance(kept, str) else ()
        self.query_one("#hint", Static).update(content(_hint(self.asked.hint, self._recent)))
        self.question.focus()
        if self._text:
            self.question.value = self._text
            self._ask_for(self._text)
        elif self.asked.opening is not None:
            self.run_opening(self.asked.opening)

    @in_thread("search")
    def run_opening(self, opening: Callable[[Cancelled], SearchAnswer]) -> None:
        """Read what is shown before anything is typed."""
        then(self, self._answer, opening(cancelled()))

    @on(Input.Submitted)
    def _ask(self, event: Input.Submitted) -> None:
        self._ask_for(event.value)

    def _ask_for(self, text: str) -> None:
        asked = text.strip()
        if asked:
            self._keep(asked)
            self.add_class("-asked")
            self.hits.empty = f"Searching … {key_of('search.back')} cancels"
            self.hits.show(ListRows(()))
            self.found.left = self.found.right = ()
            self.hits.focus()
            self.run_search(text)

    def _keep(self, asked: str) -> None:
        """Remember a query, unless it contains a credential, which is never written down."""
        if masked_start(asked, len(asked)) == asked:
            self._recent = (asked, *(one for one in self._recent if one != asked))[:MAX_RECENT]
            shell(self).remember(RECENT, "\n".join(self._recent))

    @in_thread("search")
    def run_search(self, text: str) -> None:
        """Search every database, on connections of the worker's own."""
        then(self, self._answer, self.asked.answer(text, cancelled()))

    def _answer(self, answer: SearchAnswer) -> None:
        self.hits.words = _pattern(answer.text)
        self.hits.titles = max(
            (cell_len(clean_line(one)) for one in {hit.title for hit in answer.hits}), default=0
        )
        none = f"{self.asked.none} “{clean_line(answer.text)}”.\n{self.asked.to_try(answer.text)}"
        self.hits.empty = answer.nothing or (none if answer.text else "")
        self._searched = bool(answer.text)
        self.hits.visited = (0, 0)
        self.hits.show(ListRows(answer.hits), cursor=0)
        self.query_one(Banner).say(" · ".join(error.line for error in answer.errors))
        shell(self).failures += answer.errors
        self.found.left = _summary(answer) if answer.text or answer.hits else ()
        self._tell_place()

    @on(RowList.Moved)
    def _tell_place(self) -> None:
        (at, total), count = self.hits.position, self.hits.rows.count
        self.found.right = (("ink-muted", f"{at:,} of {total:,}"),) if count else ()
        self.set_class(bool(count), "-found")
        if self._resting is not None:
            self._resting.stop()
        if count and self.size.width >= WIDE:
            self._resting = self.set_timer(GLANCE, self._read)

    def _read(self) -> None:
        """Read the message under the cursor, once the cursor rests."""
        found, chosen = self.hits.current, self.hits.chosen
        if found is not None and chosen is not None:
            read = partial(Store.message_and_next, row_id=chosen.row_id, following=FOLLOWING)
            ask_store(self, "message", found.location, read, self._show)

    def _show(self, messages: Sequence[Message]) -> None:
        shown = Detail(None, messages[0], then=tuple(messages[1:])) if messages else None
        self.query_one(DetailPane).tell(shown)

    def on_resize(self) -> None:
        """Show the message under the cursor as soon as there is room."""
        self._tell_place()

    @on(RowList.Opened)
    def _open(self) -> None:
        found, chosen = self.hits.current, self.hits.chosen
        if found is not None and chosen is not None:
            shell(self).open_conversation(found.location, chosen.session_id, row=chosen.row_id)

    def action_next_hit(self, step: int) -> None:
        """Go to the next or previous message that matches, also among those shown as one row."""
        self.hits.step(step)
        self._tell_place()

    def action_recent(self, step: int) -> None:
        """Put an earlier query into the input."""
        if self._recent:
            self._chosen = max(0, min(len(self._recent) - 1, self._chosen + step))
            self.question.value = self._recent[self._chosen]
            self.question.cursor_position = len(self.question.value)

    def action_edit(self) -> None:
        """Return to the input."""
        self.question.focus()

    def action_back(self) -> None:
        """Return from a new query to the earlier hits, otherwise to the conversations."""
        if self.question.has_focus and self.hits.rows.count and self._searched:
            self.hits.focus()
        else:
            super().action_back()

    def action_copy(self) -> None:
        """Copy the text under the cursor."""
        found = self.hits.current
        self.copy(clean_line(found.hit.excerpt) if found else "")


def _hint(hint: str, recent: Sequence[str]) -> str:
    """What to type, and earlier queries."""
    earlier = f"Earlier searches ({key_of('search.recent')} brings one back): {' · '.join(recent)}"
    return f"{hint}\n{earlier}" if recent else hint


def _summary(answer: SearchAnswer) -> tuple[Piece, ...]:
    mark = fmt.LOWER_BOUND if answer.partial and answer.hits else ""
    count = sum(len(hit.places) for hit in answer.hits)
    said = f"{mark}{fmt.plural(count, 'message')}"
    order = f" · {answer.order}" if count > 1 else ""
    return (("ink", said), ("ink-faint", f"{order} · {', '.join(answer.how)}"))


def _pattern(text: str) -> re.Pattern[str] | None:
    words = [phrase or word for phrase, word in re.findall(r'"([^"]+)"|([^\s"]+)', text)]
    return re.compile("|".join(map(re.escape, words)), re.IGNORECASE) if words else None


def _near(text: str, words: re.Pattern[str] | None, room: int) -> str:
    """The text from shortly before its first match, if the match would otherwise be cut off."""
    match = words.search(text) if words else None
    if match is None or match.end() < room - 8:
        return text
    start = max(0, match.start() - room // 3)
    blank = text.find(" ", start, match.start())  # at the beginning of a word if possible
    return "…" + text[start if blank < 0 else blank + 1 :]


def _pieces(text: str, words: re.Pattern[str] | None) -> list[tuple[str, bool]]:
    """A text split at its matches."""
    pieces, end = [], 0
    for match in words.finditer(text) if words else ():
        pieces += [(text[end : match.start()], False), (match.group(), True)]
        end = match.end()
    return [*pieces, (text[end:], False)]
