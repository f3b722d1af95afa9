"""Splits the rows of one session at its compactions.

There is no generation column. A compaction inserts a block: copies of the first rows, the summary, copies of
the last rows; live rows follow. So a block is found from its summary outwards, by the copies around it. Where
rows have a `message_uid` (0.22), copies share it; elsewhere they are found by content.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, pairwise, takewhile

from core.hermes.markers.markers import MAX_HEAD_LINES
from core.model.transcript.conversation import BoundaryMode
from core.model.transcript.message import RowState
from core.store.generations.blocks import (
    Block,
    copies_in,
    saved_again,
    stored_again,
    unseen_by,
    with_silent_blocks,
)
from core.store.generations.copied_rows import (
    batch_end,
    could_be_copy,
    head_copies,
    lost_behind,
    repeats,
    request_before,
    set_back,
    tail_copies,
)
from core.store.generations.row_outline import RowOutline, by_uid


@dataclass(frozen=True, slots=True)
class Segment:
    """The rows of one generation inside one session.

    Attributes:
        mode: The mode of the compaction that began it; None if none did.
        summary: Index (into `outlines`) of the summary that began it.
        head: How many rows before the summary repeat the previous generation's start.
        tail: How many rows after the summary repeat its end.
        copies: Row ids that repeat earlier rows.
        repeated: Length of the leading run that is stored twice.
        taken_back: Row ids of further copies after its tail, which the user has taken back since.
        unseen: Row ids that the compaction which closed it was not given, although they were stored by then;
            None where unknown. See `blocks.unseen_by`.
    """

    outlines: tuple[RowOutline, ...]
    mode: BoundaryMode | None = None
    summary: int | None = None
    head: int = 0
    tail: int = 0
    copies: frozenset[int] = frozenset()
    repeated: int = 0
    taken_back: tuple[int, ...] = ()
    unseen: frozenset[int] | None = frozenset()

    @property
    def summary_outline(self) -> RowOutline | None:
        """The summary row."""
        return None if self.summary is None else self.outlines[self.summary]


def split(
    outlines: Sequence[RowOutline], previous: Sequence[RowOutline], rotated: bool, doubled: bool
) -> list[Segment]:
    """Split the rows of one session (without those taken back) into generations.

    `previous` is the last generation of the session this one continues; `rotated` says that it continues one
    even if that one's rows are gone; `doubled` looks for a history stored twice, as some releases leave it.
    """
    blocks = _blocks(outlines, previous, rotated)
    starts = [0, *(block.start for block in blocks if block.start > 0), len(outlines)]
    at_start = {block.start: block for block in blocks}
    found = []
    for start, end in pairwise(starts):
        if end > start:
            segment = _segment(outlines, start, end, at_start.get(start), doubled and end == len(outlines))
            unseen = _unseen(outlines, start, end, at_start)
            run = segment.repeated
            if unseen is not None and len(segment.outlines) <= 2 * run + 1:  # stored again when it was closed
                unseen |= {outline.id for outline in segment.outlines[run : 2 * run]}
            found.append(replace(segment, unseen=unseen))
    return found


def _unseen(
    outlines: Sequence[RowOutline], start: int, end: int, blocks: Mapping[int, Block]
) -> frozenset[int] | None:
    """See `Segment.unseen`."""
    again = [at for at in blocks[start].again if at < end] if start in blocks else []
    if not again or end not in blocks:
        return frozenset()
    tail = sorted(at for at in blocks[end].copies if at > (blocks[end].summary or end))
    return unseen_by(again, outlines, start, end, tail)


def _segment(
    outlines: Sequence[RowOutline], start: int, end: int, block: Block | None, doubled: bool
) -> Segment:
    own = tuple(outlines[start:end])
    copies = {outlines[index].id for index in block.copies} if block else set()
    run = repeats([outline.key for outline in own]) if doubled else 0
    copies |= {outline.id for outline in own[run : 2 * run]}
    if block is None:
        return Segment(own, copies=frozenset(copies), repeated=run)
    return Segment(
        outlines=own,
        mode=block.mode,
        summary=None if block.summary is None else block.summary - start,
        head=block.head,
        tail=block.tail,
        copies=frozenset(copies),
        repeated=run,
    )


def _blocks(outlines: Sequence[RowOutline], previous: Sequence[RowOutline], rotated: bool) -> list[Block]:
    summaries = [index for index, outline in enumerate(outlines) if outline.summary or outline.flagged]
    blocks: list[Block] = []
    start, covered, named = 0, -1, by_uid(outlines)
    if rotated:
        first = _entry_block(outlines, previous, summaries, named)
        blocks.append(first)
        covered = first.last
    for position, index in enumerate(summaries):
        if index <= covered or _is_old_summary(outlines, start, index, summaries[position + 1 :], named):
            continue
        again = saved_again(outlines, blocks[-1], index) if blocks and not named else range(0)
        if again:
            blocks[-1].copies |= {*again}
            covered = again[-1]
            continue
        block = _inner_block(outlines, start, index, named)
        if not named and blocks:
            _reach_back(block, outlines, blocks)
        blocks.append(block)
        start = block.start
        covered = block.last
    return with_silent_blocks(outlines, blocks, named)


def _entry_block(
    outlines: Sequence[RowOutline], previous: Sequence[RowOutline], summaries: Sequence[int], named: bool
) -> Block:
    """The block that a rotation writes at the start of its new session."""
    known = frozenset(outline.identity for outline in previous)
    opening = [
        index
        for index in summaries
        if index <= MAX_HEAD_LINES and (not previous or _may_be_head(outlines[:index], known))
    ]
    if not opening:
        copies = {*range(_head_copies_at_start(outlines, previous))} | _restated(outlines, previous)
        return Block(0, None, BoundaryMode.ROTATION, len(copies), 0, copies)
    index = opening[0]
    if all(outlines[at].identity in known for at in opening[:-1]):
        # An older summary may have been copied into head or tail: the new one was stamped last.
        index = max(opening, key=lambda at: (outlines[at].timestamp or 0.0, at))
    tail = _tail(outlines, index, previous, named and by_uid(previous))
    head = {at for at in range(index) if at == 0 or outlines[at].identity in known}
    return Block(0, index, BoundaryMode.ROTATION, len(head), max(tail, default=index) - index, head | tail)


def _restated(outlines: Sequence[RowOutline], previous: Sequence[RowOutline]) -> set[int]:
    """Which rows repeat earlier ones among those that another engine's rotation wrote."""
    times = {outline.timestamp for outline in previous}
    written = outlines[0].timestamp if outlines else None
    batch = takewhile(lambda at: could_be_copy(outlines[at], times, written), range(len(outlines)))
    return copies_in(outlines, [*batch], previous)


