"""What the map knows about one generation, and what it derives from that. No widget, no thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.compress.planning.measure import Measured, measure
from core.compress.planning.plan import plan
from core.explain.context.gather import Situation, situation
from core.hermes.policy.policy import documents, load_policy, releases
from core.model.compaction.plan import Plan
from core.model.evidence import Evidence
from core.model.transcript.boundary import BoundaryMode
from core.model.transcript.conversation import Conversation, Generation
from core.model.transcript.message import Message
from core.store.store import Store
from inspector.preview.tool_pairs import Pairs, tool_pairs
from inspector.preview.what_if import Hypothesis, WhatIf
from inspector.screens.workspace.views import Subject
from inspector.widgets.charts.context_strip_layout import Part
from inspector.widgets.messages.bands import Band
from inspector.widgets.messages.detail_pane import Detail
from inspector.widgets.messages.draw import MessageRow

ORIGINS = (
    ("threshold", "compression.threshold"),
    ("target ratio", "compression.target_ratio"),
    ("protect first", "compression.protect_first_n"),
    ("protect last", "compression.protect_last_n"),
    ("output reservation", "model.max_tokens"),
)
"""Knobs of the what-if bar and the keys of config.yaml that set them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One generation read whole.

    Attributes:
        places: For each row id, its index among the messages.
    """

    situation: Situation
    pairs: Pairs
    places: Mapping[int, int]
    measured: Measured

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the generation, as the model saw them."""
        return self.situation.messages

    @property
    def what_if(self) -> WhatIf:
        """A bar on which nothing has been turned yet."""
        actual = Hypothesis(self.situation.policy.release, self.situation.settings)
        return WhatIf.of(actual, (*releases(), *documents()))

    def under(self, supposed: Hypothesis) -> Reading:
        """The same generation under another release or other settings."""
        policy = load_policy(supposed.release)
        same = policy.release == self.measured.policy.release
        return replace(
            self,
            situation=replace(self.situation, policy=policy, settings=supposed.settings),
            measured=self.measured if same else measure(self.messages, policy),
        )

    def planned(self, measured: Measured, supposed: Hypothesis) -> Plan:
        """Where the cut would be; milliseconds, whatever the number of messages."""
        return plan(measured, supposed.settings, self.situation.gate)

    @property
    def origins(self) -> tuple[str, ...]:
        """Where release, window and settings come from, one a line."""
        here = self.situation
        release, window = here.release, here.window
        lines = [f"release {release.version}, {release.verdict}{_because(release.evidence)}"]
        size = "window unknown" if window.tokens is None else f"window {window.tokens:,}, {window.verdict}"
        lines.append(size + _because(window.evidence))
        for label, key in ORIGINS:
            setting = here.config.setting(key, here.policy.release)
            value = "none" if setting.value is None else setting.value
            note = f" ({setting.note})" if setting.note else ""
            lines.append(f"{label} {value}, {setting.origin}{note}")
        return tuple(lines)


def read(subject: Subject, generation: Generation, stop: Callable[[], bool]) -> Reading:
    """Read and measure a generation on a connection of its own."""
    with Store(subject.location, cancelled=stop) as store:
        here = situation(store, generation.session_id, generation=generation.index)
    places = {message.row.id: place for place, message in enumerate(here.messages) if message.row}
    return Reading(here, tool_pairs(here.messages), places, measure(here.messages, here.policy))


def _because(evidence: Sequence[Evidence]) -> str:
    return f": {evidence[0].text} ({evidence[0].where})" if evidence else ""


def holds(message: Message, needle: str) -> bool:
    """A message's text, arguments or tool names hold a text already casefolded."""
    texts = (message.text, *(part for call in message.tool_calls for part in (call.name, call.arguments)))
    return any(needle in text.casefold() for text in texts)


def part_of(cut: Plan, index: int) -> Part:
    """Where the cut puts a message."""
    if index < cut.head.end:
        return Part.HEAD
    return Part.MIDDLE if cut.middle.start <= index < cut.middle.end else Part.TAIL


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
            part=part_of(self.plan, index),
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
            part=part_of(self.plan, index),
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
