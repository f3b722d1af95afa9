"""Which rows restate rows before them: heads and tails of a generation, and the digests of other engines.

Pure: keys are compared, and the times of rows where those tell that rows were written in one batch.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import NamedTuple

from core.hermes.markers.markers import LONGEST_HEAD
from core.model.transcript.message import RowState
from core.store.generations.row_outline import RowOutline

_MAX_INSERTED = 4
"""Rows a compaction may put between two copies (stub results, a request once more) before the run is over."""
_MAX_DROPPED = 8
"""Rows it may leave out between two copies (orphan results) before the run is over."""


def head_copies(rows: Sequence[Hashable], previous: Sequence[Hashable]) -> int:
    """How many rows just before a summary restate the start of the previous generation.

    Args:
        rows: Keys of the rows before the summary, the nearest last.
        previous: Keys of the previous generation, from its start.
    """
    for count in range(min(len(rows), len(previous)), 0, -1):
        if rows[-count] == previous[0] and list(rows[-count:]) == list(previous[:count]):
            return count
    return 0


def tail_copies(rows: Sequence[Hashable], previous: Sequence[Hashable]) -> tuple[int, ...]:
    """Positions of the rows behind a summary that restate the end of the previous generation.

    The tail is a run of the previous generation, usually up to its end. Every place the first rows could
    come from is tried, and the longest run wins; a single equal row counts only when it is the last one.
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
    """Rows of a generation behind its last kept one that a compaction archived and were to stay.

    Args:
        previous: That generation.
        last: The key of the last row that was kept.
    """
    at = max((index for index, outline in enumerate(previous) if outline.key == last), default=-1)
    behind = previous[at + 1 :] if at >= 0 else ()
    # The kept part always begins with the user's words; anything else was dropped on purpose.
    starts = next((index for index, outline in enumerate(behind) if outline.role == "user"), None)
    if starts is None or any(outline.state is not RowState.ARCHIVED for outline in behind):
        return ()
    return behind[starts:]


def repeats(keys: Sequence[Hashable]) -> int:
    """Length of a leading run that the rows right after it restate in full.

    Some releases append the whole loaded history once more before they rotate.
    """
    for count in range(len(keys) // 2, 1, -1):
        if keys[count] == keys[0] and list(keys[count : 2 * count]) == list(keys[:count]):
            return count
    return 0


def _run(
    rows: Sequence[Hashable], previous: Sequence[Hashable], at: int, start: int, known: frozenset[Hashable]
) -> tuple[tuple[int, ...], bool]:
    """Match rows against `previous[start:]` in order, stepping over a few inserted or dropped ones.

    A row from before is the request put once more: it is one of them where others follow it.
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


_SOON = 4
"""Rows behind a pause among which a copy must stand."""
_BATCH_SECONDS = 1.0
"""Rows of one compaction are written without a longer pause than this, unless copies go on behind it."""
_PAUSE_SECONDS = 30.0
"""A pause longer than this is no disk's."""
_STROKE_SECONDS = 1e-4
"""Rows of one batch are stamped a microsecond apart; those of a turn take their time."""


def batch_end(outlines: Sequence[RowOutline], index: int, previous: Sequence[RowOutline]) -> int:
    """Where the rows behind a summary can no longer be copies: they have a later time of their own.

    A copy keeps the time of its original, or is stamped together with the summary. A slow disk may pause
    between two copies; then calls that are known go on behind the pause. A branch stamps its rows anew, while
    the process that made it goes on with the old times.
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
    """Whether a copy of a call stands soon behind a pause that is short enough for a disk."""
    time = outlines[at].timestamp
    short = time is not None and time - latest < _PAUSE_SECONDS
    return short and any(outline.key in called for outline in outlines[at : at + _SOON])


def could_be_copy(outline: RowOutline, originals: Collection[float | None], written: float | None) -> bool:
    """Whether a row has the time of one of the originals, or was stamped together with the summary."""
    if outline.timestamp is None or written is None or abs(outline.timestamp - written) < _BATCH_SECONDS:
        return True
    return outline.timestamp in originals


def set_back(outlines: Sequence[RowOutline], start: int, index: int) -> int:
    """How many rows before one are stamped earlier than the row before them, with times that occurred before.

    So are copies that keep their old time, even where a text is no longer the same: loaded messages may have
    been joined before they were copied.

    Args:
        outlines: A session's rows by id.
        start: Where the generation before begins.
        index: The row they stand before.
    """
    known: set[float | None] = {outline.timestamp for outline in outlines[start : index - LONGEST_HEAD]}
    for at in range(max(start + 1, index - LONGEST_HEAD), index):
        time, before = outlines[at].timestamp, outlines[at - 1].timestamp
        if time is not None and before is not None and time < before and time in known:
            rest = all(outline.timestamp in known for outline in outlines[at:index])
            return index - at if rest else 0
        known.add(time)
    return 0


def write_batch(outlines: Sequence[RowOutline], start: int) -> range:
    """Rows from one on that were written in one batch: stamped together, or with an older time."""
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


_FEWEST = 2
"""Kept rows that must be restated: one text alone may recur."""


class Digest(NamedTuple):
    """One block.

    Attributes:
        row: The row in the place of a summary, where the block begins.
        copies: The rows behind it, which restate those right before it.
    """

    row: int
    copies: range


def digests(outlines: Sequence[RowOutline], inside: Collection[int]) -> Iterator[Digest]:
    """Blocks of one new row and the rows that ended the transcript before it, once more and in order.

    What they restate is no longer live: two live rows that say the same are a conversation.

    Args:
        outlines: A session's rows by id, with uids or keys.
        inside: Rows that belong to blocks known already.
    """
    latest: dict[Hashable, int] = {}
    for at, outline in enumerate(outlines):
        identity = outline.identity
        first = latest.get(identity)
        if first is not None and at not in inside and at - 1 not in inside:
            kept = at - 1 - first
            copies = range(at, at + kept)
            new = outlines[at - 1].identity
            if kept >= _FEWEST and latest.get(new) == at - 1 and _restated(outlines, first, copies):
                yield Digest(at - 1, copies)
        latest[identity] = at


def _restated(outlines: Sequence[RowOutline], first: int, copies: range) -> bool:
    """Whether the rows from one on, up to the digest, are all replaced and stand behind it again.

    Texts recur, so rows without uids must have been written with it in one batch.
    """
    written = len(outlines) if outlines[copies.start].uid else write_batch(outlines, copies.start - 1).stop
    if copies.stop > written:
        return False
    pairs = [(outlines[first + step], outlines[at]) for step, at in enumerate(copies)]
    replaced = all(old.state is not RowState.LIVE for old, _ in pairs)
    return replaced and all(old.identity == new.identity for old, new in pairs)
