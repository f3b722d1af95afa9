"""Which rows repeat earlier rows: heads and tails of a generation, and the digests of other engines.

Pure functions: they compare keys, and times of rows where these show that rows were written in one batch.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import NamedTuple

from core.hermes.markers.markers import MAX_HEAD_LINES
from core.model.transcript.message import RowState
from core.store.generations.row_outline import RowOutline

_MAX_INSERTED = 4
"""A run of copies may contain this many inserted rows (stub results, a repeated request) before it ends."""
_MAX_DROPPED = 8
"""A run of copies may leave out this many rows (orphaned results) before it ends."""
_MAX_ROWS_AFTER = 4
"""A copy must be among this many rows after a pause."""
_BATCH_SECONDS = 1.0
"""Rows of one compaction are written without a longer pause than this, unless copies continue after it."""
_PAUSE_SECONDS = 30.0
"""A longer pause than this is not caused by the disk."""
_STROKE_SECONDS = 1e-4
"""Rows of one batch are stamped microseconds apart; the rows of a turn are not."""
_MIN_REPEATED = 2
"""At least this many kept rows must be repeated, as a single text may recur."""


def head_copies(rows: Sequence[Hashable], previous: Sequence[Hashable]) -> int:
    """How many rows just before a summary repeat the start of the previous generation, by their keys."""
    for count in range(min(len(rows), len(previous)), 0, -1):
        if rows[-count] == previous[0] and list(rows[-count:]) == list(previous[:count]):
            return count
    return 0


def tail_copies(rows: Sequence[Hashable], previous: Sequence[Hashable]) -> tuple[int, ...]:
    """Positions of the rows after a summary that repeat the end of the previous generation.

    The tail is a run of the previous generation, usually up to its end. Every position from which the first
    rows could come is tried, and the longest run wins; a single equal row counts only if it is the last.
    """
    best: tuple[int, ...] = ()
    known = frozenset(previous)
    for first, key in enumerate(rows[: _MAX_INSERTED + 1]):
        if key not in known:
            continue
        for start, candidate in enumerate(previous):
            if candidate == key:
                run, reached_end = _run(rows, previous, first, start, known)
                if len(run) > len(best) and (len(run) > 1 or reached_end):
                    best = run
        if best:
            break
    return best


def lost_behind(previous: Sequence[RowOutline], last: Hashable) -> Sequence[RowOutline]:
    """Rows of a generation after its last kept one that a compaction archived but should have kept."""
    at = max((index for index, outline in enumerate(previous) if outline.key == last), default=-1)
    lost = previous[at + 1 :] if at >= 0 else ()
    # The kept part always begins with a user message; anything else was dropped on purpose.
    starts = next((index for index, outline in enumerate(lost) if outline.role == "user"), None)
    if starts is None or any(outline.state is not RowState.ARCHIVED for outline in lost):
        return ()
    return lost[starts:]


def repeats(keys: Sequence[Hashable]) -> int:
    """Length of a leading run that the rows right after it repeat in full.

    Some releases append the whole loaded history once more before they rotate.
    """
    for count in range(len(keys) // 2, 1, -1):
        if keys[count] == keys[0] and list(keys[count : 2 * count]) == list(keys[:count]):
            return count
    return 0


def _run(
    rows: Sequence[Hashable], previous: Sequence[Hashable], at: int, start: int, known: frozenset[Hashable]
) -> tuple[tuple[int, ...], bool]:
    """Match rows with `previous[start:]` in order, skipping a few inserted or dropped ones.

    A skipped row that is known is a request stored once more; it counts if others follow it.
    """
    matched: list[int] = []
    stepped: list[int] = []
    dropped = 0
    while at < len(rows) and start < len(previous):
        if rows[at] == previous[start]:
            matched += [*(one for one in stepped if rows[one] in known), at]
            at, start, stepped, dropped = at + 1, start + 1, [], 0
        elif rows[at] not in previous[start : start + _MAX_DROPPED + 1]:
            stepped.append(at)
            at += 1
            if len(stepped) > _MAX_INSERTED:
                break
        else:
            start, dropped = start + 1, dropped + 1
            if dropped > _MAX_DROPPED:
                break
    return tuple(matched), start == len(previous)


def batch_end(outlines: Sequence[RowOutline], index: int, previous: Sequence[RowOutline]) -> int:
    """Where the rows after a summary can no longer be copies, as they have a later time of their own.

    A copy keeps the time of its original, or is stamped together with the summary. A slow disk may cause a
    pause between two copies; then known calls continue after the pause. A branch stamps its rows anew, while
    the process that made it continues with the old times.
    """
    known = {outline.timestamp for outline in previous}
    called = {outline.key for outline in previous if (outline.key or 0) < 0}
    written = latest = outlines[index].timestamp
    for at in range(index + 1, len(outlines)):
        time = outlines[at].timestamp
        if time in known or time is None or latest is None:
            continue
        far = abs(time - latest) >= _BATCH_SECONDS and not could_be_copy(outlines[at], (), written)
        if far and not _goes_on(outlines, at, latest, called):
            return at
        latest = time
    return len(outlines)


def _goes_on(outlines: Sequence[RowOutline], at: int, latest: float, called: Collection[Hashable]) -> bool:
    """Whether the copy of a call comes soon after a pause short enough to be the disk's."""
    time = outlines[at].timestamp
    short = time is not None and time - latest < _PAUSE_SECONDS
    return short and any(outline.key in called for outline in outlines[at : at + _MAX_ROWS_AFTER])


