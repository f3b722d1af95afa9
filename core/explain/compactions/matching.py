"""Which attempt of the log belongs to which compaction of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import NamedTuple

from core.explain.compactions.attempts import Attempt
from core.explain.context.log.log_clock import Clock
from core.explain.context.rows.boundary_rows import BoundaryRows
from core.model.compaction.event import Trigger
from core.model.transcript.boundary import BoundaryMode

_CLOSE = timedelta(seconds=15)
_FAR = timedelta(hours=15)


Fits = Callable[[Attempt, BoundaryRows], bool]


class Match(NamedTuple):
    """One compaction as both sources tell it; one side may be missing."""

    attempt: Attempt | None
    rows: BoundaryRows | None


def match(attempts: Sequence[Attempt], boundaries: Sequence[BoundaryRows], clock: Clock) -> tuple[Match, ...]:
    """Pair attempts with boundaries: by the session a rotation created, by time, by counts, by the one left.

    Both lists are in time order and so are the pairs. An attempt without rows was aborted, or its rows are
    gone; rows without an attempt happened when no log was kept.
    """
    pairs: dict[int, int] = {}
    for fits in (_same_child, _same_moment(clock), _same_counts(clock), _same_parent):
        _pair(pairs, attempts, boundaries, fits)
    taken = set(pairs.values())
    found = [Match(attempts[pairs[i]] if i in pairs else None, rows) for i, rows in enumerate(boundaries)]
    found += [Match(attempt, None) for i, attempt in enumerate(attempts) if i not in taken]
    return tuple(found)


def _pair(
    pairs: dict[int, int],
    attempts: Sequence[Attempt],
    boundaries: Sequence[BoundaryRows],
    fits: Fits,
) -> None:
    taken = set(pairs.values())
    for i, rows in enumerate(boundaries):
        if i in pairs:
            continue
        # Pairs keep the order of both lists: nothing may reach past an older or a newer pair.
        low = max((pairs[j] for j in pairs if j < i), default=-1)
        high = min((pairs[j] for j in pairs if j > i), default=len(attempts))
        for j in range(low + 1, high):
            if j not in taken and _writes_rows(attempts[j]) and fits(attempts[j], rows):
                pairs[i] = j
                taken.add(j)
                break


def _writes_rows(attempt: Attempt) -> bool:
    """A provider that compacts its own thread leaves Hermes' transcript as it is."""
    return attempt.cause.trigger is not Trigger.NATIVE


def _same_child(attempt: Attempt, rows: BoundaryRows) -> bool:
    rotated = rows.boundary.mode is BoundaryMode.ROTATION
    return rotated and attempt.done is not None and attempt.done.session == rows.opened.session_id


def _same_parent(attempt: Attempt, rows: BoundaryRows) -> bool:
    """A session is rotated once: an attempt in it whose end is lost was this one, whatever the clock says."""
    rotated = rows.boundary.mode is BoundaryMode.ROTATION
    return rotated and attempt.done is None and attempt.session == rows.session


def _same_session(attempt: Attempt, rows: BoundaryRows) -> bool:
    """An attempt opens in the session it closes; a `done` line alone names the one it created."""
    alone = attempt.started is None and attempt.telemetry is None
    return attempt.session == (rows.opened.session_id if alone else rows.session)


def _same_moment(clock: Clock) -> Fits:
    def fits(attempt: Attempt, rows: BoundaryRows) -> bool:
        if rows.at is None or not _same_session(attempt, rows):
            return False
        return clock.utc(attempt.first.at) - _CLOSE <= rows.at <= clock.utc(attempt.last.at) + _CLOSE

    return fits


def _same_counts(clock: Clock) -> Fits:
    """The log's clock may be off; counts on both sides of the compaction are as good as a time."""

    def fits(attempt: Attempt, rows: BoundaryRows) -> bool:
        done = attempt.done
        if done is None or not _same_session(attempt, rows):
            return False
        near = rows.at is None or abs(clock.utc(done.at) - rows.at) <= _FAR
        return near and (done.before, done.after) == (rows.counted_before, rows.counted_after)

    return fits
