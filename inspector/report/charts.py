"""The charts of a report: context used per call, tokens per day, cache breaks per cause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from core.explain.compactions.causes import trigger_in_short
from core.model.compaction.event import Trigger
from core.support.formatting import moment, money, plural, short
from inspector.report import drawing
from inspector.report.blocks import Chart
from inspector.report.drawing import Plane

_CALLS_TITLE = "Context used, call by call"
_MAX_COLUMNS = 360
_PARTS = {
    "cache-read": "read from cache",
    "cache-write": "written to cache",
    "uncached": "uncached",
    "unknown": "not told",
}
_DAYS_TITLE = "Tokens by day"
_MAX_DAYS = 90
_DAY_PARTS = (
    ("cache-read", "cache_read", "read from cache"),
    ("cache-write", "cache_write", "written to cache"),
    ("uncached", "input", "uncached"),
    ("output", "output", "output"),
)
_BREAKS_TITLE = "Cache breaks by cause"
_NAMES, _ROW, _ENDS = 170, 24, 200
"""Units for the names on the left, for the height of a row, and for the figures on the right."""


def context_used(found: dict[str, Any]) -> Chart | None:
    """Chart the context used in a report's document, one column per call; None for fewer than two calls."""
    calls = [one for one in found["cache"]["calls"] if one["prompt"]]
    if len(calls) < 2:
        return None
    events, now = found["why"]["events"], found["why"]["now"]
    shown = _thinned(calls)
    limits = [event["threshold"] or 0 for event in events] + [now["threshold"] or 0]
    on = drawing.plane(len(shown), [call["prompt"] for call in shown] + limits)
    marks = [_place(shown, event["at"]) for event in events]
    spans = _spans(shown)
    parts = [
        *drawing.legend((name, word) for name, word in _PARTS.items() if name in spans),
        *drawing.scale(on),
        *(drawing.columns(name, on, of) for name, of in spans.items()),
        *_limit(on, marks, limits),
        *_events(on, marks, events),
        *_breaks(on, shown, found["cache"]["breaks"]),
        *drawing.ends(_minute(shown[0]["at"]), _minute(shown[-1]["at"])),
    ]
    return Chart(drawing.svg(_CALLS_TITLE, parts), _caption(len(calls), len(shown), events))


