"""What each day took, by kind of token, as stacked columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.report.blocks import Chart
from inspector.report.charts import drawing

TITLE = "Tokens by day"
_MOST_DAYS = 90
_PARTS = (
    ("cache-read", "cache_read", "read from cache"),
    ("cache-write", "cache_write", "written to cache"),
    ("uncached", "input", "uncached"),
    ("output", "output", "output"),
)


def tokens_by_day(days: Sequence[dict[str, Any]]) -> Chart | None:
    """The last days, oldest first; None where there are fewer than two.

    Args:
        days: Rows of `usage --by day`: `key` is the day, `tokens` its counts.
    """
    shown = sorted(days, key=lambda row: str(row["key"]))[-_MOST_DAYS:]
    if len(shown) < 2:
        return None
    heights = [[row["tokens"][key] or 0 for _, key, _ in _PARTS] for row in shown]
    on = drawing.plane(len(shown), map(sum, heights))
    stacks = (
        drawing.columns(
            name, on, [(place, sum(of[:index]), sum(of[: index + 1])) for place, of in enumerate(heights)]
        )
        for index, (name, _, _) in enumerate(_PARTS)
    )
    parts = [
        *drawing.legend((name, word) for name, _, word in _PARTS),
        *drawing.scale(on),
        *stacks,
        *drawing.ends(str(shown[0]["key"]), str(shown[-1]["key"])),
    ]
    left_out = f" The last {len(shown)} of {len(days):,} days." if len(shown) < len(days) else ""
    return Chart(drawing.svg(TITLE, parts), f"A session counts on the day it began.{left_out}")
