"""What the map knows of the generation it shows: read, measured, planned, counted. No widget."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.compress.engines.run import OtherEngine
from core.compress.planning.measure import Measured
from core.model.accounting.usage import TokenCounts
from core.model.compaction.plan import Plan
from core.model.finding import Headline
from core.model.transcript.message import Message
from core.preview.generation import Reading
from core.preview.what_if import Hypothesis
from inspector.screens.workspace.map.model import Dressing
from inspector.widgets.messages.detail_pane import Detail
from inspector.widgets.messages.message_line import MessageRow


@dataclass(frozen=True)
class EngineCut:
    """Where another engine cuts, and under what.

    Attributes:
        plan: None when it failed.
        broken: What is wrong with the engine or its list; None when nothing is.
    """

    engine: OtherEngine
    supposed: Hypothesis
    plan: Plan | None
    broken: Headline | None


@dataclass
class MapWork:
    """The state of one map.

    Attributes:
        number: Of the generation being read; what was found for an earlier one is dropped.
        reading: The generation; None until it was read.
        measured: Its messages as the release supposed weighs them.
        counts: What a real tokenizer counts; None until it has. Messages that came since are not in it.
        engine: The engine last asked; None for ours.
        engine_cut: What it answered.
        dressing: What the plan in force says of each message.
    """

    number: int = 0
    reading: Reading | None = None
    measured: Measured | None = None
    counts: TokenCounts | None = None
    dressing: Dressing | None = None
    engine: OtherEngine | None = None
    engine_cut: EngineCut | None = None

    @property
    def all_counts(self) -> TokenCounts | None:
        """The counts where they are of every message."""
        if self.counts is None or self.reading is None:
            return None
        return self.counts if len(self.counts.counts) == len(self.reading.messages) else None

    def forget(self) -> None:
        """Another generation, or the same one read again: nothing is known of it."""
        self.number += 1
        self.reading = self.measured = self.counts = self.dressing = self.engine_cut = None

    def read(self, reading: Reading) -> None:
        """The generation was read, and measured as its own release does."""
        self.reading, self.measured = reading, reading.measured

    def plan(self, supposed: Hypothesis) -> Plan | None:
        """Plan under what is supposed; None while the messages were not measured for that release."""
        reading, measured = self.reading, self.measured
        if reading is None or measured is None or measured.policy.release != supposed.release:
            return None
        plan = reading.planned(measured, supposed)
        self.dressing = Dressing(reading, measured, plan)
        return plan

    def engine_plan_of(self, engine: OtherEngine, supposed: Hypothesis) -> EngineCut | None:
        """What an engine answered under what is supposed; None when it was not asked that yet."""
        found = self.engine_cut
        return found if found and (found.engine, found.supposed) == (engine, supposed) else None

    def lay(self, plan: Plan, engine: OtherEngine | None) -> Plan:
        """The plan in force: an engine's where one is chosen and works, else ours."""
        self.engine = engine
        if engine is None:
            self.engine_cut = None
        found = self.engine_cut.plan if self.engine_cut else None
        if found is not None and self.reading is not None and self.measured is not None:
            self.dressing = Dressing(self.reading, self.measured, found)
            return found
        return plan

    @property
    def broken(self) -> Headline | None:
        """What is wrong with the engine chosen."""
        return self.engine_cut.broken if self.engine_cut else None

    def place_of(self, row: int | None) -> int | None:
        """Where a row stands in the request; None outside it and before there is a plan."""
        return None if self.dressing is None else self.dressing.reading.rows.place(row)

    def row_at(self, place: int) -> int | None:
        """The row id of a message of the request."""
        rows = self.reading.rows.ids if self.reading else ()
        return rows[place] if place < len(rows) else None

    def mates(self, row: int | None) -> list[int]:
        """Rows with the results of this row's calls, or the call that it answers."""
        if self.dressing is None:
            return []
        reading = self.dressing.reading
        return [reading.rows.ids[place] for place in sorted(reading.pairs.mates(self.place_of(row)))]

    def dress(self, row: MessageRow) -> MessageRow:
        """A row with what is known of its message by now."""
        return self.dressing.dress(row) if self.dressing else row

    def detail(self, message: Message, index: int) -> Detail:
        """Everything known of a message; `index` is its place in the list."""
        place = self.place_of(message.row.id if message.row else None)
        if self.dressing is None or place is None:
            return Detail(index, message)
        detail, counts = replace(self.dressing.detail(message, place), index=index), self.counts
        if counts is None or place >= len(counts.counts):
            return detail
        tokens = counts.counts[place] + counts.reasoning[place]
        return replace(detail, counted=(tokens, counts.encoding.name), exact=counts.encoding.exact)
