"""The help of a screen: its keys, words and signs, from the app's own tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.base.commands import bindings, key_name, keys_of, table
from inspector.base.words import question, words_for
from inspector.screens.page import Dialog
from inspector.terminal import glyphs
from inspector.terminal.line import Line
from inspector.terminal.text import cell_len, wrap
from inspector.widgets.bars.answer_and_keys import KeyBar
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList

KEY_WIDTH = 9
"""Least cells of the column of keys."""
INDENT = 3
HEADINGS = {"page": "Every screen", "list": "Lists", "app": "Everywhere", "workspace": "Conversation"}
"""Titles of scopes whose own names say too little."""


@dataclass(frozen=True, slots=True)
class HelpRow:
    """One line of help; a sentence over several lines has its key on the first only.

    Attributes:
        room: Cells of the keys, as many for every row below one heading.
    """

    keys: str
    text: str
    heading: bool = False
    room: int = 0


class HelpList(RowList[HelpRow]):
    """Keys in a column of their own, and wrapped sentences."""

    OPENS = False

    def __init__(self, rows: Sequence[HelpRow]) -> None:
        super().__init__()
        self._told = rows

    def on_resize(self) -> None:
        """Wrap the sentences to the new width."""
        self.show(ListRows([row for part in _parts(self._told) for row in self._wrapped(part)]))
        if self.is_heading(self.cursor):
            self.action_end(-1)
        super().on_resize()

    def _wrapped(self, part: Sequence[HelpRow]) -> Iterator[HelpRow]:
        """The rows below one heading, with room for their longest key if sentences keep most of a row."""
        longest = max(cell_len(row.keys) for row in part) + 2
        room = max(KEY_WIDTH, min(longest, self.row_width // 3))
        for row in part:
            before = 1 if row.heading else INDENT + room
            for place, text in enumerate(wrap(row.text, self.row_width - before - 1)):
                yield replace(row, text=text, keys="" if place else row.keys, room=room)

    def draw_row(self, row: HelpRow, index: int, width: int) -> Line:
        """Heading, or key and sentence."""
        ink = self.palette
        if row.heading:
            return Line().gap(1).add(row.text, ink.style("ink-muted", bold=True))
        line = Line().gap(INDENT).cell(row.keys, row.room, ink.style("part-head", bold=True))
        return line.add(row.text, ink.style("ink"))

    def is_heading(self, index: int) -> bool:
        """The cursor skips headings, blank lines and continuation lines."""
        row = self.rows.row(index)
        return row is not None and not row.keys


def _parts(rows: Iterable[HelpRow]) -> list[list[HelpRow]]:
    """The rows, each part with its heading."""
    parts: list[list[HelpRow]] = []
    for row in rows:
        if row.heading or not parts:
            parts.append([])
        parts[-1].append(row)
    return parts


class HelpScreen(Dialog):
    """A panel over the screen that it explains, by scopes, most specific first, with the user's own keys."""

    CSS_PATH = "help.tcss"
    BINDINGS = bindings("help")
    HEADING = "Keys and words"

    def __init__(self, scopes: Iterable[str]) -> None:
        super().__init__()
        here = tuple(scopes)
        own, others = _key_rows(here[:1]), _key_rows(here[1:])
        self._rows = [*_question_rows(here), *own, *_word_rows(here), *others, *_sign_rows()]

    def compose(self) -> ComposeResult:
        """The list in a frame, and a key bar."""
        with Vertical(id="frame"):
            yield HelpList(self._rows)
        yield KeyBar()


def _question_rows(scopes: Iterable[str]) -> Iterator[HelpRow]:
    """The question that the screen answers."""
    if asks := question(scopes):
        yield HelpRow("", asks, heading=True)
        yield HelpRow("", "")


def _key_rows(scopes: Iterable[str]) -> Iterator[HelpRow]:
    for scope in scopes:
        listed = [command for command in table() if command.scope == scope and command.listed]
        if listed:
            yield HelpRow("", HEADINGS.get(scope, scope.replace("_", " ").capitalize()), heading=True)
            yield from (HelpRow(" ".join(map(key_name, keys_of(one))), one.help) for one in listed)
            yield HelpRow("", "")


def _word_rows(scopes: Iterable[str]) -> Iterator[HelpRow]:
    """What the screen's labels and figures mean."""
    yield HelpRow("", "Words", heading=True)
    yield from (HelpRow(label, says) for label, says in words_for(scopes))
    yield HelpRow("", "")


def _sign_rows() -> Iterator[HelpRow]:
    yield HelpRow("", "Signs", heading=True)
    for role, sign in glyphs.ROLE.items():
        yield HelpRow(sign, f"{role} message")
    for severity, sign in glyphs.SEVERITY.items():
        yield HelpRow(sign, f"{severity} finding")
    for kind, sign in glyphs.KIND.items():
        if sign.strip():
            yield HelpRow(sign, f"{glyphs.kind_word(kind)} session")
    yield HelpRow("~  ≥  –", "estimate, at least this much (Usage says what is missing), unknown")
