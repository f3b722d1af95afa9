"""Which rows of a new generation restate rows of the one before. Pure; compares keys only."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

LONGEST_HEAD = 12
"""More rows than this before a summary are no protected head."""
_MAX_INSERTED = 4
"""Rows a compaction may put between two copies (stub results, task lists) before the run is over."""
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
    """Match rows against `previous[start:]` in order, stepping over a few inserted or dropped ones."""
    matched: list[int] = []
    inserted = dropped = 0
    while at < len(rows) and start < len(previous):
        if rows[at] == previous[start]:
            matched.append(at)
            at, start, inserted, dropped = at + 1, start + 1, 0, 0
        elif rows[at] not in known:
            at, inserted = at + 1, inserted + 1
            if inserted > _MAX_INSERTED:
                break
        else:
            start, dropped = start + 1, dropped + 1
            if dropped > _MAX_DROPPED:
                break
    return tuple(matched), start == len(previous)
