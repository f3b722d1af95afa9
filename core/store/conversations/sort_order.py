"""Sort orders for lists: of sessions in the database, of conversations in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.errors import UsageError

if TYPE_CHECKING:
    from core.model.transcript.session import ConversationRow

LAST_ACTIVE = (
    "max(coalesce(started_at + 0.0, 0), coalesce(ended_at + 0.0, 0), coalesce(last_activity_at + 0.0, 0),"
    " coalesce(spoken_at + 0.0, 0))"
)
"""A number, whatever a damaged row holds."""
_MAIN_USD = "coalesce(nullif(actual_cost_usd, 0), estimated_cost_usd)"
_NUMBERS: Mapping[str, str] = {
    "last_active": LAST_ACTIVE,
    "started": "started_at",
    "messages": "message_count",
    "tokens": "coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)"
    " + coalesce(output_tokens, 0)",
    "input": "input_tokens",
    "cache_read": "cache_read_tokens",
    "cache_write": "cache_write_tokens",
    "output": "output_tokens",
    "cost": f"CASE WHEN auxiliary_usd IS NULL THEN {_MAIN_USD}"
    f" ELSE coalesce({_MAIN_USD}, 0) + auxiliary_usd END",
    "calls": "api_call_count",
}
_SHARES: Mapping[str, tuple[str, str]] = {
    "hit": (
        "cache_read_tokens",
        "coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)",
    ),
}
"""A part and its whole; for several sessions both are added up before dividing."""
_TEXTS: Mapping[str, str] = {"title": "title", "model": "model", "source": "source"}
SORTS = (*_NUMBERS, *_SHARES, *_TEXTS)
"""The available sort orders. Numbers descend, texts ascend."""

_UNKNOWN = float("-inf")


def order_by(sort: str) -> str:
    """ORDER BY terms for a list of sessions: numbers descend with unknown ones last, texts ascend."""
    if sort in _TEXTS:
        text = _TEXTS[sort]
        from core.store.database.connect import lowered  # a cached list needs no SQLite

        return f"coalesce({text}, '') = '', {lowered(text)}"
    if sort == "last_active":
        return f"{LAST_ACTIVE} DESC"  # the default order, so worth saving half the time
    # A damaged row may hold text instead of a number, which SQLite would put before every number.
    number = _expression(sort)
    return f"CASE WHEN typeof({number}) IN ('integer', 'real') THEN {number} END DESC"


def columns_of(sort: str) -> str:
    """What one session contributes to an order: a number or text, or a part and its whole."""
    return ", ".join(_SHARES[sort]) if sort in _SHARES else _expression(sort)


def _expression(sort: str) -> str:
    """The number or text by which a session is sorted."""
    part, total = _SHARES.get(sort, ("", ""))
    expression = (
        f"CAST({part} AS REAL) / nullif({total}, 0)" if part else _NUMBERS.get(sort, _TEXTS.get(sort))
    )
    if expression is None:
        raise UsageError(f"cannot sort by {sort!r}", remedy=f"Choose one of {', '.join(SORTS)}")
    return expression


def sort_threads(items: list[Any], sort: str, values: Callable[[Any], Sequence[Sequence[Any]]]) -> None:
    """Sort in place: numbers descend with unknown ones last, texts ascend."""
    if sort in _TEXTS:
        items.sort(key=lambda item: _first_text(text for (text,) in values(item)))
        return
    together = _share if sort in _SHARES else _newest if sort in ("last_active", "started") else _sum
    items.sort(key=lambda item: together(values(item)), reverse=True)


def place(sort: str, row: ConversationRow) -> tuple[bool, float | str]:
    """The sort key of a row in a list of several databases: numbers descend, texts ascend, unknown last."""
    if sort in _TEXTS:
        text = {"title": row.title, "model": row.tip.model, "source": row.tip.source}[sort]
        return (not text, (text or "").lower())
    moments = {"last_active": row.last_active, "started": row.tip.started_at}
    if sort in moments:
        moment = moments[sort]
        return (moment is None, -moment.timestamp() if moment else 0.0)
    tokens = row.tokens
    value = {
        "messages": row.messages,
        "tokens": tokens.total,
        "input": tokens.input,
        "output": tokens.output,
        "cache_read": tokens.cache_read,
        "cache_write": tokens.cache_write,
        "hit": tokens.hit_rate,
        "cost": row.usd,
        "calls": row.calls,
    }[sort]
    return (value is None, 0.0 if value is None else -float(value))


def _newest(rows: Sequence[Sequence[Any]]) -> float:
    return max(_numbers(value for (value,) in rows), default=_UNKNOWN)


def _sum(rows: Sequence[Sequence[Any]]) -> float:
    known = _numbers(value for (value,) in rows)
    return sum(known) if known else _UNKNOWN


def _share(rows: Sequence[Sequence[Any]]) -> float:
    parts, total = _numbers(part for part, _ in rows), sum(_numbers(total for _, total in rows))
    return sum(parts) / total if parts and total else _UNKNOWN


def _numbers(values: Iterable[Any]) -> list[float]:
    """The numbers among some values: a damaged row may hold text instead."""
    return [value for value in values if type(value) in (int, float)]


def _first_text(values: Iterable[Any]) -> tuple[bool, str]:
    text = next((str(value) for value in values if value), "")
    return (not text, text.lower())
