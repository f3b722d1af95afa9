"""Fits a long middle into one request to a summariser (Hermes 0.22)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from core.compress.pruning.truncate import elide_middle, mark

_SLICES = 8
_HEAD_SHARE = 0.45
_GAP = "\n\n...[records {first:,}-{last:,}: {chars:,} chars elided — recover via session_search]...\n\n"
_MIDDLE = "\n\n...[{chars:,} characters of the middle left out to fit one request]...\n\n"
_BETWEEN = "\n\n"


def bounded(text: str, limit: int) -> str:
    """Both ends of a text that is too long; shorter texts unchanged."""
    if len(text) <= limit:
        return text
    room = limit - len(_MIDDLE.format(chars=len(text)))
    head = int(room * _HEAD_SHARE)
    tail = room - head
    return f"{text[:head].rstrip()}{_MIDDLE.format(chars=len(text) - room)}{text[-tail:].lstrip()}"


def sampled(records: Sequence[str], limit: int) -> str:
    """Evenly spread slices of the records, the last one up to the newest, with marks for the gaps."""
    text = _BETWEEN.join(records)
    if len(text) <= limit:
        return text
    count = min(_SLICES, len(records))
    gap = len(_GAP.format(first=len(records), last=len(records), chars=len(text)))
    room = max(1, (limit - gap * (count - 1)) // count)
    shown = [_fitted(record, room) for record in records]
    spans = _merged([_slice(shown, i, count, room) for i in range(count)])
    return _rendered(_grown(spans, shown, records, limit), shown, records)


def _fitted(record: str, room: int) -> str:
    if len(record) <= room:
        return record
    left = room - len(mark(len(record), len(record)))
    return record[:room] if left <= 0 else elide_middle(record, left // 2, left - left // 2)


def _slice(shown: Sequence[str], index: int, count: int, room: int) -> tuple[int, int]:
    if index == count - 1:
        start, size = len(shown) - 1, len(shown[-1])
        while start > 0 and size + len(_BETWEEN) + len(shown[start - 1]) <= room:
            start -= 1
            size += len(_BETWEEN) + len(shown[start])
        return start, len(shown)
    start = end = round(index * len(shown) / count)
    size = 0
    while end < len(shown) and (end == start or size + len(shown[end]) + len(_BETWEEN) <= room):
        size += len(shown[end]) + (len(_BETWEEN) if end > start else 0)
        end += 1
    return start, end


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _grown(
    spans: list[tuple[int, int]], shown: Sequence[str], records: Sequence[str], limit: int
) -> list[tuple[int, int]]:
    """Extend the slices in turn by one whole neighbouring record until nothing more fits."""
    sizes = _sums(shown), _sums(records)
    length = _length(spans, sizes)
    has_grown = True
    while has_grown:
        has_grown = False
        for i in range(len(spans) - 1, -1, -1):
            record = _next(spans, i)
            if record is None or length + len(_BETWEEN) + len(shown[record]) > limit:
                continue
            start, end = spans[i]
            wider = [*spans[:i], (min(start, record), max(end, record + 1)), *spans[i + 1 :]]
            # One record less in a gap can make its mark one digit longer.
            if (longer := _length(_merged(wider), sizes)) <= limit:
                spans, length, has_grown = wider, longer, True
    return _merged(spans)


def _sums(records: Sequence[str]) -> list[int]:
    return list(accumulate(map(len, records), initial=0))


def _length(spans: Sequence[tuple[int, int]], sizes: tuple[list[int], list[int]]) -> int:
    """Length of the spans once rendered; computed from sums, as it is needed for every record."""
    shown, records = sizes
    total = at = 0
    for start, end in spans:
        if start > at:
            total += len(_gap(at, start, records[start] - records[at]))
        total += shown[end] - shown[start] + len(_BETWEEN) * (end - start - 1)
        at = end
    return total


def _gap(at: int, start: int, chars: int) -> str:
    """The mark of a gap; the blank lines around it count as left out, but only one at the very start."""
    omitted = chars + len(_BETWEEN) * (start - at + (at > 0))
    return _GAP.format(first=at + 1, last=start, chars=omitted)


def _next(spans: Sequence[tuple[int, int]], i: int) -> int | None:
    """The record by which a slice may grow: the last slice grows backwards, the others forwards."""
    start, end = spans[i]
    if i == len(spans) - 1:
        lower = spans[i - 1][1] if i else 0
        return start - 1 if start - 1 >= lower else None
    return end if end < spans[i + 1][0] else None


def _rendered(spans: Sequence[tuple[int, int]], shown: Sequence[str], records: Sequence[str]) -> str:
    parts, at = [], 0
    for start, end in spans:
        if start > at:
            parts.append(_gap(at, start, sum(map(len, records[at:start]))))
        parts.append(_BETWEEN.join(shown[start:end]))
        at = end
    return "".join(parts)