def _may_be_head(rows: Sequence[RowOutline], known: Collection[int | None]) -> bool:
    """Whether the rows before a summary repeat earlier ones.

    The first may join two of them: 0.17 loads messages by their times, so that requests can meet.
    """
    copied = [outline.identity in known or outline.summary is not None for outline in rows]
    return all(copied) or (all(copied[1:]) and any(outline.identity in known for outline in rows))


def _head_copies_at_start(outlines: Sequence[RowOutline], previous: Sequence[RowOutline]) -> int:
    """How many leading rows repeat the previous generation's start."""
    count = 0
    for own, old in zip(outlines, previous, strict=False):
        if own.identity != old.identity:
            break
        count += 1
    return count


def _inner_block(outlines: Sequence[RowOutline], start: int, index: int, named: bool) -> Block:
    """The block around a summary inside a session."""
    head = _head(outlines, start, index, named)
    before = outlines[start : index - head]
    tail = _tail(outlines, index, before, named and bool(before))
    copies = set(range(index - head, index)) | tail
    length = max(tail, default=index) - index
    # Texts may recur, but where rows are replaced in place, those before the block are not live.
    archived = any(outline.state is not RowState.LIVE for outline in before)
    if (copies and archived) or index - start > MAX_HEAD_LINES or start > 0:
        again = stored_again(outlines, max({index, *copies}) + 1) if named else ()
        return Block(index - head, index, BoundaryMode.IN_PLACE, head, length, copies, again)
    # Nothing before it is repeated: what it summarised is gone, and the rows before it are its head.
    return Block(start, index, BoundaryMode.REWRITE, 0, 0, set())