def could_be_copy(outline: RowOutline, originals: Collection[float | None], written: float | None) -> bool:
    """Whether a row has the time of an original, or was stamped together with the summary."""
    if outline.timestamp is None or written is None or abs(outline.timestamp - written) < _BATCH_SECONDS:
        return True
    return outline.timestamp in originals


def set_back(outlines: Sequence[RowOutline], start: int, index: int) -> int:
    """How many rows before a position are stamped earlier than the row before them, with known times.

    Such rows are copies that keep their old time, even if their text has changed: loaded messages may have
    been joined before they were copied.
    """
    known: set[float | None] = {outline.timestamp for outline in outlines[start : index - MAX_HEAD_LINES]}
    for at in range(max(start + 1, index - MAX_HEAD_LINES), index):
        time, before = outlines[at].timestamp, outlines[at - 1].timestamp
        if time is not None and before is not None and time < before and time in known:
            rest = all(outline.timestamp in known for outline in outlines[at:index])
            return index - at if rest else 0
        known.add(time)
    return 0


def request_before(rows: Sequence[RowOutline], summary: RowOutline) -> bool:
    """Whether the last of some rows is a request that was stored once more before the head of a block.

    0.19 puts it there where no request was left, and stamps it together with the summary.
    """
    last = rows[-1] if rows else summary
    if last.role != "user" or last.state is not summary.state or None in (last.timestamp, summary.timestamp):
        return False
    return 0 < (summary.timestamp or 0.0) - (last.timestamp or 0.0) < _STROKE_SECONDS


def write_batch(outlines: Sequence[RowOutline], start: int) -> range:
    """The rows from a position on that were written in one batch: stamped together, or with older times."""
    before = outlines[start - 1].timestamp or 0.0
    latest: float | None = None
    for at in range(start, len(outlines)):
        time = outlines[at].timestamp
        if time is None or time <= before:
            continue
        if latest is not None and time - latest >= _STROKE_SECONDS:
            return range(start, at)
        latest = time
    return range(start, len(outlines))


class Digest(NamedTuple):
    """One block of another engine.

    Attributes:
        row: The row in place of a summary, at which the block begins.
        copies: The rows after it, which repeat those right before it.
    """

    row: int
    copies: range


def digests(outlines: Sequence[RowOutline], inside: Collection[int]) -> Iterator[Digest]:
    """Blocks of one new row followed by copies, in order, of the last rows before it.

    The originals are no longer live: two equal live rows are just part of a conversation.
    """
    latest: dict[Hashable, int] = {}
    for at, outline in enumerate(outlines):
        identity = outline.identity
        first = latest.get(identity)
        if first is not None and at not in inside and at - 1 not in inside:
            kept = at - 1 - first
            copies = range(at, at + kept)
            new = outlines[at - 1].identity
            if kept >= _MIN_REPEATED and latest.get(new) == at - 1 and _is_restated(outlines, first, copies):
                yield Digest(at - 1, copies)
        latest[identity] = at


def _is_restated(outlines: Sequence[RowOutline], first: int, copies: range) -> bool:
    """Whether all rows from a position up to the digest are replaced, and repeated after it.

    Texts may recur, so rows without uids must have been written with it in one batch.
    """
    written = len(outlines) if outlines[copies.start].uid else write_batch(outlines, copies.start - 1).stop
    if copies.stop > written:
        return False
    pairs = [(outlines[first + step], outlines[at]) for step, at in enumerate(copies)]
    replaced = all(old.state is not RowState.LIVE for old, _ in pairs)
    return replaced and all(old.identity == new.identity for old, new in pairs)
