"""Which rows of the middle are summarised, and which turns `/compress here N` keeps word for word.

Hermes 0.16 and later set those turns aside, compress what precedes them as if it were the whole
conversation, with its own head and tail, and append them again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from core.compress.messages.kinds import is_summary
from core.compress.planning.measure import Measured, measure
from core.compress.planning.prune import Pruning
from core.compress.pruning.old_outputs import old_results
from core.compress.sizing.estimate import Size, as_tokens, numbers
from core.compress.sizing.threshold import Budgets
from core.model.compaction.plan import Plan, Span
from core.model.transcript.message import Message

_NOTHING = Size(0, 0, 0)
MAX_TURNS = 100
"""The most turns a user can keep."""


@dataclass(frozen=True)
class Window:
    """The rows to summarise.

    Attributes:
        span: Where they are.
        left_out: Positions inside `span` that are not shown to the summariser.
        earlier: Positions of earlier summaries that the new one continues.
        tail_start: First row kept after the summary; after the middle when an earlier summary was there.
        before: Position of a summary before `span` whose live half is summarised too; None for none.
    """

    span: Span
    left_out: frozenset[int]
    earlier: tuple[int, ...]
    tail_start: int
    before: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to summarise, because the middle held only earlier summaries."""
        removed = sum(1 for i in self.left_out if self.span.start <= i < self.span.end)
        return self.before is None and self.span.size <= removed

    @cached_property
    def turns(self) -> tuple[int, ...]:
        """Positions of the rows to summarise."""
        inside = tuple(i for i in range(*self.span) if i not in self.left_out)
        return inside if self.before is None else (self.before, *inside)


def summary_window(measured: Measured, middle: Span, pruned: Collection[int]) -> Window:
    """Find the rows of the middle to summarise and the summaries they continue.

    A tool result that quoted a summary holds none any more if its position is in `pruned`.
    """
    rules = measured.policy.summary
    summaries = tuple(i for i in measured.columns.summaries if i not in pruned or _stays(measured, i))
    first = int(measured.columns.has_system)
    if rules.every_summary:
        return _without_summaries(measured, middle, tuple(i for i in summaries if i >= first))
    lower = middle.start if rules.search == "window" else first
    earlier = [i for i in summaries if lower <= i < middle.end]
    start = max(middle.start, earlier[-1] + 1) if earlier else middle.start
    return Window(Span(start, middle.end), frozenset(), tuple(earlier[-1:]), middle.end)


def _stays(measured: Measured, position: int) -> bool:
    return is_summary(measured.shrunk[position].wire, measured.policy.summary)


def _without_summaries(measured: Measured, middle: Span, earlier: tuple[int, ...]) -> Window:
    """All summaries leave the middle; one after it pulls the rows before it into the middle."""
    leftovers = measured.columns.leftovers
    newest = earlier[-1] if earlier else -1
    removed = {i for i in earlier if leftovers.get(i) is None} | set(measured.columns.echoes)
    if newest < 0 or newest >= middle.start:
        end = max(middle.end, newest + 1)
        return Window(Span(middle.start, end), frozenset(removed), earlier, end)
    # The newest summary lies in the head: what it was merged into is summarised again, and with it
    # everything behind it.
    before = newest if leftovers.get(newest) is not None else None
    return Window(Span(newest + 1, middle.end), frozenset(removed), earlier, middle.end, before)


def summary_budget(measured: Measured, pruning: Pruning, middle: Span, limits: Budgets, *, lean: bool) -> int:
    """How many tokens the summary is asked to stay within.

    Rows that an old summary pulls in from a `lean` tail may already be notes.
    """
    rules = measured.policy.summary
    window = summary_window(measured, middle, pruning.shrunk)
    noted = _noted(measured, middle, window) if lean else frozenset()
    tokens = _window_tokens(measured, pruning, window, noted)
    ratio = next((band.ratio for band in rules.bands if tokens < band.below), rules.ratio)
    return max(rules.least, min(int(tokens * ratio), limits.summary_cap))


