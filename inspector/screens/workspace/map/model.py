"""What the map derives from a generation once it is read. No widget, no thread."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.compress.planning.measure import Measured
from core.model.compaction.plan import Plan
from core.model.transcript.conversation import Conversation
from core.model.transcript.message import Message, RowState, ToolCall
from core.model.transcript.storage import RowPreview
from core.preview.generation import Reading
from core.support.formatting import plural
from inspector.screens.workspace.views import generation_words
from inspector.widgets.messages.detail_pane import Detail
from inspector.widgets.messages.message_line import MessageRow
from inspector.widgets.messages.message_list import Band

Listed = tuple[RowPreview, tuple[ToolCall, ...]]
"""A row, and its tool calls."""


def holds(message: Message, needle: str) -> bool:
    """Whether a message's text, arguments or tool names contain a case-folded text."""
    texts = (message.text, *(part for call in message.tool_calls for part in (call.name, call.arguments)))
    return any(needle in text.casefold() for text in texts)


@dataclass(frozen=True, slots=True)
class Annotations:
    """What is known about the messages besides their rows: measurements, plan, pairs."""

    reading: Reading
    measured: Measured
    plan: Plan

    def stub(self, index: int) -> str | None:
        """What pruning would leave of a message; None if it would not change it."""
        at = bisect_left(self.plan.pruned_at, index)
        if self.plan.pruned_at[at : at + 1] != (index,):
            return None
        stub = self.measured.stubs.at(index)
        return self.measured.base[index].text if stub is None else stub

    def annotated(self, row: MessageRow) -> MessageRow:
        """A row with its part, tokens and stub."""
        index = self.reading.rows.place(row.preview.id)
        if index is None:
            return row
        return replace(
            row,
            part=self.plan.part(index),
            tokens=self.measured.estimates[index],
            stub=self.stub(index),
        )

    def detail(self, message: Message, index: int) -> Detail:
        """Everything the pane says about the message at an index of the request."""
        call, results = self.reading.pairs.call_of(index), self.reading.pairs.results_of(index)
        return Detail(
            index=index,
            message=message,
            part=self.plan.part(index),
            estimate=self.measured.estimates[index],
            stub=self.stub(index),
            paired=True,
            answers=call[0] if call else None,
            answered_by={one.id: results[at] for at, one in enumerate(message.tool_calls) if at in results},
            tool=call[1] if call else None,
        )


def every_row(conversation: Conversation) -> tuple[tuple[int, int], ...]:
    """Generation and row id of every row ever stored, each once: copies count where they first appeared."""
    seen: set[int] = set()
    rows: list[tuple[int, int]] = []
    for generation in conversation.generations:
        copies = set(generation.copy_ids)
        fresh = [row for row in generation.row_ids if row not in copies and row not in seen]
        seen.update(fresh)
        rows += [(generation.index, row) for row in fresh]
    taken_back = [row for row in conversation.rewound if row not in seen]
    return tuple(rows) + tuple((0, row) for row in taken_back)


def listed_words(conversation: Conversation, *, everything: bool) -> str:
    """Which rows are listed, and where those are that the user took back."""
    told = "Every stored row" if everything else "As the model saw it"
    if not conversation.rewound:
        return f"{told}."
    rows = f"{plural(len(conversation.rewound), 'row')} taken back"
    return f"{told}, {rows} last." if everything else f"{told}, without {rows}."


def generation_bands(within: Sequence[int], conversation: Conversation) -> tuple[Band, ...]:
    """A band above the first row of each generation, and above what the user took back."""
    bands, last = [], -1
    for place, index in enumerate(within):
        if index != last:
            bands.append(_generation_band(place, index, conversation))
            last = index
    return tuple(bands)


def page_rows(
    listed: Sequence[int], places: range, found: Iterable[Listed], within: Sequence[int] = ()
) -> list[MessageRow]:
    """The rows of a page as the list shows them; one deleted meanwhile says so.

    `within` is the generation of each listed row; empty if there is only one.
    """
    rows = {preview.id: (preview, calls) for preview, calls in found}
    return [
        MessageRow(place, preview, calls=calls, generation=within[place] if within else None)
        for place in places
        for preview, calls in [rows.get(listed[place]) or (_gone(listed[place]), ())]
    ]


def _gone(row: int) -> RowPreview:
    damage = ("this row was deleted",)
    return RowPreview(id=row, session_id="", role="?", text="", size=0, state=RowState.LIVE, damage=damage)


def next_of(places: Sequence[int], current: int, step: int) -> int:
    """The nearest place after (or before) `current`, wrapping around; `places` ascend and are not empty."""
    beyond = [place for place in places if (place - current) * step > 0]
    if step > 0:
        return beyond[0] if beyond else places[0]
    return beyond[-1] if beyond else places[-1]


def _generation_band(place: int, index: int, conversation: Conversation) -> Band:
    if not index:
        return Band(place, None, "taken back", "by /undo, /retry or /rewind: no longer sent")
    return Band(place, None, f"generation {index}", generation_words(conversation.generations[index - 1]))
