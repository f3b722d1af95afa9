"""What the map knows of its generation: read in threads, measured, planned, counted. No widget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from core.compress.engines.host.process import EngineFailed
from core.compress.engines.run import OtherEngine, run_engine
from core.compress.planning.measure import Measured, measure
from core.compress.planning.outlined import outlined
from core.compress.pruning.shrink import cut_arguments
from core.hermes.policy.policy import load_policy
from core.model.accounting.usage import TokenCounts
from core.model.compaction.plan import Plan
from core.model.finding import Headline
from core.model.transcript.message import Message, ToolCall
from core.model.transcript.storage import RowPreview
from core.preview.generation import Reading, texts_of, with_texts
from core.preview.what_if import Hypothesis
from core.redact.quick_check import masked, masked_start
from core.store.database.locate import Location
from core.store.store import Store
from inspector.screens.workspace.map.model import Annotations, Listed, holds
from inspector.widgets.messages.detail_pane import Detail
from inspector.widgets.messages.message_line import PREVIEW_CHARS, MessageRow, said

SEARCH_PAGE = 500
ARGUMENT, ARGUMENTS = 200, 4096
"""Most characters kept of each argument text, and of all arguments of a call; a line shows no more."""
Stop = Callable[[], bool]


def previews_of(location: Location, ids: Sequence[int], stop: Stop) -> Sequence[Listed]:
    """Previews for a page of the list, with the calls of each row, cut to what a line shows.

    A message that Hermes put something around shows what was typed, which may come last.
    """
    with Store(location, cancelled=stop) as store:
        found = store.previews(ids)
        bodies = store.messages([one.id for one in found if one.calls or _is_wrapped(one)])
    whole = {message.row.id: message for message in bodies if message.row}
    rows = [
        replace(one, text=masked_start(said(whole[one.id].text), PREVIEW_CHARS))
        if _is_wrapped(one) and one.id in whole
        else one
        for one in found
    ]
    calls = {row: tuple(map(_shortened, message.tool_calls)) for row, message in whole.items()}
    return [(one, calls.get(one.id, ())) for one in rows]


def _is_wrapped(one: RowPreview) -> bool:
    return one.role == "user" and not one.is_summary and one.text.lstrip().startswith("[")


def _shortened(call: ToolCall) -> ToolCall:
    if len(call.arguments) <= ARGUMENT:
        return call
    return replace(call, arguments=cut_arguments(masked(call.arguments), ARGUMENT)[:ARGUMENTS])


def measured_for(location: Location, reading: Reading, release: str, stop: Stop) -> Measured:
    """The messages as another release measures them."""
    return outlined(_measured(location, reading, release, stop))


def _measured(location: Location, reading: Reading, release: str, stop: Stop) -> Measured:
    complete = with_texts(location, reading, stop)
    same = release == complete.measured.policy.release
    return complete.measured if same else measure(complete.messages, load_policy(release))


def engine_cut(
    location: Location, engine: OtherEngine, reading: Reading, cut: Plan, supposed: Hypothesis, stop: Stop
) -> EngineCut | None:
    """Where another engine cuts, or what is wrong with it; None if cancelled."""
    from core.preview.summarisers import offline_summariser
    from core.preview.words import broken_engine

    try:
        writer = offline_summariser(reading.context.policy)
        measured = _measured(location, reading, supposed.release, stop)
        done = run_engine(engine, measured, cut, writer, None, stop=stop)
    except EngineFailed as error:
        return None if stop() else EngineCut(engine, supposed, None, broken_engine(engine.title, error.what))
    problems = done.compacted.problems
    broken = broken_engine(engine.title, f"its messages have {'; '.join(problems)}") if problems else None
    return EngineCut(engine, supposed, done.preview.plan, broken)


def count_tokens(location: Location, reading: Reading, stop: Stop) -> TokenCounts | None:
    """Count messages with their model's tokenizer, each text only once ever; None if cancelled."""
    from core.account.tokenizers.count import TokenCache, count_messages
    from core.account.tokenizers.vocabularies import TokenizerProcess

    model = reading.context.settings.model
    # Closed here, not wherever it is collected: its database belongs to this thread.
    with (
        closing(texts_of(location, reading, stop)) as messages,
        TokenCache() as cache,
        TokenizerProcess() as tokenizer,
    ):
        counts = count_messages(messages, model, cache=cache, count=tokenizer.count, cancelled=stop)
    return counts if counts.complete else None


