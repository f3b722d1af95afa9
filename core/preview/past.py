"""A compaction that happened, put together from what the database kept of both sides. No widget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.compress.planning.measure import measure
from core.compress.retention.score import retention_of
from core.explain.context.closed_generation import closing_rows
from core.explain.context.generation import generation_context
from core.explain.context.rows.unsaved_rows import copied_rows
from core.explain.events import explain
from core.hermes.markers.markers import SummaryMatch, find_summary
from core.hermes.policy.policy import Policy
from core.model.accounting.prompt_cache import Payback
from core.model.compaction.event import CompressionEvent
from core.model.compaction.plan import Span
from core.model.compaction.preview import Retention
from core.model.transcript.conversation import Boundary, Conversation, Generation
from core.model.transcript.message import Message
from core.preview.comparison import Comparison
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store

NEVER_WRITTEN = "the session it began was never written to, so what it left is not known"

_NEAR = timedelta(minutes=2)
"""How far a bill may lie from the end of its compaction: different sources may time the two."""


@dataclass(frozen=True, slots=True)
class Past:
    """Both sides of a boundary as stored.

    Attributes:
        before: What the compaction read: the generation it closed, with the turn that was running.
        after: What it left: copies around the summary, then the rows of that turn, which are in both.
        boundary: How many of them are copies of head and tail.
        policy: Of the release that did it.
        earlier: What was said before and taken out by the compactions before it.
        incomplete: Before and after: the database kept only some of the messages.
        notes: Why, and where else the rows differ from what Hermes held in memory.
    """

    before: tuple[Message, ...]
    after: tuple[Message, ...]
    boundary: Boundary | None
    policy: Policy
    earlier: tuple[Message, ...] = ()
    incomplete: tuple[bool, bool] = (False, False)
    notes: tuple[str, ...] = ()

    @property
    def summary_at(self) -> int | None:
        """Where the summary stands after; None where no row holds it."""
        wanted = self.boundary.summary_row if self.boundary else None
        return next((i for i, m in enumerate(self.after) if m.row is not None and m.row.id == wanted), None)

    @property
    def summary(self) -> SummaryMatch | None:
        """The summary as written."""
        at = self.summary_at
        return None if at is None else find_summary(self.after[at].text)

    @property
    def both(self) -> dict[int, int]:
        """For each message after that is the same row before, where it stood."""
        places = {message.row.id: index for index, message in enumerate(self.before) if message.row}
        found = ((index, places.get(m.row.id)) for index, m in enumerate(self.after) if m.row)
        return {index: place for index, place in found if place is not None}

    @property
    def copied(self) -> tuple[int, int]:
        """How many messages before were copied from, how many after are copies or the summary."""
        both, here = self.both, self.boundary
        if here is None:
            return len(self.before), min(both, default=len(self.after))
        written = here.head_rows + (here.summary_row is not None) + here.tail_rows
        return min(both.values(), default=len(self.before)), min(written, len(self.after))

    @property
    def cut(self) -> tuple[Span, Span]:
        """Head and tail of what it read."""
        (count, written), at = self.copied, self.summary_at
        head = min(self.boundary.head_rows if self.boundary else 0, count)
        tail = written - (at + 1 if at is not None else head)
        if self.boundary is not None and self.boundary.merged:
            tail += 1  # the summary shares its row with the first message of the tail
        return Span(0, head), Span(max(head, count - tail), len(self.before))

    @property
    def origins(self) -> dict[int, int]:
        """For each message after, where it stood before: copies keep their order from both ends."""
        (head, tail), (count, written), at = self.cut, self.copied, self.summary_at
        found = {index: index for index in range(head.end)} | self.both
        for back in range(1, count - tail.start + 1):
            index = written - back
            if index < head.end or index == at:
                break
            found[index] = count - back
        return found

    def kept(self, focus: str | None) -> Retention | None:
        """What the summary kept of the middle; None without one, or where not all of the middle is there."""
        (head, tail), found = self.cut, self.summary
        if found is None or self.incomplete[0]:
            return None
        cut, previous = Span(head.end, tail.start), _previous(self.before)
        return retention_of(
            self.before, cut, found.body, focus=focus, previous=previous, earlier=self.earlier
        )


def happened(
    location: Location, generations: Sequence[Generation], generation: Generation, stop: Cancelled
) -> Comparison | None:
    """What the compaction that ended a generation really did; None when nothing followed it."""
    with Store(location, cancelled=stop) as store:
        past = past_of(store, generations, generation)
        return None if past is None else compared(past, _event(store, generation))


def past_of(store: Store, generations: Sequence[Generation], generation: Generation) -> Past | None:
    """Both sides of the compaction that ended a generation; None when nothing followed it."""
    if generation.index >= len(generations):
        return None
    opened = generations[generation.index]
    here = generation_context(store, generation.session_id, generation=generation.index)
    rows, ended = closing_rows(here.context, generation), here.closed
    left = opened.row_ids[: copied_rows(opened)] if opened.boundary else opened.row_ids
    after = store.messages(rows.after if rows and rows.after else left)
    lacking = rows is not None and not opened.row_ids
    notes = (*ended.notes, *((NEVER_WRITTEN,) if lacking else ()))
    incomplete = (ended.incomplete, lacking)
    past = (row for one in generations[: generation.index - 1] for row in one.row_ids)
    earlier = store.messages(list(dict.fromkeys(past)))
    return Past(here.messages, after, opened.boundary, here.policy, earlier, incomplete, notes)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What a compaction lost and cost; None where nothing tells."""

    kept: Retention | None
    payback: Payback | None


