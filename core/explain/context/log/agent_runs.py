"""Which lines of a log one and the same running agent wrote."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from core.hermes.log.record import Kind, LogRecord

_TELLING = frozenset({Kind.TURN, Kind.CALL, Kind.STARTED, Kind.DONE, Kind.NATIVE_STARTED})


def runs_of(records: Sequence[LogRecord], sessions: Collection[str]) -> Mapping[str, int]:
    """The number of the run each line belongs to, by its place; lines that cannot be told are left out.

    An agent numbers its calls without gaps, over turns and rotations; a new process, a branch or another
    model begins at 1. A turn belongs with its first answered call, whatever ran before it.

    Args:
        records: Lines of the log, in time order.
        sessions: The conversation's sessions.
    """
    found: dict[str, int] = {}
    waiting: list[LogRecord] | None = None
    run, last = 0, 0
    for record in records:
        if record.session not in sessions:
            continue
        if record.kind is Kind.TURN:
            waiting = []
        if record.kind is Kind.CALL:
            run += record.number != last + 1 or not run
            last = record.number or 0
            found |= {line.where: run for line in waiting or ()}
            waiting = None
        if waiting is not None:
            waiting.append(record)
        elif run:
            found[record.where] = run
    return found


def passed_over(records: Iterable[LogRecord], model: str | None) -> Iterator[LogRecord]:
    """Answered calls whose size was looked at and let pass: another call followed in the same turn.

    What follows an attempt that failed is left out, because a pause held the check back; likewise what
    follows a second one, because strikes may have.

    Args:
        records: Lines of one run, in time order.
        model: Only its calls; None for any.
    """
    attempts = 0
    for record, following in pairwise(record for record in records if record.kind in _TELLING):
        attempts += record.kind is Kind.STARTED
        if attempts > 1 or (record.kind is Kind.STARTED and following.kind is not Kind.DONE):
            return
        if record.kind is following.kind is Kind.CALL and model in (None, record.model):
            yield record
