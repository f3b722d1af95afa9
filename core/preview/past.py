"""A past compaction, put together from what the database kept of both sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from core.compress.planning.measure import measure
from core.explain.context.context import ConversationContext, open_context
from core.explain.context.past_compaction import Past, past_compaction
from core.explain.events import events_of
from core.explain.explanation import Explanation
from core.hermes.markers.markers import SummaryMatch
from core.model.accounting.prompt_cache import Payback
from core.model.compaction.event import CompressionEvent
from core.model.compaction.preview import Retention
from core.model.transcript.conversation import Boundary, Conversation, Generation
from core.preview.comparison import Comparison
from core.preview.words import kept_headline
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store
from core.support import formatting as fmt

_MAX_GAP = timedelta(minutes=2)
"""How far a bill may be from the end of its compaction, as sources may time the two differently."""


def past_event(
    location: Location, conversation: Conversation, generation: Generation, stop: Cancelled
) -> Comparison | None:
    """What the compaction that ended a generation really did; None when nothing followed it."""
    with Store(location, cancelled=stop) as store:
        context = open_context(store, generation.session_id, conversation=conversation)
        past = past_compaction(context, generation)
        return None if past is None else past_comparison(past, _event(context, generation))


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What a compaction lost and cost; None where unknown.

    Attributes:
        local: Whether every request of the conversation went to a server of one's own.
    """

    kept: Retention | None
    payback: Payback | None
    local: bool = False


def kept_of_event(context: ConversationContext, event: CompressionEvent) -> Retention | None:
    """What the summary of a compaction kept; None where no row holds it."""
    generations = context.conversation.generations
    if not event.completed or not event.generation or event.generation > len(generations):
        return None
    past = past_compaction(context, generations[event.generation - 1])
    return past.kept(event) if past else None


def event_of_headline(found: Explanation) -> CompressionEvent | None:
    """The compaction or attempt that a conversation's headline is about."""
    return next((event for event in found.events if event.headline is found.headline), None)


def with_loss(found: Explanation) -> tuple[Explanation, Retention | None]:
    """The explanation, its headlines saying what the summary lost, and what the summary kept.

    Whoever answers why a conversation was compressed starts from this, so that all say the same. The second
    is None if the headline is not about a summary.
    """
    event = event_of_headline(found)
    kept = kept_of_event(found.context, event) if event is not None else None
    if event is None or kept is None:
        return found, None
    headline = kept_headline(event.headline, kept)
    about = replace(event, headline=headline)
    events = tuple(about if one is event else one for one in found.events)
    return replace(found, events=events, headline=headline), kept


def bill_of(event: CompressionEvent, found: Sequence[Payback]) -> Payback | None:
    """The payback of one compaction: the nearest in time."""
    if event.at is None or not found:
        return None
    end = event.at + timedelta(seconds=event.duration or 0)
    nearest = min(found, key=lambda one: abs(one.at - end))
    return nearest if abs(nearest.at - end) <= _MAX_GAP else None


def past_comparison(past: Past, event: CompressionEvent | None = None) -> Comparison:
    """Both sides of a boundary, measured; the event is what log and rows say about it, if anything."""
    before, after, at, found = past.before, past.after, past.summary_at, past.summary
    head, tail = past.cut
    sides = measure(before, past.policy), measure(after, past.policy)
    return Comparison(
        before=before,
        after=after,
        head=head,
        middle=past.middle,
        tail=tail,
        kept=past.origins,
        summary_index=at,
        summary=found.body if found else "",
        before_tokens=sides[0].estimated_tokens,
        after_tokens=sides[1].estimated_tokens,
        made_by=_author(found, event),
        real=True,
        focus=event.focus if event else None,
        retention=past.kept(event),
        before_weights=sides[0].estimates,
        after_weights=sides[1].estimates,
        notes=(*_notes(past.boundary, event), *_logged(event, sides[1].estimated_tokens), *past.notes),
        incomplete=past.incomplete,
    )


def _event(context: ConversationContext, generation: Generation) -> CompressionEvent | None:
    found = (one for one in events_of(context) if one.generation == generation.index and one.completed)
    return next(found, None)


def _author(found: SummaryMatch | None, event: CompressionEvent | None) -> str:
    if event is not None and event.summary.model:
        return f"summary by {event.summary.model}"
    if found is None:
        return "no summary"
    return "fallback summary, no model answered" if found.fallback else "summary by a model"


def _notes(boundary: Boundary | None, event: CompressionEvent | None) -> tuple[str, ...]:
    at = event.at if event and event.at else boundary.at if boundary else None
    how = str(boundary.mode).replace("_", "-") if boundary else "unknown"
    words = f"It happened {fmt.moment(at)}, {how}" if at else f"It happened, {how}"
    return (words, *((event.explanation,) if event and event.explanation else ()))


def _logged(event: CompressionEvent | None, messages_after: int) -> Iterator[str]:
    """Hermes' own counts, if larger than those of the messages alone, which the preview shows."""
    if event is None or event.tokens is None or event.tokens_after is None:
        return
    if event.tokens_after > messages_after:
        counted = f"{event.tokens:,} → {event.tokens_after:,} tokens"
        yield f"these are the messages alone; with system prompt and tools Hermes counted {counted}"
