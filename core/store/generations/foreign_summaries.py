"""Compactions whose summary carries no mark of Hermes: another engine's digest before the rows it kept."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import NamedTuple

from core.model.transcript.message import RowState
from core.store.generations.row_outline import RowOutline
from core.store.generations.write_batches import write_batch

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
        identity = outline.uid or outline.key
        first = latest.get(identity)
        if first is not None and at not in inside and at - 1 not in inside:
            kept = at - 1 - first
            copies = range(at, at + kept)
            new = outlines[at - 1].uid or outlines[at - 1].key
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
    return replaced and all((old.uid or old.key) == (new.uid or new.key) for old, new in pairs)