def _reach_back(block: Block, outlines: Sequence[RowOutline], blocks: Sequence[Block]) -> None:
    """Let a block repeat what the previous one archived by mistake, which the process still held."""
    before, start = blocks[-1], blocks[-2].start if len(blocks) > 1 else 0
    if block.summary is None or before.summary is None or before.mode is not BoundaryMode.IN_PLACE:
        return
    lost = lost_behind(outlines[start : before.start], outlines[before.last].key)
    outlines_before = [
        *outlines[before.start : before.last + 1],
        *lost,
        *outlines[before.last + 1 : block.start],
    ]
    tail = _tail(outlines, block.summary, outlines_before, named=False) if lost else set()
    if len(tail) > block.tail:
        block.tail = max(tail) - block.summary
        block.copies |= tail


def _head(outlines: Sequence[RowOutline], start: int, index: int, named: bool) -> int:
    if named:
        earlier: set[tuple[int | None, str | None]] = set()
        fresh_at = start
        for at in range(start, index):
            if (message := _with_summary(outlines[at])) not in earlier:
                fresh_at = at + 1
            earlier.add(message)
        return index - fresh_at
    half = (index - start) // 2
    times = frozenset(outline.timestamp for outline in outlines[start : start + half])
    written = outlines[index].timestamp
    nearest = dropwhile(
        lambda outline: not could_be_copy(outline, times, written), outlines[index - half : index]
    )
    copied = head_copies(
        [outline.key for outline in nearest], [outline.key for outline in outlines[start:index]]
    )
    found = copied or set_back(outlines, start, index) or _live_head(outlines, start, index)
    found = min(found, _as_live(outlines, index))
    return found + request_before(outlines[start : index - found], outlines[index])


def _with_summary(outline: RowOutline) -> tuple[int | None, str | None]:
    """A message and the summary in its row: one merged into a message that was kept has the uid of that."""
    return outline.uid, outline.summary.body if outline.summary else None


def _as_live(outlines: Sequence[RowOutline], index: int) -> int:
    """The most rows before a summary that can be its head: a live summary's head is live too."""
    if outlines[index].state is not RowState.LIVE:
        return index
    replaced = (at for at in range(index - 1, -1, -1) if outlines[at].state is not RowState.LIVE)
    return index - 1 - next(replaced, -1)


def _live_head(outlines: Sequence[RowOutline], start: int, index: int) -> int:
    """How many live rows are between archived ones and a summary: its head, whatever their texts."""
    live = next((at for at in range(start, index) if outlines[at].state is RowState.LIVE), index)
    return index - live if start < live and index - live <= MAX_HEAD_LINES else 0


def _tail(
    outlines: Sequence[RowOutline], index: int, previous: Sequence[RowOutline], named: bool
) -> set[int]:
    """Indices of rows from the summary on that repeat the end of the previous generation."""
    if named:
        return copies_in(outlines, range(index, len(outlines)), previous)
    summary = outlines[index].summary
    merged = summary is not None and summary.merged
    first = index if merged else index + 1
    end = len(outlines) if merged else batch_end(outlines, index, previous)
    keys = [outline.key for outline in outlines[first:end]]
    return {first + at for at in tail_copies(keys, [outline.key for outline in previous])}


def _is_old_summary(
    outlines: Sequence[RowOutline], start: int, index: int, later: Sequence[int], named: bool
) -> bool:
    """Whether it is an old summary copied into the head of the next block."""
    near = bool(later) and later[0] - index <= MAX_HEAD_LINES
    return near and later[0] - _head(outlines, start, later[0], named) <= index
