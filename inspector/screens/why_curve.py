"""The prompt size of a conversation over its calls, and where compactions fell on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from core.explain.explanation import Explanation
from core.hermes.log import Kind
from core.model.event import CompressionEvent


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
    """

    samples: tuple[Sample, ...]
    marks: tuple[int, ...]
    threshold: int | None
    measured: bool


def curve_of(explanation: Explanation) -> Curve:
    """The calls the log still holds, else what is known around each compaction."""
    calls = tuple(
        Sample(record.input, explanation.clock.utc(record.at))
        for record in explanation.log.records
        if record.kind is Kind.CALL and record.input
    )
    events, now = explanation.events, explanation.now
    if len(calls) < 2:
        samples, marks = _around(events, now.tokens)
        return Curve(samples, marks, now.threshold, measured=False)
    return Curve(calls, tuple(_before(calls, event.at) for event in events), now.threshold, measured=True)


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