def _thinned(calls: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reduce the calls to at most `_MAX_COLUMNS`; of each group of neighbours the largest stays."""
    size = -(-len(calls) // _MAX_COLUMNS)
    groups = (calls[start : start + size] for start in range(0, len(calls), size))
    return [max(group, key=lambda call: int(call["prompt"])) for group in groups]


def _spans(calls: Sequence[dict[str, Any]]) -> dict[str, list[tuple[int, int, int]]]:
    """The parts of each request; a call whose cache use is not recorded is of unknown parts."""
    spans: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for place, call in enumerate(calls):
        prompt, read = call["prompt"], call["cache_read"]
        cached = 0 if read is None else min(read, prompt)
        written = min(cached + (call["cache_write"] or 0), prompt)
        edges = (("cache-read", 0, cached), ("cache-write", cached, written))
        for name, low, high in (*edges, ("unknown" if read is None else "uncached", written, prompt)):
            if high > low:
                spans[name].append((place, low, high))
    return spans


def _limit(on: Plane, marks: Sequence[int], limits: Sequence[int]) -> Iterator[str]:
    """The threshold as a line, at the value in force between the compactions."""
    edges = [0, *marks, on.places]
    for start, end, limit in zip(edges[:-1], edges[1:], limits, strict=True):
        if limit:
            yield f'<path class="limit" d="M{on.x(start):.1f} {on.y(limit):.1f}H{on.x(end):.1f}"/>'
    if limits[0]:
        yield drawing.words(drawing.LEFT + 4, on.y(limits[0]) - 5, "limit", name="limit")


def _events(on: Plane, marks: Sequence[int], events: Sequence[dict[str, Any]]) -> Iterator[str]:
    for number, (mark, event) in enumerate(zip(marks, events, strict=True), start=1):
        name = "event" if event["completed"] else "failed"
        x = on.x(mark)
        yield f'<path class="{name}" d="M{x:.1f} {drawing.TOP}V{drawing.HEIGHT - drawing.BOTTOM}"/>'
        yield drawing.words(x - 3, drawing.TOP + 9, str(number), name=name, anchor="end")


def _breaks(on: Plane, calls: Sequence[dict[str, Any]], breaks: Sequence[dict[str, Any]]) -> Iterator[str]:
    low = drawing.HEIGHT - drawing.BOTTOM
    for one in breaks:
        x = on.x(_place(calls, one["at"])) + on.column / 2
        yield f'<path class="break" d="M{x:.1f} {low}l-4 8h8z"/>'


def _place(calls: Sequence[dict[str, Any]], at: str | None) -> int:
    """How many calls came before a moment; all times have the same form, so comparing text compares times."""
    return sum(1 for call in calls if at is not None and call["at"] is not None and call["at"] < at)


def _minute(at: str | None) -> str:
    return "" if at is None else moment(datetime.fromisoformat(at), seconds=False)


def _caption(calls: int, shown: int, events: Sequence[dict[str, Any]]) -> str:
    """What the drawing shows, and the trigger of each numbered line."""
    triggers = (trigger_in_short(Trigger(event["trigger"] or "unknown")) for event in events)
    numbered = ", ".join(f"{number} {trigger}" for number, trigger in enumerate(triggers, start=1))
    parts = [
        f"{calls:,} calls of the log.",
        "" if shown == calls else "Of neighbouring calls only the largest is drawn.",
        f"Compressions: {numbered}." if numbered else "",
        "A triangle is a cache break.",
    ]
    return " ".join(part for part in parts if part)


def tokens_by_day(days: Sequence[dict[str, Any]]) -> Chart | None:
    """Chart the tokens of days (rows of `usage --by day`), oldest first; None for fewer than two."""
    shown = sorted(days, key=lambda row: str(row["key"]))[-_MAX_DAYS:]
    if len(shown) < 2:
        return None
    heights = [[row["tokens"][key] or 0 for _, key, _ in _DAY_PARTS] for row in shown]
    on = drawing.plane(len(shown), map(sum, heights))
    stacks = (
        drawing.columns(
            name, on, [(place, sum(of[:index]), sum(of[: index + 1])) for place, of in enumerate(heights)]
        )
        for index, (name, _, _) in enumerate(_DAY_PARTS)
    )
    parts = [
        *drawing.legend((name, word) for name, _, word in _DAY_PARTS),
        *drawing.scale(on),
        *stacks,
        *drawing.ends(str(shown[0]["key"]), str(shown[-1]["key"])),
    ]
    left_out = f" The last {len(shown)} of {len(days):,} days." if len(shown) < len(days) else ""
    return Chart(drawing.svg(_DAYS_TITLE, parts), f"A session counts on the day it began.{left_out}")


def cache_breaks(breaks: Sequence[dict[str, Any]], *, own: bool = False) -> Chart | None:
    """Chart the tokens re-read, one bar per cause; None if the cache never broke.

    Args:
        breaks: The breaks, as in the JSON answer.
        own: The calls went to a server of one's own, which no provider bills.
    """
    causes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in breaks:
        causes[one["cause"]].append(one)
    if not causes:
        return None
    lost = {cause: sum(one["tokens_lost"] or 0 for one in of) for cause, of in causes.items()}
    ordered = sorted(causes, key=lambda cause: -lost[cause])
    unit = (drawing.WIDTH - _NAMES - _ENDS) / max(1, *lost.values())
    rows = (
        part
        for row, cause in enumerate(ordered)
        for part in _row(row * _ROW + 14, cause, causes[cause], lost[cause], unit, own=own)
    )
    return Chart(drawing.svg(_BREAKS_TITLE, rows, len(ordered) * _ROW + 8), "")


def _row(
    y: int, cause: str, breaks: Sequence[dict[str, Any]], lost: int, unit: float, *, own: bool
) -> Iterator[str]:
    end = _NAMES + max(2.0, lost * unit)
    yield drawing.words(_NAMES - 8, y + 4, cause.replace("_", " "), anchor="end")
    yield f'<path class="bar break" stroke-width="14" d="M{_NAMES} {y}H{end:.1f}"/>'
    yield drawing.words(
        end + 6, y + 4, f"{plural(len(breaks), 'break')}, {short(lost)} tokens, {_cost(breaks, own=own)}"
    )


def _cost(breaks: Sequence[dict[str, Any]], *, own: bool) -> str:
    """The cost of cache breaks: a lower bound if some have no price, and none if no break has one."""
    known = [Decimal(one["cost_usd"]) for one in breaks if one["cost_usd"] is not None]
    if not known:
        return "at no cost" if own else "no price"
    return f"{'≥' if len(known) < len(breaks) else ''}{money(sum(known, Decimal()))}"