def rows_with(location: Location, ids: Sequence[int], needle: str, stop: Stop) -> Sequence[int]:
    """Rows whose text, arguments or tool names contain a text, ignoring case."""
    wanted, rows = needle.casefold(), list[int]()
    with Store(location, cancelled=stop) as store:
        for start in range(0, len(ids), SEARCH_PAGE):
            page = store.messages(ids[start : start + SEARCH_PAGE])
            rows += [message.row.id for message in page if message.row and holds(message, wanted)]
    return rows


@dataclass(frozen=True)
class EngineCut:
    """Where another engine cuts, under which what-if values.

    Attributes:
        plan: None if the engine failed.
        broken: What is wrong with the engine or its messages; None if nothing is.
    """

    engine: OtherEngine
    supposed: Hypothesis
    plan: Plan | None
    broken: Headline | None


@dataclass
class MapWork:
    """The state of a map.

    Attributes:
        number: Counts reads, so that results for an earlier generation are dropped.
        reading: The generation; None until it is read.
        measured: Its messages, as the release of the what-if values measures them.
        counts: A real tokenizer's counts; None until counted. Newer messages are missing.
        engine: The engine last run; None for ours.
        engine_cut: Its result.
        annotations: What the current plan says about each message.
    """

    number: int = 0
    reading: Reading | None = None
    measured: Measured | None = None
    counts: TokenCounts | None = None
    annotations: Annotations | None = None
    engine: OtherEngine | None = None
    engine_cut: EngineCut | None = None

    @property
    def all_counts(self) -> TokenCounts | None:
        """The counts, if they cover every message."""
        if self.counts is None or self.reading is None:
            return None
        return self.counts if len(self.counts.counts) == len(self.reading.messages) else None

    def forget(self) -> None:
        """Drop everything, for another generation or the same one read again."""
        self.number += 1
        self.reading = self.measured = self.counts = self.annotations = self.engine_cut = None

    def read(self, reading: Reading) -> None:
        """Take a generation that was read, measured by its own release."""
        self.reading, self.measured = reading, reading.measured

    def plan(self, supposed: Hypothesis) -> Plan | None:
        """Plan with the what-if values; None if the messages are not measured for that release."""
        reading, measured = self.reading, self.measured
        if reading is None or measured is None or measured.policy.release != supposed.release:
            return None
        plan = reading.planned(measured, supposed)
        self.annotations = Annotations(reading, measured, plan)
        return plan

    def engine_plan_of(self, engine: OtherEngine, supposed: Hypothesis) -> EngineCut | None:
        """An engine's result for these what-if values; None if it has not run with them."""
        found = self.engine_cut
        return found if found and (found.engine, found.supposed) == (engine, supposed) else None

    def lay(self, plan: Plan, engine: OtherEngine | None) -> Plan:
        """The plan to show: that of a chosen engine if it works, otherwise ours."""
        self.engine = engine
        if engine is None:
            self.engine_cut = None
        found = self.engine_cut.plan if self.engine_cut else None
        if found is not None and self.reading is not None and self.measured is not None:
            self.annotations = Annotations(self.reading, self.measured, found)
            return found
        return plan

    @property
    def broken(self) -> Headline | None:
        """What is wrong with the chosen engine."""
        return self.engine_cut.broken if self.engine_cut else None

    def place_of(self, row: int | None) -> int | None:
        """The index of a row in the request; None outside it or before there is a plan."""
        return None if self.annotations is None else self.annotations.reading.rows.place(row)

    def row_at(self, place: int) -> int | None:
        """The row id of a message of the request."""
        rows = self.reading.rows.ids if self.reading else ()
        return rows[place] if place < len(rows) else None

    def partners(self, row: int | None) -> list[int]:
        """Rows with the results of this row's calls, or the call that it answers."""
        if self.annotations is None:
            return []
        reading = self.annotations.reading
        return [reading.rows.ids[place] for place in sorted(reading.pairs.partners(self.place_of(row)))]

    def annotated(self, row: MessageRow) -> MessageRow:
        """A row with what is known of its message by now."""
        return self.annotations.annotated(row) if self.annotations else row

    def detail(self, message: Message, index: int) -> Detail:
        """Everything known of a message; `index` is its index in the list."""
        place = self.place_of(message.row.id if message.row else None)
        if self.annotations is None or place is None:
            return Detail(index, message)
        detail, counts = replace(self.annotations.detail(message, place), index=index), self.counts
        if counts is None or place >= len(counts.counts):
            return detail
        tokens = counts.counts[place] + counts.reasoning[place]
        return replace(detail, counted=(tokens, counts.encoding.name), exact=counts.encoding.exact)
