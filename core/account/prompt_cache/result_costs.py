"""The cost of each tool result over its life in the context."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from heapq import nsmallest
from itertools import pairwise
from math import isnan, nan
from sys import intern

from core.account.pricing.price import MILLION, rates_for, read_rate, write_rate
from core.compress.sizing.estimate import numbers
from core.model.accounting.ledger import PriceRow
from core.model.accounting.prompt_cache import ResultCost
from core.model.transcript.message import Message

_CHARS = 4
_MAX_RESULTS = 20
_Result = int | tuple[int, int]
"""Hash of the call id; for a repeated id, with how many results had it before: some models give an id
twice."""
_Price = Callable[[datetime | None], PriceRow | None]


@dataclass(slots=True)
class ResultNotes:
    """The tool results of a generation: a column for each value their cost depends on, without texts.

    Attributes:
        messages, calls: How many were passed.
        names: The tools of calls not answered yet, by call id.
        times: Seconds since 1970; NaN for a row without a time.
        ids: Hashes of the ids of the answered calls.
        before: The number of calls before each result.
    """

    messages: int = 0
    calls: int = 0
    names: dict[str, str] = field(default_factory=dict)
    rows: array[int] = field(default_factory=lambda: array("q"))
    sessions: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    tokens: array[int] = field(default_factory=numbers)
    times: array[float] = field(default_factory=lambda: array("d"))
    ids: array[int] = field(default_factory=lambda: array("q"))
    before: array[int] = field(default_factory=numbers)

    def note(self, message: Message, copies: frozenset[int]) -> None:
        """Note the next message; `copies` are the positions of messages the compaction stored again."""
        place, row = self.messages, message.row
        self.messages += 1
        if row is None:
            return
        self.calls += message.role == "assistant" and place not in copies
        self.names.update((call.id, call.name) for call in message.tool_calls)
        call = message.tool_call_id
        if message.role == "tool" and call:
            name = str(message.wire.get("tool_name") or self.names.get(call) or "")
            self.names.pop(call, None)  # it is answered, and there may be thousands
            self.rows.append(row.id)
            self.sessions.append(row.session_id)
            self.tools.append(intern(name))
            self.tokens.append(len(message.text) // _CHARS)
            self.times.append(nan if row.timestamp is None else row.timestamp.timestamp())
            self.ids.append(hash(call))
            self.before.append(self.calls)

    def at(self, place: int) -> datetime | None:
        """When a result was stored."""
        return None if isnan(self.times[place]) else datetime.fromtimestamp(self.times[place], UTC)


@dataclass(slots=True)
class _Life:
    """A result while its calls are counted.

    Attributes:
        tool: Its tool; "" until the name of its call is known.
        carried: Tokens over all calls; a pruned copy weighs less than the original.
        generation: The last generation it was in, with its `size` there and the calls `before` it.
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


def noted(messages: Iterable[Message], copies: frozenset[int]) -> ResultNotes:
    """The results of a generation; `copies` are the positions of messages the compaction stored again."""
    notes = ResultNotes()
    for message in messages:
        notes.note(message, copies)
    return notes


def result_costs(
    generations: Iterable[ResultNotes],
    price: _Price,
    *,
    hit_rate: float | None = None,
    one_hour: bool = False,
) -> Iterator[ResultCost]:
    """The cost of each tool result of a conversation, in any order.

    Every answer of the model is one call, which carried all earlier results in its generation. A copy in a
    later generation continues the life of the original, with the copy's size. A result is written once and
    then read from the cache, as often as the conversation's hit rate says, or always if that is unknown.
    `one_hour`: the cache is kept for an hour.
    """
    share = Decimal(1 if hit_rate is None else str(round(hit_rate, 4)))
    return (_cost(life, price, share, one_hour) for life in _lives(generations) if life.calls)


def most_expensive(costs: Iterable[ResultCost]) -> tuple[ResultCost, ...]:
    """The few results that cost most."""
    return tuple(
        nsmallest(_MAX_RESULTS, costs, key=lambda one: (-(one.usd or 0), -one.tokens * one.calls, one.row))
    )


def _lives(generations: Iterable[ResultNotes]) -> Iterator[_Life]:
    """The lives of all results, in any order.

    A result that occurs only once, in the newest generation, is yielded at once: 6,000 kept would take 2 MB.
    """
    known: dict[_Result, _Life] = {}
    *earlier, newest = ResultNotes(), *generations
    for number, notes in enumerate(earlier):
        _live(number, notes, range(len(notes.ids)), known)
    twice = {one for one, other in pairwise(sorted(newest.ids)) if one == other}
    joined = [at for at, call in enumerate(newest.ids) if call in twice or call in known]
    _live(len(earlier), newest, joined, known)
    yield from known.values()
    for at, call in enumerate(newest.ids):
        if call not in known:
            life = _begun(newest, at)
            life.calls = newest.calls - newest.before[at]
            life.carried = life.tokens * life.calls
            yield life


def _begun(notes: ResultNotes, at: int) -> _Life:
    return _Life(notes.rows[at], notes.sessions[at], notes.tools[at], notes.tokens[at], notes.at(at))


def _live(generation: int, notes: ResultNotes, places: Iterable[int], lives: dict[_Result, _Life]) -> None:
    seen_lives: list[_Life] = []
    repeats: Counter[int] = Counter()
    for at in places:
        call, size = notes.ids[at], notes.tokens[at]
        key = _key(call, generation, lives, repeats)
        life = lives.get(key)
        if life is None:
            life = lives[key] = _begun(notes, at)
        life.generation, life.size, life.before = generation, size, notes.before[at]
        life.tool = life.tool or notes.tools[at] or lives[call].tool
        seen_lives.append(life)
    for life in seen_lives:
        life.calls += notes.calls - life.before
        life.carried += life.size * (notes.calls - life.before)


def _key(call: int, generation: int, lives: Mapping[_Result, _Life], repeats: Counter[int]) -> _Result:
    first = lives.get(call)
    if first is None or first.generation != generation:
        return call
    repeats[call] += 1
    return call, repeats[call]


def _cost(life: _Life, price: _Price, share: Decimal, one_hour: bool) -> ResultCost:
    entry = price(life.at)
    usd = None
    if entry is not None:
        rates = rates_for(entry, 0)
        first, read = write_rate(rates, one_hour=one_hour), read_rate(rates)
        if first is not None and read is not None and rates.input is not None:
            later = read * share + rates.input * (1 - share)
            usd = (first * life.tokens + later * max(0, life.carried - life.tokens)) / MILLION
    return ResultCost(life.row, life.session, life.tool or "?", life.tokens, life.calls, usd, life.carried)
