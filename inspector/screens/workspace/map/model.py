"""What the map derives from one generation read whole. No widget, no thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.compress.planning.measure import Measured
from core.model.compaction.plan import Plan
from core.model.transcript.boundary import BoundaryMode
from core.model.transcript.conversation import Conversation
from core.model.transcript.message import Message
from core.preview.generation import Reading
from inspector.widgets.messages.bands import Band
from inspector.widgets.messages.detail_pane import Detail
from inspector.widgets.messages.draw import MessageRow


def holds(message: Message, needle: str) -> bool:
    """A message's text, arguments or tool names hold a text already casefolded."""
    texts = (message.text, *(part for call in message.tool_calls for part in (call.name, call.arguments)))
    return any(needle in text.casefold() for text in texts)


@dataclass(frozen=True, slots=True)
class Dressing:
    """What is known about the messages besides their rows: measured, planned, paired."""

    reading: Reading
    measured: Measured
    plan: Plan
    pruned: frozenset[int]

    @classmethod
    def of(cls, reading: Reading, measured: Measured, cut: Plan) -> Dressing:
        """Put together what a plan says."""
        return cls(reading, measured, cut, frozenset(cut.pruned_at))

    def stub(self, index: int) -> str | None:
        """What pruning would leave of a message; None when it would leave it alone."""
        if index not in self.pruned:
            return None
        left = self.measured.shrunk.get(index) or self.measured.base[index]
        return left.text

    def dress(self, row: MessageRow) -> MessageRow:
        """A row with its partition, tokens, pruned text and arguments."""
        index = self.reading.places.get(row.preview.id)
        if index is None:
            return row
        return replace(
            row,
            part=self.plan.part(index),
            tokens=self.measured.estimates[index],
            stub=self.stub(index),
            calls=self.reading.messages[index].tool_calls,
        )

    def detail(self, index: int) -> Detail:
        """Everything the pane says about a message."""
        pairs = self.reading.pairs
        return Detail(
            index=index,
            message=self.reading.messages[index],
            part=self.plan.part(index),
            estimate=self.measured.estimates[index],
            stub=self.stub(index),
            paired=True,
            answers=pairs.calls.get(index),
            answered_by=pairs.results.get(index, {}),
            tool=pairs.tools.get(index),
        )


def every_row(conversation: Conversation) -> tuple[tuple[int, int], ...]:
    """Generation and row id of every row ever stored, each once: copies only where they first stood."""
    seen: set[int] = set()
    rows: list[tuple[int, int]] = []
    for generation in conversation.generations:
        copies = set(generation.copy_ids)
        fresh = [row for row in generation.row_ids if row not in copies and row not in seen]
        seen.update(fresh)
        rows += [(generation.index, row) for row in fresh]
    taken_back = [row for row in conversation.rewound if row not in seen]
    return tuple(rows) + tuple((0, row) for row in taken_back)


def generation_bands(rows: Sequence[tuple[int, int]], conversation: Conversation) -> tuple[Band, ...]:
    """A band above the first row of each generation, and above what the user took back."""
    bands, last = [], -1
    for place, (index, _row) in enumerate(rows):
        if index != last:
            bands.append(_generation_band(place, index, conversation))
            last = index
    return tuple(bands)


HOW = {
    BoundaryMode.IN_PLACE: "compacted in place",
    BoundaryMode.ROTATION: "compacted into a new session",
    BoundaryMode.REWRITE: "compacted by rewriting",
}
"""How a generation began."""


def _generation_band(place: int, index: int, conversation: Conversation) -> Band:
    if not index:
        return Band(place, None, "taken back", "with /undo or /rewind; the model no longer sees these")
    generation = conversation.generations[index - 1]
    fresh = f"{generation.fresh:,} new"
    if generation.boundary is None:
        return Band(place, None, f"generation {index}", fresh)
    copies = f" · {generation.copies:,} carried over" if generation.copies else ""
    return Band(place, None, f"generation {index}", f"{HOW[generation.boundary.mode]} · {fresh}{copies}")