def kept_of_event(store: Store, conversation: Conversation, event: CompressionEvent) -> Retention | None:
    """What the summary of a compaction kept; None where no row holds it."""
    generations = conversation.generations
    if not event.completed or not event.generation or event.generation > len(generations):
        return None
    past = past_of(store, generations, generations[event.generation - 1])
    return past.kept(event.focus) if past else None


def bill_of(event: CompressionEvent, found: Sequence[Payback]) -> Payback | None:
    """The bill of one compaction."""
    if event.at is None or not found:
        return None
    end = event.at + timedelta(seconds=event.duration or 0)
    nearest = min(found, key=lambda one: abs(one.at - end))
    return nearest if abs(nearest.at - end) <= _NEAR else None


def compared(past: Past, event: CompressionEvent | None = None) -> Comparison:
    """Both sides of a boundary, measured.

    Args:
        past: The rows.
        event: What log and rows say about it, when they say anything.
    """
    before, after, at, found = past.before, past.after, past.summary_at, past.summary
    head, tail = past.cut
    focus = event.focus if event else None
    sides = measure(before, past.policy), measure(after, past.policy)
    return Comparison(
        before=before,
        after=after,
        head=head,
        middle=Span(head.end, tail.start),
        tail=tail,
        kept=past.origins,
        summary_index=at,
        summary=found.body if found else "",
        before_tokens=sides[0].estimated_tokens,
        after_tokens=sides[1].estimated_tokens,
        made_by=_author(found, event),
        real=True,
        focus=focus,
        retention=past.kept(focus),
        before_weights=sides[0].estimates,
        after_weights=sides[1].estimates,
        notes=(*_notes(past.boundary, event), *_logged(event, sides[1].estimated_tokens), *past.notes),
        incomplete=past.incomplete,
    )


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
    words = f"It happened {at.astimezone():%Y-%m-%d %H:%M:%S}, {how}" if at else f"It happened, {how}"
    return (words, *((event.explanation,) if event and event.explanation else ()))


def _logged(event: CompressionEvent | None, messages_after: int) -> Iterator[str]:
    """What Hermes counted where that is more than the messages, of which the preview tells."""
    if event is None or event.tokens is None or event.tokens_after is None:
        return
    if event.tokens_after > messages_after:
        counted = f"{event.tokens:,} → {event.tokens_after:,} tokens"
        yield f"these are the messages alone; with system prompt and tools Hermes counted {counted}"
