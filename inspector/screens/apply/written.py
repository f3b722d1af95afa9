"""What a change in the journal did: the messages it replaced, its summary, and the sizes. No widget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import InspectorError
from core.hermes.markers.markers import find_summary
from core.model.compaction.apply import JournalEntry
from core.model.compaction.event import CompressionEvent
from core.model.transcript.storage import RowPreview
from core.store.database.own_changes import undo_command
from core.support import formatting as fmt
from inspector.payloads.values import call_words
from inspector.screens.apply.model import WHERE
from inspector.terminal.line import Line, Palette
from inspector.widgets.messages.message_line import Marks, MessageRow, draw_message
from inspector.widgets.panes.card import field, paragraph

if TYPE_CHECKING:
    from core.store.store import Store

MOST = 500
"""How many of the replaced messages are listed."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a change did, read from the journal and the database.

    Attributes:
        event: The same as a compaction, with its sizes; None if it is not found as one.
        back: The first of the messages that it replaced.
        rows: How many it replaced.
        summary: The text it wrote in their place; "" if it wrote none.
    """

    event: CompressionEvent | None
    back: tuple[RowPreview, ...]
    rows: int
    summary: str


def read_written(entry: JournalEntry, store: Store) -> Written:
    """Look up what a change replaced and wrote."""
    from core.apply.journal import journal_of

    records = [one for one in journal_of(store.path).entry(entry.id).records if one.table == "messages"]
    back = sorted(int(one.key) for one in records if one.before is not None)
    new = store.messages(sorted(int(one.key) for one in records if one.before is None))
    summary = next((message.text for message in new if find_summary(message.text) is not None), "")
    return Written(_event(entry, store), store.previews(back[:MOST]), len(back), summary)


def _event(entry: JournalEntry, store: Store) -> CompressionEvent | None:
    """The compaction that the change was; None where the conversation cannot be explained."""
    from core.explain.events import explain

    undo = undo_command(entry.id, store.path)
    try:
        events = explain(store, entry.target_id).events
    except InspectorError:
        return None
    return next((event for event in events if event.undo == undo), None)


def written_lines(entry: JournalEntry, written: Written | None, width: int, ink: Palette) -> Iterator[Line]:
    """The facts of a change, then the messages that undoing it brings back."""
    yield from field("change", f"{entry.id} · {entry.state.value} {WHERE[entry.mode]}", width, ink)
    yield from field("session", entry.session_id, width, ink)
    if entry.target_id != entry.session_id:
        yield from field("new", entry.target_id, width, ink)
    rows = f"{entry.replaced:,} replaced, {entry.written:,} written"
    yield from field("rows", f"{rows} · {entry.size:,} bytes in the journal", width, ink)
    if written is not None and written.event is not None:
        yield from field("sizes", _sizes(written.event), width, ink)
    if entry.call is not None:
        yield from field("summary", call_words(entry.call), width, ink)
    yield from field("undo", undo_command(entry.id, entry.database), width, ink, "ink-muted")
    if written is not None and written.back:
        yield from _back_lines(written, width, ink)


def _sizes(event: CompressionEvent) -> str:
    """Messages and tokens before the change and after it."""
    messages = f"{fmt.count(event.messages_before)} → {fmt.count(event.messages_after)} messages"
    return f"{messages} · {_estimate(event.tokens)} → {_estimate(event.tokens_after)} tokens"


def _estimate(tokens: int | None) -> str:
    return fmt.count(tokens, mark=fmt.ESTIMATE)


def _back_lines(written: Written, width: int, ink: Palette) -> Iterator[Line]:
    yield Line()
    told = f"U brings back {fmt.plural(written.rows, 'message')}"
    yield from paragraph(told, width, ink, bold=True)
    marks = Marks(index_cells=len(str(written.rows)))
    for place, preview in enumerate(written.back):
        yield draw_message(MessageRow(place, preview), width, ink, marks)
    if written.rows > len(written.back):
        yield from paragraph(f"and {written.rows - len(written.back):,} more", width, ink, "ink-muted")
