"""The rows of one compaction in a session, compactions that left only copies, and rows stored twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from core.model.transcript.conversation import BoundaryMode
from core.model.transcript.message import RowState
from core.store.generations.copied_rows import digests, write_batch
from core.store.generations.row_outline import RowOutline

_MAX_GAP = 4


@dataclass(slots=True)
class Block:
    """The rows that one compaction wrote, and rows after it that were only stored again.

    All positions are indices into the session's rows.
    """

    start: int
    summary: int | None
    mode: BoundaryMode
    head: int = 0
    tail: int = 0
    copies: set[int] = field(default_factory=set)
    again: Sequence[int] = ()

    @property
    def last(self) -> int:
        """The last of these rows: everything after it is new."""
        return max({-1 if self.summary is None else self.summary, *self.copies, *self.again})


def copies_in(
    outlines: Sequence[RowOutline], places: Sequence[int], previous: Sequence[RowOutline]
) -> set[int]:
    """Which of some rows repeat earlier ones in order, up to the point where too many in a row do not.

    A request that was stored once more may be among them, out of order.
    """
    known: dict[Hashable, list[int]] = {}
    for place, outline in enumerate(previous):
        known.setdefault(outline.identity, []).append(place)
    found: set[int] = set()
    gap, last = 0, -1
    for at in places:
        where = known.get(outlines[at].identity, ())
        following = next((place for place in where if place > last), None)
        if following is not None:
            found.add(at)
            gap, last = 0, following
        elif where:
            next_places = known.get(outlines[at + 1].identity, ()) if at + 1 in places else ()
            if outlines[at].role != "user" or not any(place > last for place in next_places):
                break
            found.add(at)
        elif at > places[0]:
            gap += 1
            if gap > _MAX_GAP:
                break
    return found


def with_silent_blocks(outlines: Sequence[RowOutline], blocks: list[Block], named: bool) -> list[Block]:
    """Add rewrites without a summary of Hermes, which store the start or end of the generation once more."""
    if not named and RowState.ARCHIVED not in [outline.state for outline in outlines]:
        return blocks
    if len({outline.identity for outline in outlines}) == len(outlines):
        return blocks
    found = list(blocks)
    # Between a block's start and its summary is its head, repeated or not.
    inside = {at for block in blocks for at in (*block.copies, *block.again, *_up_to_summary(block))}
    starts = {block.start: block for block in blocks}
    seen: set[Hashable] = set()
    opening = outlines[0].identity
    for at, outline in enumerate(outlines):
        identity = outline.identity
        if at in starts:
            opening = identity
        elif identity == opening and identity in seen and at not in inside:
            # Right before a block there may be a request that was stored once more.
            stop = min((start for start in starts if start > at), default=len(outlines))
            batch = range(at, len(outlines) if named else min(stop, write_batch(outlines, at).stop))
            copies = copies_in(outlines, batch, outlines[:at]) if len(batch) > 1 or named else set()
            if copies:
                found.append(Block(at, None, BoundaryMode.IN_PLACE, len(copies), 0, copies))
                inside |= copies
        seen.add(identity)
    for row, kept in digests(outlines, inside):
        found.append(Block(row, row, BoundaryMode.IN_PLACE, 0, len(kept), {*kept}))
    return sorted(found, key=lambda block: block.start)


def _up_to_summary(block: Block) -> range:
    return range(block.start, block.start if block.summary is None else block.summary + 1)


def stored_again(outlines: Sequence[RowOutline], written: int) -> tuple[int, ...]:
    """Positions of rows right after a block, which ends at `written`, that are known already.

    A new summary begins another block.
    """
    known = {outline.uid for outline in outlines[:written]}
    bodies = {outline.summary.body for outline in outlines[:written] if outline.summary}

    def again(at: int) -> bool:
        summary = outlines[at].summary
        return outlines[at].uid in known and (summary is None or summary.body in bodies)

    return tuple(takewhile(again, range(written, len(outlines))))


def saved_again(outlines: Sequence[RowOutline], block: Block, index: int) -> range:
    """Positions from the summary at an index on where what a block left is stored once more, if it is.

    0.19 stores the whole list again with `/new` right after `/compress`, 0.18.0 only the summary. A
    compaction would have archived what it was given.
    """
    if block.summary is None or block.mode is not BoundaryMode.IN_PLACE:
        return range(0)
    if not _is_same_live(outlines[block.summary], outlines[index]):
        return range(0)
    start = index - (block.summary - block.start)
    count = start - block.start
    rows, anew = outlines[block.start : start], outlines[start : start + count]
    whole = len(rows) == len(anew) and all(map(_is_same_live, rows, anew))
    return range(start, start + count) if whole else range(index, index + 1)


def _is_same_live(one: RowOutline, other: RowOutline) -> bool:
    live = one.state is other.state is RowState.LIVE
    return live and one.key == other.key and one.summary == other.summary


def unseen_by(
    again: Sequence[int], outlines: Sequence[RowOutline], start: int, block: int, tail: Sequence[int]
) -> frozenset[int] | None:
    """Ids of the rows stored again that the next compaction was not given; None where its tail begins later.

    The next block's tail repeats the end of what it was given without gaps. So where the tail reaches past
    these rows, they are either in it or were not given. `tail` are its copies after its summary.
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
    """The positions of each message, first to last."""
    found: dict[int | None, list[int]] = defaultdict(list)
    for at, outline in enumerate(outlines):
        found[outline.uid].append(at)
    return found
