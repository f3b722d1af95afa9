"""What each tool result cost over its life in the context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from heapq import nsmallest
from sys import intern

from core.account.pricing.price import MILLION, rates_for, write_rate
from core.model.accounting.amounts import PriceRow
from core.model.accounting.prompt_cache import ResultCost
from core.model.transcript.message import Message

_CHARS = 4
_Result = str | tuple[str, int]
"""Id of the call; behind it how many results under that id stood before it: some models give an id twice."""


@dataclass(slots=True)
class _Life:
    """One result while its calls are counted.

    Attributes:
        tool: "" until the name of its call is known.
        carried: Tokens over all calls; a pruned copy weighs less than the original.
        generation: The one it was met in last, its size there, and the calls of that before it.
    """

    row: int
    session: str
    tool: str
    tokens: int
    at: datetime | None
    calls: int = 0
    carried: int = 0
    generation: int = -1
    size: int = 0
    before: int = 0


def result_costs(
    generations: Iterable[tuple[Iterable[Message], frozenset[int]]],
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
    for number, (messages, copies) in enumerate(generations):
        _live(number, messages, copies, lives)
    costs = (_cost(life, price, hit_rate) for life in lives.values() if life.calls)
    dearest = nsmallest(most, costs, key=lambda cost: (-(cost.usd or 0), -cost.tokens * cost.calls, cost.row))
    return tuple(dearest)


def _live(
    generation: int, messages: Iterable[Message], copies: frozenset[int], lives: dict[_Result, _Life]
) -> None:
    met: list[_Life] = []
    repeats: Counter[str] = Counter()
    names: dict[str, str] = {}
    calls = 0
    for place, message in enumerate(messages):
        row = message.row
        if row is None:
            continue
        if message.role == "assistant" and place not in copies:
            calls += 1
        names.update((call.id, call.name) for call in message.tool_calls)
        if message.role == "tool" and message.tool_call_id:
            call, size = message.tool_call_id, len(message.text) // _CHARS
            name = intern(str(message.wire.get("tool_name") or names.get(call) or ""))
            names.pop(call, None)  # it is answered, and there may be thousands
            key = _key(call, generation, lives, repeats)
            life = lives.setdefault(key, _Life(row.id, row.session_id, "", size, row.timestamp))
            life.generation, life.size, life.before = generation, size, calls
            life.tool = life.tool or name or lives[call].tool
            met.append(life)
    for life in met:
        life.calls += calls - life.before
        life.carried += life.size * (calls - life.before)


def _key(call: str, generation: int, lives: Mapping[_Result, _Life], repeats: Counter[str]) -> _Result:
    first = lives.get(call)
    if first is None or first.generation != generation:
        return call
    repeats[call] += 1
    return call, repeats[call]


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
    return ResultCost(life.row, life.session, life.tool or "?", life.tokens, life.calls, usd, life.carried)
