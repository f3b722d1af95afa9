"""A unified diff of two message lists by section; only the lines on screen are drawn."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.hermes.markers.markers import find_summary
from core.model.compaction.plan import Span
from core.model.transcript.message import Message
from core.support import formatting as fmt
from inspector.terminal import glyphs
from inspector.terminal.line import Line
from inspector.terminal.text import clean
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.messages.message_line import laid_out

REMOVED, ADDED, SAME, SECTION = "-", "+", " ", "@"
INK = {REMOVED: "severity-critical", ADDED: "severity-ok", SAME: "ink-muted", SECTION: "part-head"}

LINES_A_MESSAGE = 40
"""Most lines of a removed message to list; the rest is counted."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of the diff.

    Attributes:
        message: Index of its message in the old list; None for a new line.
    """

    kind: str
    text: str
    message: int | None = None


class DiffView(RowList[DiffLine]):
    """The diff with a cursor, so that you can read and jump around in it."""

    def show_lines(self, lines: Sequence[DiffLine]) -> None:
        """Show another diff from its top."""
        self.show(ListRows(lines), cursor=0)
        if self.is_heading(0):
            self.action_move(1)

    def draw_row(self, row: DiffLine, index: int, width: int) -> Line:
        """Sign and text."""
        ink = self.palette.style(INK[row.kind], bold=row.kind == SECTION)
        line = Line().gap().add(row.kind, ink).gap()
        return line.preformatted(row.text, ink, most=width - line.width)

    def is_heading(self, index: int) -> bool:
        """The cursor skips section lines."""
        row = self.rows.row(index)
        return row is not None and row.kind == SECTION


def message_diff(
    before: Sequence[Message],
    after: Sequence[Message],
    spans: tuple[Span, Span, Span],
    kept: Mapping[int, int],
    summary: str,
) -> Iterator[DiffLine]:
    """The diff of a compaction: head, middle against summary, tail; `kept`: index after to index before."""
    head, middle, tail = spans
    after_of = {origin: index for index, origin in kept.items()}
    yield _section("head", head.size, "kept")
    yield from _kept(before, after, head, after_of)
    yield _section(
        "middle", middle.size, "→ one summary" if summary else "stays" if middle.size == 1 else "stay"
    )
    if summary:
        for index in range(*middle):
            yield from _removed(before[index], index)
        yield from (DiffLine(ADDED, line) for line in clean(summary).split("\n"))
    yield _section("tail", tail.size, "kept")
    yield from _kept(before, after, tail, after_of)


def _section(name: str, count: int, what: str) -> DiffLine:
    return DiffLine(SECTION, f"{name} · {fmt.plural(count, 'message')} {what}")


def _kept(
    before: Sequence[Message], after: Sequence[Message], span: Span, after_of: dict[int, int]
) -> Iterator[DiffLine]:
    same = 0
    for index in range(*span):
        place = after_of.get(index)
        if place is not None and _lines(before[index]) == _lines(after[place]):
            same += 1
            continue
        yield from _unchanged(same)
        same = 0
        yield from _changed(before[index], None if place is None else after[place], index)
    yield from _unchanged(same)


def _unchanged(count: int) -> Iterator[DiffLine]:
    if count:
        yield DiffLine(SAME, f"… {fmt.plural(count, 'message')} unchanged")


def _changed(old: Message, new: Message | None, index: int) -> Iterator[DiffLine]:
    if new is None:
        yield from _removed(old, index)
        return
    lines = list(difflib.unified_diff(_lines(old), _lines(new), n=1, lineterm=""))[3:]
    yield DiffLine(SAME, f"{_speaker(old)} #{index}", index)
    for line in lines[:LINES_A_MESSAGE]:
        kind = line[0] if line[0] in (REMOVED, ADDED) else SAME
        yield DiffLine(kind, "…" if line.startswith("@@") else line[1:], index)
    yield from _more(SAME, len(lines), index)


def _removed(message: Message, index: int) -> Iterator[DiffLine]:
    lines = _lines(message)
    yield DiffLine(REMOVED, f"{_speaker(message)} #{index}  {lines[0] if lines else ''}", index)
    yield from (DiffLine(REMOVED, f"  {line}", index) for line in lines[1:LINES_A_MESSAGE])
    yield from _more(REMOVED, len(lines), index)


def _more(kind: str, count: int, index: int) -> Iterator[DiffLine]:
    if count > LINES_A_MESSAGE:
        yield DiffLine(kind, f"  … {fmt.plural(count - LINES_A_MESSAGE, 'more line')}", index)


def _speaker(message: Message) -> str:
    if find_summary(message.text) is not None:
        return f"{glyphs.SUMMARY} summary"
    return f"{glyphs.ROLE.get(message.role, glyphs.ROLE_OTHER)} {message.role}"


def _lines(message: Message) -> list[str]:
    words = laid_out(message.text) if message.role == "tool" else message.text
    text = clean(words).split("\n") if words else []
    calls = [f"{glyphs.CALL} {call.name} {call.arguments}" for call in message.tool_calls]
    return [*text, *map(clean, calls)]
