"""What to know of a conversation's compactions: lost lines, repeated rows, other engines and models."""

from __future__ import annotations

from collections.abc import Iterator

from core.explain.compactions.foreign_engine import foreign_engine
from core.explain.compactions.refusals import refused_earlier
from core.explain.context.context import ConversationContext
from core.explain.context.gather import next_model
from core.explain.context.log.log_claims import same_model
from core.explain.context.next_request import lacks_stored
from core.explain.context.rows.unsaved_rows import ranges, saved_again
from core.hermes.config.in_force import engine_loaded
from core.hermes.log.record import Kind


def notes_on(context: ConversationContext) -> Iterator[str]:
    """Each as a sentence."""
    log, engine = context.log, foreign_engine(context)
    yield from (*log.problems, *context.conversation.notes, *context.config.notes(context.release.release))
    if log.empty:
        editor = context.conversation.tip.source == "acp"
        gone = "an editor (ACP) keeps the log" if editor else "no log line about this conversation is left"
        yield f"{gone}; causes are computed from rows"
    yield from _loaded_again(context)
    yield from engine.notes if engine is not None else ()
    limits = context.limits_in_force
    yield from refused_earlier(context, None if limits is None else limits.threshold)
    yield from _other_model(context)
    own = next((record for record in reversed(log.records) if record.kind is Kind.NATIVE_DONE), None)
    if own is not None:
        yield f"{own.where}: Codex keeps its own thread and compacts it at its own threshold"
    yield from _left_out(context)
    missing = engine_loaded(log.records)
    if missing is not None and missing.kind is Kind.ENGINE_MISSING:
        yield f"{missing.where}: the engine {missing.reason!r} was not found, so Hermes' own decides"


def _loaded_again(context: ConversationContext) -> Iterator[str]:
    """A note if a resumed session loads more messages than the last process had."""
    again = saved_again(context.conversation, context.log, context.messages)
    if again:
        more = f"{ranges(again)} are stored a second time"
    elif lacks_stored(context):
        more = "the process of the newest turn began without messages that are stored"
    else:
        return
    yield f"{more}: a resumed session loads all {len(context.newest_messages):,}"


def _left_out(context: ConversationContext) -> Iterator[str]:
    """A note if the provider's prompts leave out what came from the cache, by calls read from it whole."""
    calls = [one for one in context.log.counted_calls if one.cached == one.input]
    if len(calls) > 1:
        yield (
            f"{calls[-1].where}: in {len(calls):,} calls as much came from the cache as the prompt is "
            "said to hold: the provider leaves it out of the prompt, so requests were larger than told here"
        )


def _other_model(context: ConversationContext) -> Iterator[str]:
    """A note if another model answered last than the session is booked on, as after `/model` before 0.22."""
    last = next((one for one in reversed(context.log.records) if one.kind is Kind.CALL and one.model), None)
    booked = context.conversation.tip.model
    if last is None or not booked or same_model(last.model or "", booked):
        return
    answered = f"{last.where}: {last.model} answered last"
    if next_model(context.conversation, context.config, context.log) == booked:
        yield (
            f"{answered}; a process that still runs continues with it; "
            f"the window shown is that of {booked}, with which a resumed session begins"
        )
    else:
        yield f"{answered}, the model of config.yaml; the window shown is its, not that of {booked}"
