"""The curve of a conversation's prompt sizes, call by call, with its compactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import overload

from core.explain.context.context import ConversationContext
from core.explain.context.log.log_clock import Clock
from core.explain.explanation import Explanation
from core.hermes.log.record import Kind, LogRecord
from core.model.compaction.event import CompressionEvent
from core.support import formatting as fmt
from inspector.terminal.glyphs import FAILED, SWITCHED
from inspector.widgets.charts.curve import THRESHOLD, Mark, RequestCurve, place_of, sampled
from inspector.widgets.charts.stack import Layer, prompt_layers

REFUSES = "the provider refuses"
FINEST = 500
"""Most requests drawn separately; more than a terminal has columns."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The prompt of one model call; `at` is None if only rows tell.

    Attributes:
        cached, written: Tokens read from the cache and written to it; None if the log does not say.
    """

    tokens: int
    at: datetime | None = None
    cached: int | None = None
    written: int | None = None


@dataclass(frozen=True, slots=True)
class Calls(Sequence[Sample]):
    """Answered calls as samples, each made on demand: a followed session has thousands."""

    records: Sequence[LogRecord]
    clock: Clock

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, place: int) -> Sample: ...
    @overload
    def __getitem__(self, place: slice) -> Calls: ...
    def __getitem__(self, place: int | slice) -> Sample | Calls:
        if isinstance(place, slice):
            return Calls(self.records[place], self.clock)
        one = self.records[place]
        return Sample(one.input or 0, self.clock.utc(one.at), one.cached or 0, one.written)


@dataclass(frozen=True, slots=True)
class Curve:
    """Prompt tokens in the order of the calls.

    Attributes:
        marks: For each event, in order, how many samples come before it.
        threshold: The one in force at the end, or the lower size beyond which the provider refuses; None if
            unknown.
        measured: The provider's counts; otherwise only sizes around compactions are known.
        switches: How many samples come before each call answered by a different model than the last.
        errors: How many samples come before each failed call.
        calls: How many calls the samples represent; None if one each.
    """

    samples: Sequence[Sample]
    marks: tuple[int, ...]
    threshold: int | None
    measured: bool
    switches: tuple[int, ...] = ()
    errors: tuple[int, ...] = ()
    calls: int | None = None
    limit_name: str = THRESHOLD

    @property
    def values(self) -> tuple[int, ...]:
        """Tokens of each prompt."""
        return tuple([tokens for tokens, _, _ in self._parts()])

    @property
    def layers(self) -> tuple[Layer, ...]:
        """What each prompt is made of."""
        return prompt_layers(self._parts())

    def _parts(self) -> Iterator[tuple[int, int | None, int | None]]:
        """Tokens of each prompt, how many were read from the cache and written to it."""
        if isinstance(self.samples, Calls):
            return ((one.input or 0, one.cached or 0, one.written) for one in self.samples.records)
        return ((sample.tokens, sample.cached, sample.written) for sample in self.samples)


def curve_of(explanation: Explanation, most: int | None = None) -> Curve:
    """The calls that are still in the log, otherwise the sizes known around each compaction.

    If there are more than `most`, the largest of each group represents it.
    """
    log, clock = explanation.context.log, explanation.context.clock
    answered = answered_calls(explanation.context).records
    shown = answered
    if most is not None and len(answered) > most:
        shown = [answered[place] for place in sampled([one.input or 0 for one in answered], most)]
    calls = Calls(shown, clock)
    events, now = explanation.events, explanation.now
    name = THRESHOLD if now.refused_beyond is None else REFUSES
    if len(calls) < 2:
        return Curve(*_around(events, now.tokens), now.most, measured=False, limit_name=name)
    failed = [record.at for record in log.records if record.kind is Kind.CALL_FAILED]
    times = [clock.utc(one.at) for one in shown] if events or failed else []
    marks = tuple(_before(times, event.at) for event in events)
    switches = (place_of(at, len(answered), len(calls)) for at in _switches([one.model for one in answered]))
    errors = tuple(_before(times, clock.utc(at)) for at in failed)
    return Curve(calls, marks, now.most, True, tuple(switches), errors, len(answered), name)


def answered_calls(context: ConversationContext) -> Calls:
    """The calls of a conversation whose prompt size is in the log, oldest first."""
    return Calls(context.log.counted_calls, context.clock)


def _switches(models: Sequence[str | None]) -> Iterator[int]:
    """Where the model differs from the last one named; calls without a model are skipped."""
    last: str | None = None
    for place, model in enumerate(models):
        if model and last and model != last:
            yield place
        last = model or last


def _before(calls: Sequence[datetime], at: datetime | None) -> int:
    return 0 if at is None else sum(call < at for call in calls)


def _around(
    events: Sequence[CompressionEvent], last: int | None
) -> tuple[tuple[Sample, ...], tuple[int, ...]]:
    samples: list[Sample] = []
    marks: list[int] = []
    for event in events:
        samples += [Sample(event.tokens, event.at)] if event.tokens is not None else []
        marks.append(len(samples))
        samples += [Sample(event.tokens_after, event.at)] if event.tokens_after is not None else []
    samples += [Sample(last)] if last is not None else []
    return tuple(samples), tuple(marks)


def asides(curve: Curve) -> tuple[Mark, ...]:
    """Marks for model switches, and above them for failed calls."""
    switches = (Mark(after, "severity-info", SWITCHED) for after in curve.switches)
    return (*switches, *(Mark(after, "severity-critical", FAILED) for after in curve.errors))


def caption(curve: Curve) -> str:
    """What the curve shows."""
    if not curve.samples:
        return "no size of a call or compaction is on record"
    what = f"prompt tokens of {fmt.plural(curve.calls or len(curve.samples), 'call')}"
    if not curve.measured:
        what = "the log has no calls: only sizes around compactions are known"
    if curve.switches:
        what += f" · {SWITCHED} {fmt.plural(len(curve.switches), 'model switch', 'model switches')}"
    if curve.errors:
        what += f" · {FAILED} {fmt.plural(len(curve.errors), 'failed call')}"
    return what


def ends(curve: Curve) -> tuple[str, str]:
    """When the curve begins and ends; empty if only rows tell."""
    first = next((sample.at for sample in curve.samples if sample.at is not None), None)
    last = next((sample.at for sample in reversed(curve.samples) if sample.at is not None), None)
    return fmt.ends(first, last) if first is not None and last is not None else ("", "")


def read_out(curve: Curve, place: int) -> str:
    """One call in words: when, its size, how much came from the cache."""
    one = curve.samples[place]
    at = f"{fmt.clock(one.at, seconds=False)} · " if one.at is not None else ""
    what = f"{at}{fmt.count(one.tokens)} tokens"
    if one.cached is not None:
        what += f" · {fmt.short(one.cached)} from the cache, {fmt.short(one.tokens - one.cached)} not"
    if curve.threshold:
        left = curve.threshold - one.tokens
        what += f" · {fmt.short(abs(left))} {'below' if left > 0 else 'over'} the limit"
    return f"call {place + 1:,} of {len(curve.samples):,} · {what}" if curve.measured else what


def marks_of(curve: Curve, explanation: Explanation) -> tuple[Mark, ...]:
    """The marks of the compactions on a curve, in their colours."""
    marks = zip(curve.marks, explanation.events, strict=True)
    return tuple(Mark(after, mark_token(one)) for after, one in marks)


def request_curve(explanation: Explanation) -> RequestCurve:
    """The curve of a conversation for other screens."""
    curve = curve_of(explanation, FINEST)
    return RequestCurve(
        curve.values,
        curve.layers,
        curve.threshold,
        marks_of(curve, explanation),
        asides(curve),
        caption(curve),
        ends(curve),
        curve.limit_name,
    )


def mark_token(event: CompressionEvent) -> str:
    """The colour of a compaction's number; failed attempts stand out."""
    return "part-middle" if event.completed else "severity-critical"
