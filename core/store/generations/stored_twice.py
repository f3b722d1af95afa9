"""Rows that a session holds once more behind a compaction, though nothing compacted it.

A branch begins with its parent's rows. When it is first compacted in the same process, Hermes 0.22 saves
the turn and with it these rows again, behind the block the compaction wrote. The running process holds each
message once; one that loads the session later is given both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import takewhile

from core.store.generations.row_outline import RowOutline


def stored_again(outlines: Sequence[RowOutline], written: int) -> tuple[int, ...]:
    """Places of the rows right behind a block that are known already.

    Args:
        outlines: A session's rows by id, each with its uid.
        written: Where the block ends.
    """
    known = {outline.uid for outline in outlines[:written]}
    return tuple(takewhile(lambda at: outlines[at].uid in known, range(written, len(outlines))))


def unseen_by(
    again: Sequence[int], outlines: Sequence[RowOutline], start: int, block: int, tail: Sequence[int]
) -> frozenset[int] | None:
    """Ids of the rows stored again that the next compaction was not given.

    Its tail restates the end of what it was given without a gap, so where the tail reaches over these rows
    they are in it or were not there.

    Args:
        again: Places of the rows in question.
        outlines: The session's rows.
        start: Where their generation begins.
        block: Where the next one does.
        tail: Places of that one's copies behind its summary.

    Returns:
        None where the tail begins behind them.
    """
    places = positions(outlines[start:block])
    limit, restated = block - start, set()
    for at in reversed(tail):
        limit = max((one for one in places.get(outlines[at].uid, ()) if one < limit), default=limit)
        restated.add(start + limit)
    if restated & set(again):
        return frozenset()
    reaches = min(restated, default=block) < again[0]
    return frozenset(outlines[at].id for at in again) if reaches else None


def positions(outlines: Sequence[RowOutline]) -> Mapping[int | None, Sequence[int]]:
    """Where each message stands, first to last."""
    found: dict[int | None, list[int]] = defaultdict(list)
    for at, outline in enumerate(outlines):
        found[outline.uid].append(at)
    return found
