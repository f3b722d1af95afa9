"""What the map reads while the user waits for nothing: functions for threads, without a widget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.compress.engines.host.process import EngineFailed
from core.compress.engines.run import OtherEngine, run_engine
from core.compress.planning.measure import Measured, measure
from core.compress.planning.outlined import outlined
from core.compress.pruning.shrink import cut_arguments
from core.hermes.policy.policy import load_policy
from core.model.accounting.usage import TokenCounts
from core.model.compaction.plan import Plan
from core.model.transcript.message import Message, ToolCall
from core.preview.generation import Reading, texts_of, with_texts
from core.preview.what_if import Hypothesis
from core.store.database.locate import Location
from core.store.store import Store
from inspector.screens.workspace.map.model import Listed, holds
from inspector.screens.workspace.map.work import EngineCut

SEARCH_PAGE = 500
ARGUMENT, ARGUMENTS = 200, 4096
"""Characters kept of each text in the arguments of a call, and of all: a line shows no more."""
Stop = Callable[[], bool]


def previews_of(location: Location, ids: Sequence[int], stop: Stop) -> Sequence[Listed]:
    """Previews for a page of the list, with the calls each makes, as far as a line shows them."""
    with Store(location, cancelled=stop) as store:
        found = store.previews(ids)
        whole = store.messages([one.id for one in found if one.calls])
    calls = {message.row.id: tuple(map(_shortened, message.tool_calls)) for message in whole if message.row}
    return [(one, calls.get(one.id, ())) for one in found]


def _shortened(call: ToolCall) -> ToolCall:
    short = len(call.arguments) <= ARGUMENT
    arguments = call.arguments if short else cut_arguments(call.arguments, ARGUMENT)[:ARGUMENTS]
    return replace(call, arguments=arguments)


def message_of(location: Location, row: int, stop: Stop) -> Message | None:
    """One message of another generation; None when its row is gone."""
    with Store(location, cancelled=stop) as store:
        found = store.messages((row,))
    return found[0] if found else None


def measured_for(location: Location, reading: Reading, release: str, stop: Stop) -> Measured:
    """The messages as another release weighs them."""
    return outlined(_measured(location, reading, release, stop))


def _measured(location: Location, reading: Reading, release: str, stop: Stop) -> Measured:
    whole = with_texts(location, reading, stop)
    same = release == whole.measured.policy.release
    return whole.measured if same else measure(whole.messages, load_policy(release))


def engine_cut(
    location: Location, engine: OtherEngine, reading: Reading, cut: Plan, supposed: Hypothesis, stop: Stop
) -> EngineCut | None:
    """Where another engine cuts; an engine that fails answers with what is wrong. None when told to stop."""
    from core.preview.headline import broken_engine
    from core.preview.summarisers import extractive_summariser

    try:
        writer = extractive_summariser(reading.context.policy)
        measured = _measured(location, reading, supposed.release, stop)
        done = run_engine(engine, measured, cut, writer, None, stop=stop)
    except EngineFailed as error:
        return None if stop() else EngineCut(engine, supposed, None, broken_engine(engine.title, error.what))
    problems = done.compacted.problems
    broken = broken_engine(engine.title, f"its list has {'; '.join(problems)}") if problems else None
    return EngineCut(engine, supposed, done.preview.plan, broken)


def counted(location: Location, reading: Reading, stop: Stop) -> TokenCounts | None:
    """Messages counted with the tokenizer of their model, each text once ever; None when told to stop."""
    from core.account.tokenizers.child_process import TokenizerProcess
    from core.account.tokenizers.count import TokenCache, count_messages

    messages, model = texts_of(location, reading, stop), reading.context.settings.model
    with TokenCache() as cache, TokenizerProcess() as tokenizer:
        counts = count_messages(messages, model, cache=cache, count=tokenizer.count, cancelled=stop)
    return counts if counts.complete else None


def rows_with(location: Location, ids: Sequence[int], needle: str, stop: Stop) -> Sequence[int]:
    """Rows whose text, arguments or tool names hold a text, whatever its case."""
    wanted, rows = needle.casefold(), list[int]()
    with Store(location, cancelled=stop) as store:
        for start in range(0, len(ids), SEARCH_PAGE):
            page = store.messages(ids[start : start + SEARCH_PAGE])
            rows += [message.row.id for message in page if message.row and holds(message, wanted)]
    return rows
