"""What broke the prompt cache, by cause, and what it cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from core.support.amounts import dollars, plural, short
from inspector.report.blocks import Chart
from inspector.report.charts import drawing

TITLE = "Cache breaks by cause"
_NAMES, _ROW, _ENDS = 170, 24, 200
"""Units for the names on the left, for a row, and for the figures on the right."""


def cache_breaks(breaks: Sequence[dict[str, Any]]) -> Chart | None:
    """A bar a cause, as long as the tokens that were read again; None where the cache never broke."""
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
        for part in _row(row * _ROW + 14, cause, causes[cause], lost[cause], unit)
    )
    return Chart(drawing.svg(TITLE, rows, len(ordered) * _ROW + 8), "")


def _row(y: int, cause: str, breaks: Sequence[dict[str, Any]], lost: int, unit: float) -> Iterator[str]:
    end = _NAMES + max(2.0, lost * unit)
    yield drawing.words(_NAMES - 8, y + 4, cause.replace("_", " "), anchor="end")
    yield f'<path class="bar break" stroke-width="14" d="M{_NAMES} {y}H{end:.1f}"/>'
    yield drawing.words(
        end + 6, y + 4, f"{plural(len(breaks), 'break')}, {short(lost)} tokens, {_cost(breaks)}"
    )


def _cost(breaks: Sequence[dict[str, Any]]) -> str:
    """Their price; a lower bound where some have none, and nothing claimed where none has."""
    known = [Decimal(one["cost_usd"]) for one in breaks if one["cost_usd"] is not None]
    if not known:
        return "no price"
    return f"{'≥' if len(known) < len(breaks) else ''}{dollars(sum(known, Decimal()))}"
