"""What each tool result cost over its life in the context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from core.account.pricing.price import MILLION, rates_for, write_rate
from core.model.accounting.amounts import PriceRow
from core.model.accounting.prompt_cache import ResultCost
from core.model.transcript.message import Message

_CHARS = 4
_Result = tuple[str, int]
"""Id of the call, and how many results under that id stood before it: some models give an id twice."""


@dataclass(slots=True)
class _Life:
    """One result while its calls are counted."""

    row: int
    session: str
    tool: str
    tokens: int
    calls: int = 0
    carried: int = 0
    """Tokens over all calls; a pruned copy weighs less than the original."""
    at: datetime | None = None


def result_costs(
    generations: Iterable[tuple[Sequence[Message], frozenset[int]]],
    price: Callable[[datetime | None], PriceRow | None] | None = None,
    *,
    hit_rate: float | None = None,
    most: int = 20,
) -> tuple[ResultCost, ...]:
    """The dearest tool results of a conversation.

    Every answer of the model is one call, and that call carried all results before it in its generation. A
    copy in a later generation continues the life of the original, at the copy's size. A result is written
    once and read from the cache afterwards, as often as the conversation's hit rate says.

    Args:
        generations: The messages of each, oldest first, and the positions of copies among them.
        price: The price entry in force at a moment; None leaves amounts unknown.
        hit_rate: Share of the conversation's prompt that came from the cache; None counts every later read as
            a hit.
        most: How many to return.
    """
    lives: dict[_Result, _Life] = {}
    for messages, copies in generations:
        _live(messages, copies, lives)
    costs = [_cost(life, price, hit_rate) for life in lives.values() if life.calls]
    costs.sort(key=lambda cost: (-(cost.usd or 0), -cost.tokens * cost.calls, cost.row))
    return tuple(costs[:most])


def _live(messages: Sequence[Message], copies: frozenset[int], lives: dict[_Result, _Life]) -> None:
    present: dict[_Result, int] = {}
    met: Counter[str] = Counter()
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    for place, message in enumerate(messages):
        row = message.row
        if row is None:
            continue
        if message.role == "assistant" and place not in copies:
            for key, tokens in present.items():
                lives[key].calls += 1
                lives[key].carried += tokens
        elif message.role == "tool" and message.tool_call_id:
            call, tokens = message.tool_call_id, len(message.text) // _CHARS
            key = (call, met[call])
            met[call] += 1
            present[key] = tokens
            name = str(message.wire.get("tool_name") or names.get(call) or "?")
            lives.setdefault(key, _Life(row.id, row.session_id, name, tokens, at=row.timestamp))


def _cost(
    life: _Life, price: Callable[[datetime | None], PriceRow | None] | None, hit_rate: float | None
) -> ResultCost:
    entry = price(life.at) if price else None
    usd = None
    if entry is not None:
        rates = rates_for(entry, 0)
        first, read = write_rate(rates, one_hour=False), rates.cache_read
        if first is not None and rates.input is not None:
            share = Decimal(1 if hit_rate is None else str(round(hit_rate, 4)))
            later = rates.input if read is None else read * share + rates.input * (1 - share)
            usd = (first * life.tokens + later * max(0, life.carried - life.tokens)) / MILLION
    return ResultCost(life.row, life.session, life.tool, life.tokens, life.calls, usd, life.carried)
