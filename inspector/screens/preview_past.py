"""A compaction that happened, put together from what the database kept of both sides. No widget."""

from __future__ import annotations

from collections.abc import Callable

from core.compress.measure import measure
from core.compress.retention import retention
from core.explain.events import explain
from core.explain.situation import situation
from core.hermes.markers import SummaryMatch, find_summary
from core.hermes.policy import Policy
from core.model.conversation import Boundary, Generation
from core.model.event import CompressionEvent
from core.model.message import Message
from core.model.plan import Span
from core.store.store import Store
from inspector import format
from inspector.screens.preview_model import Comparison
from inspector.views import Subject


def happened(subject: Subject, generation: Generation, stop: Callable[[], bool]) -> Comparison | None:
    """What the compaction that ended a generation really did; None when nothing followed it."""
    generations = subject.conversation.generations
    if generation.index >= len(generations):
        return None
    successor = generations[generation.index]
    with Store(subject.location, cancelled=stop) as store:
        policy = situation(store, generation.session_id, generation=generation.index).policy
        before = store.generation_messages(generation)
        after = _block(store.generation_messages(successor), successor.boundary)
        event = _event(store, generation)
    return compared(before, after, successor.boundary, policy, event)


def compared(
    before: tuple[Message, ...],
    after: tuple[Message, ...],
    boundary: Boundary | None,
    policy: Policy,
    event: CompressionEvent | None = None,
) -> Comparison:
    """Both sides of a boundary.

    Args:
        before: The generation it closed.
        after: The rows the compaction left: head, summary, tail.
        boundary: How many of them are copies of head and tail.
        policy: Of the release that did it.
        event: What log and rows say about it, when they say anything.
    """
    at = _summary_at(after, boundary)
    head, tail = _cut(before, after, at, boundary)
    middle = Span(head.end, tail.start)
    found = find_summary(after[at].text) if at is not None else None
    focus = event.focus if event else None
    sides = measure(before, policy), measure(after, policy)
    return Comparison(
        before=before,
        after=after,
        head=head,
        middle=middle,
        tail=tail,
        kept=_kept(len(before), len(after), at, head, tail),
        summary_index=at,
        summary=found.body if found else "",
        before_tokens=sides[0].estimated_tokens,
        after_tokens=sides[1].estimated_tokens,
        made_by=_author(found, event),
        real=True,
        focus=focus,
        retention=retention(
            before[middle.start : middle.end],
            found.body,
            focus=focus,
            previous=_previous(before),
            offset=middle.start,
        )
        if found
        else None,
        before_weights=sides[0].estimates,
        after_weights=sides[1].estimates,
        notes=_notes(boundary, event),
    )


def _block(messages: tuple[Message, ...], boundary: Boundary | None) -> tuple[Message, ...]:
    """The rows a compaction wrote: what was said since is not part of it."""
    if boundary is None:
        return messages
    summary = 0 if boundary.summary_row is None else 1
    return messages[: boundary.head_rows + summary + boundary.tail_rows]


def _summary_at(after: tuple[Message, ...], boundary: Boundary | None) -> int | None:
    wanted = boundary.summary_row if boundary else None
    return next((i for i, m in enumerate(after) if m.row is not None and m.row.id == wanted), None)


def _cut(
    before: tuple[Message, ...], after: tuple[Message, ...], at: int | None, boundary: Boundary | None
) -> tuple[Span, Span]:
    count = len(before)
    head = min(boundary.head_rows if boundary else 0, count)
    tail = len(after) - (at + 1 if at is not None else head)
    if boundary is not None and boundary.merged:
        tail += 1  # the summary shares its row with the first message of the tail
    return Span(0, head), Span(max(head, count - tail), count)


def _kept(before: int, after: int, at: int | None, head: Span, tail: Span) -> dict[int, int]:
    """Head from the front, tail from the back: copies keep their order."""
    kept = {index: index for index in range(head.end)}
    for back in range(1, tail.size + 1):
        index = after - back
        if index < head.end or index == at:
            break
        kept[index] = before - back
    return kept


def _previous(before: tuple[Message, ...]) -> str | None:
    found = (find_summary(message.text) for message in before if message.role in ("user", "assistant"))
    return next((match.body for match in found if match), None)


def _event(store: Store, generation: Generation) -> CompressionEvent | None:
    events = explain(store, generation.session_id).events
    return next((event for event in events if event.generation == generation.index and event.completed), None)


def _author(found: SummaryMatch | None, event: CompressionEvent | None) -> str:
    if event is not None and event.summary.model:
        return f"summary by {event.summary.model}"
    if found is None:
        return "no summary"
    return "fallback summary, no model answered" if found.fallback else "summary by a model"


def _notes(boundary: Boundary | None, event: CompressionEvent | None) -> tuple[str, ...]:
    at = event.at if event and event.at else boundary.at if boundary else None
    how = str(boundary.mode).replace("_", "-") if boundary else "unknown"
    words = f"It happened {format.moment(at)}, {how}" if at else f"It happened, {how}"
    return (words, *((event.explanation,) if event and event.explanation else ()))
