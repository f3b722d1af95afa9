"""A past compaction as the database kept it: the messages before and after."""

from __future__ import annotations

from dataclasses import dataclass

from core.compress.retention.score import retention_of
from core.explain.context.context import ConversationContext
from core.explain.context.generation import closed, closing_rows
from core.explain.context.rows.boundary_rows import BoundaryRows
from core.explain.context.rows.unsaved_rows import copied_rows
from core.hermes.markers.markers import SummaryMatch, find_summary
from core.hermes.policy.policy import Policy
from core.model.compaction.event import CompressionEvent, SummaryStatus
from core.model.compaction.plan import Span
from core.model.compaction.preview import Retention
from core.model.transcript.conversation import Boundary, Generation
from core.model.transcript.message import Message

NEVER_WRITTEN = "the session it began was never written to, so what it left is not known"


@dataclass(frozen=True, slots=True)
class Past:
    """Both sides of a boundary as stored.

    Attributes:
        before: What the compaction read: the generation it closed, with the turn that was running.
        after: What it left: copies around the summary, then the rows of that turn, which are in both.
        boundary: How many of these are copies of head and tail.
        policy: The rules of the release that ran it.
        earlier: Messages that earlier compactions had removed.
        incomplete: For `before` and `after`: the database kept only some of the messages.
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
        """The index of the summary in `after`; None where no row holds it."""
        summary_row = self.boundary.summary_row if self.boundary else None
        return next(
            (i for i, m in enumerate(self.after) if m.row is not None and m.row.id == summary_row), None
        )

    @property
    def summary(self) -> SummaryMatch | None:
        """The summary as written."""
        at = self.summary_at
        return None if at is None else find_summary(self.after[at].text)

    @property
    def both(self) -> dict[int, int]:
        """The index in `before` by the index in `after`, for rows that are in both."""
        places = {message.row.id: index for index, message in enumerate(self.before) if message.row}
        found = ((index, places.get(m.row.id)) for index, m in enumerate(self.after) if m.row)
        return {index: place for index, place in found if place is not None}

    @property
    def copied(self) -> tuple[int, int]:
        """How many of `before` were copied from, and how many of `after` are copies or the summary."""
        both, here = self.both, self.boundary
        if here is None:
            return len(self.before), min(both, default=len(self.after))
        written = here.head_rows + (here.summary_row is not None) + here.tail_rows
        return min(both.values(), default=len(self.before)), min(written, len(self.after))

    @property
    def cut(self) -> tuple[Span, Span]:
        """Head and tail of `before`."""
        (count, written), at = self.copied, self.summary_at
        head = min(self.boundary.head_rows if self.boundary else 0, count)
        tail = written - (at + 1 if at is not None else head)
        if self.boundary is not None and self.boundary.merged:
            tail += 1  # the summary shares its row with the first message of the tail
        return Span(0, head), Span(max(head, count - tail), len(self.before))

    @property
    def origins(self) -> dict[int, int]:
        """The index in `before` by the index in `after`; copies are matched in order from both ends."""
        (head, tail), (count, written), at = self.cut, self.copied, self.summary_at
        found = {index: index for index in range(head.end)} | self.both
        for back in range(1, count - tail.start + 1):
            index = written - back
            if index < head.end or index == at:
                break
            found[index] = count - back
        return found

    @property
    def middle(self) -> Span:
        """The messages that the summary replaced."""
        head, tail = self.cut
        return Span(head.end, tail.start)

    def kept(self, event: CompressionEvent | None = None, *, brief: bool = False) -> Retention | None:
        """What the summary kept of the middle; None without a summary, or if the middle is incomplete.

        Args:
            event: What log and rows say about the compaction.
            brief: See `retention`.
        """
        if (found := self.summary) is None or self.incomplete[0]:
            return None
        return retention_of(
            self.before,
            self.middle,
            found.body,
            focus=event.focus if event else None,
            previous=_previous(self.before),
            earlier=self.earlier,
            by_rule=found.fallback or (event is not None and event.summary.status is SummaryStatus.INSPECTOR),
            brief=brief,
        )


def past_compaction(context: ConversationContext, generation: Generation) -> Past | None:
    """Both sides of the compaction that ended a generation; None when nothing followed it."""
    generations = context.conversation.generations
    if generation.index >= len(generations):
        return None
    opened = generations[generation.index]
    rows, ended = closing_rows(context, generation), closed(context, generation)
    left = opened.row_ids[: copied_rows(opened)] if opened.boundary else opened.row_ids
    lacking = rows is not None and not opened.row_ids
    past = (row for one in generations[: generation.index - 1] for row in one.row_ids)
    return Past(
        ended.messages,
        context.messages(rows.after if rows and rows.after else left),
        opened.boundary,
        context.policy(None),
        context.messages(list(dict.fromkeys(past))),
        (ended.incomplete, lacking),
        (*ended.notes, *((NEVER_WRITTEN,) if lacking else ())),
    )


def past_of(context: ConversationContext, rows: BoundaryRows) -> Past | None:
    """The same for a compaction found in rows; None where it opened the first generation on disk."""
    closed = [one for one in context.conversation.generations if one.index == rows.opened.index - 1]
    return past_compaction(context, closed[0]) if closed else None


def _previous(before: tuple[Message, ...]) -> str | None:
    found = (find_summary(message.text) for message in before if message.role in ("user", "assistant"))
    return next((match.body for match in found if match), None)
