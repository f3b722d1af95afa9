"""The prompt size of a conversation over its calls, and where compactions fell on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.explain.explanation import Explanation
from core.hermes.log.record import Kind
from core.model.compaction.event import CompressionEvent


@dataclass(frozen=True, slots=True)
class Sample:
    """What one call of the model carried; `at` is None where only rows tell."""

    tokens: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """Prompt tokens in the order of the calls.

    Attributes:
        marks: For each event in order, how many samples lie before it.
        threshold: As in force at the end; None when nobody knows.
        measured: The provider counted; otherwise only sizes around compactions are known.
        switches: How many samples lie before each call that another model answered than the one before.
        errors: How many samples lie before each call that failed.
    """

    samples: tuple[Sample, ...]
    marks: tuple[int, ...]
    threshold: int | None
    measured: bool
    switches: tuple[int, ...] = ()
    errors: tuple[int, ...] = ()


def curve_of(explanation: Explanation) -> Curve:
    """The calls the log still holds, else what is known around each compaction."""
    answered = [one for one in explanation.log.records if one.kind is Kind.CALL and one.input]
    calls = tuple(Sample(one.input or 0, explanation.clock.utc(one.at)) for one in answered)
    events, now = explanation.events, explanation.now
    if len(calls) < 2:
        samples, marks = _around(events, now.tokens)
        return Curve(samples, marks, now.threshold, measured=False)
    failed = (one.at for one in explanation.log.records if one.kind is Kind.CALL_FAILED)
    return Curve(
        calls,
        tuple(_before(calls, event.at) for event in events),
        now.threshold,
        measured=True,
        switches=tuple(_switches([one.model for one in answered])),
        errors=tuple(_before(calls, explanation.clock.utc(at)) for at in failed),
    )


def _switches(models: Sequence[str | None]) -> Iterator[int]:
    """Where the model differs from the last one named before it; a call that names none tells nothing."""
    last: str | None = None
    for place, model in enumerate(models):
        if model and last and model != last:
            yield place
        last = model or last


def _before(calls: Sequence[Sample], at: datetime | None) -> int:
    if at is None:
        return 0
    return sum(1 for call in calls if call.at is not None and call.at < at)


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