def _noted(measured: Measured, middle: Span, window: Window) -> frozenset[int]:
    """Rows of the tail that the window includes as notes."""
    if window.span.end <= middle.end:
        return frozenset()
    rows = measured.columns
    shift = len(rows.echoes)
    tail = [i for i in range(middle.end, len(rows)) if rows.roles[i] == "tool"]
    # Positions are counted after the blank echoes are removed.
    places = {i - shift if i >= rows.echoes.stop else i: i for i in tail}
    old = old_results(tuple(places), measured.policy.tail.demote_rounds)
    return frozenset(places[place] for place in old).intersection(measured.noted_sizes)


def _window_tokens(measured: Measured, pruning: Pruning, window: Window, noted: frozenset[int]) -> int:
    """The estimate of the rows to summarise: their sum, corrected for shortened and left-out rows."""
    start, end = window.span
    sizes = measured.sizes
    text, pictures = sum(sizes.text[start:end]), sum(sizes.images[start:end])
    for i, size in _changes(measured, pruning, window, noted).items():
        old = sizes[i] if start <= i < end else _NOTHING
        text += size.text - old.text
        pictures += size.images - old.images
    rules = measured.policy.estimate
    return as_tokens(text, rules) + pictures * rules.image_tokens


def _changes(measured: Measured, pruning: Pruning, window: Window, noted: frozenset[int]) -> dict[int, Size]:
    start, end = window.span
    changes = {i: size for i, size in measured.duplicate_sizes.items() if start <= i < end}
    changes |= {i: s for i, s in measured.columns.leftovers.items() if s is not None and start <= i < end}
    changes |= {i: measured.noted_sizes[i] for i in noted if start <= i < end}
    changes |= {i: measured.shrunk_sizes[i] for i in pruning.shrunk if start <= i < end}
    changes |= {i: _NOTHING for i in window.left_out if start <= i < end}
    if window.before is not None:
        changes[window.before] = measured.columns.leftovers[window.before] or _NOTHING
    return changes


def clamped(turns: int) -> int:
    """The number of turns Hermes would use instead: 1 to 100."""
    return max(1, min(turns, MAX_TURNS))


def boundary(messages: Sequence[Message], turns: int) -> int | None:
    """Where the last user turns begin; every user message is one; the earliest if there are fewer.

    None when nothing would come before it: then everything is compressed, as without a number.
    """
    asked = [i for i, message in enumerate(messages) if message.role == "user"]
    return (asked[-clamped(turns) :] or [0])[0] or None


def part_of(measured: Measured, plan: Plan, start: int) -> tuple[Measured, Plan]:
    """The messages before the kept turns and their plan, as if they were the whole conversation."""
    part = measure(measured.messages[:start], measured.policy)
    return part, replace(
        plan,
        kept_from=None,
        messages=start,
        tail=Span(plan.tail.start, start),
        estimated_tokens=part.estimated_tokens,
        weights=plan.weights[:start],
        estimates=part.estimates,
    )


def widened(part: Plan, measured: Measured, compared: int) -> Plan:
    """The plan of the messages before the kept turns, extended to all messages."""
    start, count = part.messages, len(measured.messages)
    fires = part.threshold_tokens is not None and compared >= part.threshold_tokens
    return replace(
        part,
        kept_from=start,
        messages=count,
        tail=Span(part.tail.start, count),
        would_fire=fires and not part.blocked_by,
        compared_tokens=compared,
        estimated_tokens=measured.estimated_tokens,
        weights=numbers(part.weights, measured.weights.full[start:]),
        estimates=measured.estimates,
        arithmetic=(
            f"the last {count - start} messages stay; the {start} before them are cut on their own",
            *part.arithmetic,
        ),
    )


def rejoined(compressed: tuple[Message, ...], kept: tuple[Message, ...]) -> tuple[Message, ...]:
    """The compressed part followed by the kept turns; two messages of one role are never adjacent.

    Adjacent texts are joined by a blank line; where one is not text, an empty message is put between them.
    """
    if not compressed or not kept:
        return compressed + kept
    last, first = compressed[-1], kept[0]
    if last.role != first.role or last.role not in ("user", "assistant"):
        return compressed + kept
    if isinstance(last.content, str) and isinstance(first.content, str):
        joined = last.with_wire(content=f"{last.content}\n\n{first.content}")
        return (*compressed[:-1], joined, *kept[1:])
    bridge = Message({"role": "assistant" if first.role == "user" else "user", "content": ""})
    return (*compressed, bridge, *kept)
