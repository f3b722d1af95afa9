"""What a change in the journal did: the messages it replaced, its summary, and the sizes. No widget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import InspectorError
from core.hermes.markers.markers import find_summary
from core.model.compaction.apply import JournalEntry
from core.model.transcript.storage import RowPreview
from core.preview.words import call_words
from core.store.database.own_changes import undo_command
from core.support import formatting as fmt
from inspector.base.commands import key_of
from inspector.screens.apply.model import WHERE, some_of
from inspector.screens.apply.work import token_sizes
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
        sizes: Messages and tokens before the change and after it; "" if no compaction is found in it.
        back: The first of the messages that it replaced.
        rows: How many it replaced.
        summary: The text it wrote in their place; "" if it wrote none.
    """

    sizes: str
    back: tuple[RowPreview, ...]
    rows: int
    summary: str


def read_written(entry: JournalEntry, store: Store) -> Written:
    """Look up what a change replaced and wrote."""
    from core.apply.journal import journal_of

    records = journal_of(store.path).entry(entry.id).messages
    back = sorted(int(one.key) for one in records if one.before is not None)
    new = store.messages(sorted(int(one.key) for one in records if one.before is None))
    summary = next((message.text for message in new if find_summary(message.text) is not None), "")
    return Written(_sizes(entry, store), store.previews(back[:MOST]), len(back), summary)


def _sizes(entry: JournalEntry, store: Store) -> str:
    """What it did to the conversation, measured as in the review; "" where that cannot be explained."""
    from core.compress.planning.measure import measure
    from core.explain.context.past_compaction import past_compaction
    from core.explain.events import explain

    undo = undo_command(entry.id, store.path)
    try:
        found = explain(store, entry.target_id)
    except InspectorError:
        return ""
    event = next((event for event in found.events if event.undo == undo), None)
    if event is None or event.generation is None:
        return ""
    past = past_compaction(found.context, found.context.conversation.generations[event.generation - 1])
    if past is None:
        return ""
    before, after = (measure(side, past.policy).estimated_tokens for side in (past.before, past.after))
    return f"{len(past.before):,} → {len(past.after):,} messages, {token_sizes(before, after)}"


def written_lines(entry: JournalEntry, written: Written | None, width: int, ink: Palette) -> Iterator[Line]:
    """The facts of a change, then the messages that undoing it brings back."""
    yield from field("change", f"{entry.id} · {entry.state.value} {WHERE[entry.mode]}", width, ink)
    yield from field("session", entry.session_id, width, ink)
    if entry.target_id != entry.session_id:
        yield from field("new", entry.target_id, width, ink)
    rows = some_of(((entry.replaced, "replaced"), (entry.written, "written")))
    yield from field("rows", f"{rows} · {entry.size:,} bytes in the journal", width, ink)
    if written is not None and written.sizes:
        yield from field("sizes", written.sizes, width, ink)
    if entry.call is not None:
        yield from field("summary", call_words(entry.call), width, ink)
    yield from field("undo", undo_command(entry.id, entry.database), width, ink, "ink-muted")
    if written is not None and written.back:
        yield from _back_lines(written, width, ink)


def _back_lines(written: Written, width: int, ink: Palette) -> Iterator[Line]:
    yield Line()
    told = f"{key_of('undo.take_back')} brings back {fmt.plural(written.rows, 'message')}"
    yield from paragraph(told, width, ink, bold=True)
    marks = Marks(index_cells=len(str(written.rows)))
    for place, preview in enumerate(written.back):
        yield draw_message(MessageRow(place, preview), width, ink, marks)
    if written.rows > len(written.back):
        yield from paragraph(f"and {written.rows - len(written.back):,} more", width, ink, "ink-muted")
