"""What a store recorded as spent, added up by the database itself.

`sessions` holds the totals of the main loop; `session_model_usage` (0.19 and later) splits them by route and
adds auxiliary calls, which the totals leave out. Where the split does not account for all of a session's
total, the rest is booked on the session's own route; where it exceeds the total, the total is taken whole. So
every token counts once, whatever it is added up by.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from core.store.connect import reading
from core.store.schema import Schema
from core.store.store import Store

COUNTS = (
    "api_call_count", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens",
    "reasoning_tokens",
)  # fmt: skip
_BILLED = COUNTS[1:5]
_MONEY = ("estimated_cost_usd", "actual_cost_usd")
_ROUTE = ("model", "billing_provider", "billing_base_url", "billing_mode")
_OWN = ("id", "source", "title", "started_at", "message_count", "cost_status", *_ROUTE)
_LIMIT = 10**15
"""No session holds more tokens than this: a larger number is damage, and adding it up could overflow."""

KEYS = {
    "session": "session",
    "conversation": "session",
    "model": "nullif(model, '')",
    "provider": "nullif(billing_provider, '')",
    "source": "nullif(source, '')",
    "profile": "1",
    "task": "nullif(task, '')",
    "day": "cast(started_at / 900 as integer)",
    "hour": "cast(started_at / 900 as integer)",
}
"""What is grouped by; days and hours by quarters of an hour, which fit every time zone."""


class Group(NamedTuple):
    """What was spent under one key, on one route, for one task, at one set of prices.

    Attributes:
        at: When its first session started, epoch seconds.
        recorded: The actual amounts where there are some, else the estimates.
        missing: Sessions or tasks with tokens but no recorded cost.
        status, other_status: First and last cost status by name; equal when all agree.
        included: A subscription pays.
        shaky: Something is known to be missing.
    """

    key: Any
    task: str
    model: str
    provider: str
    base_url: str
    mode: str
    included: int
    calls: int | None
    input: int | None
    cache_read: int | None
    cache_write: int | None
    output: int | None
    reasoning: int | None
    estimated: float | None
    actual: float | None
    recorded: float | None
    missing: int
    status: str | None
    other_status: str | None
    shaky: int
    at: float | None
    title: str | None
    sessions: int


class Counted(NamedTuple):
    """Sessions in sight, and how many of them are counted short or oddly.

    Attributes:
        silent: They hold messages but recorded no tokens.
        disagreeing: Their split by model exceeds their total.
        residual: Their split by model leaves something over.
    """

    sessions: int = 0
    silent: int = 0
    disagreeing: int = 0
    residual: int = 0


@dataclass(frozen=True, slots=True)
class Classes:
    """Where prices change: groups never straddle one of these.

    Attributes:
        days: Moments from which other prices hold, epoch seconds.
        minutes: Minutes of the day (UTC) at which they change.
        prompts: Lengths of a prompt above which they change.
    """

    days: Sequence[int] = ()
    minutes: Sequence[int] = ()
    prompts: Sequence[int] = ()

    @property
    def expressions(self) -> list[str]:
        """One SQL number for each kind of change; equal numbers mean equal prices."""
        minute = "(cast(started_at as integer) / 60 % 1440)"
        prompt = (
            "(coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0))"
        )
        calls = "max(1, coalesce(api_call_count, 0))"
        tests = (
            [f"(started_at >= {at})" for at in self.days],
            [f"({minute} >= {one})" for one in self.minutes],
            [f"({prompt} >= {above + 1} * {calls})" for above in self.prompts],
        )
        return [" + ".join(group) for group in tests if group]


@dataclass(frozen=True, slots=True)
class Window:
    """Which sessions count: those that started in `[since, until)`, or those named."""

    since: datetime | None = None
    until: datetime | None = None
    sessions: Sequence[str] | None = None

    def where(self) -> tuple[str, list[Any]]:
        """The condition on `sessions s` and its values."""
        tests: list[str] = ["1"]
        values: list[Any] = []
        for sign, moment in ((">=", self.since), ("<", self.until)):
            if moment is not None:
                tests.append(f"s.started_at {sign} ?")
                values.append(moment.timestamp())
        if self.sessions is not None:
            tests.append(f"s.id IN ({', '.join('?' * len(self.sessions))})")
            values += self.sessions
        return " AND ".join(tests), values


class Spending:
    """What one store recorded in a window.

    Most sessions used one route, and their split is one row that repeats their total. Only the others are
    taken apart and put beside their split, which is what costs time.
    """

    def __init__(self, store: Store, window: Window) -> None:
        self.store = store
        self._where, values = window.where()
        odd = json.dumps(
            [row[0] for row in _rows(store, _odd(store.schema), [])] if splits_by_model(store) else []
        )
        # The condition stands in three places of the common tables, after the list of odd sessions.
        self._values = [odd, *values, *values, *values]

    def groups(self, by: str, classes: Classes | None = None) -> list[Group]:
        """Adds up what was spent by a key, a route, a task and the prices in force.

        Args:
            by: A key of `KEYS`.
            classes: Where prices change; None when nothing is priced.
        """
        names = [KEYS[by], "task", *_ROUTE, "included", *(classes.expressions if classes else ())]
        sums = ", ".join(f"sum({name})" for name in (*COUNTS, *_MONEY, "recorded"))
        query = (
            f"{_items(self.store.schema, self._where)} SELECT {KEYS[by]}, task, {', '.join(_ROUTE)}, "  # noqa: S608
            f"included, {sums}, sum(missing), min(status), max(status), max(shaky), min(started_at), "
            f"max(title), max(1, sum(counts)) FROM items GROUP BY {', '.join(names)}"
        )
        return [Group(*row) for row in _rows(self.store, query, self._values)]

    def counted(self) -> Counted:
        """How many sessions are in sight, and how many are counted short."""
        query = (
            f"{_items(self.store.schema, self._where)} SELECT (SELECT count(*) FROM plain) + count(*), "  # noqa: S608
            "(SELECT coalesce(sum(silent), 0) FROM plain) + coalesce(sum(silent), 0), "
            "coalesce(sum(fits = 0), 0), coalesce(sum(fits AND leaves), 0) FROM joined"
        )
        (row,) = _rows(self.store, query, self._values)
        return Counted(*row)


def read_routes(store: Store) -> list[tuple[str, str, str, str]]:
    """Every model, provider, endpoint and billing mode that was used."""
    tables = [name for name in ("sessions", "session_model_usage") if store.schema.has(name)]
    query = " UNION ".join(f"SELECT {_route(store.schema, name)} FROM {name}" for name in tables)  # noqa: S608
    return [(str(a), str(b), str(c), str(d)) for a, b, c, d in _rows(store, query, [])]


def splits_by_model(store: Store) -> bool:
    """Whether the store keeps a split by model, and with it auxiliary calls."""
    return store.schema.has("session_model_usage", "session_id")


def _rows(store: Store, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Fetches plain tuples; text is decoded by SQLite itself unless some of it is no UTF-8."""
    connection = store.connection
    careful = connection.text_factory
    cursor = connection.cursor()
    cursor.row_factory = None
    connection.text_factory = str
    try:
        return cursor.execute(query, values).fetchall()
    except sqlite3.Error:
        connection.text_factory = careful
        with reading(store.path):
            return cursor.execute(query, values).fetchall()
    finally:
        connection.text_factory = careful


def _odd(schema: Schema) -> str:
    """Sessions whose split does more than repeat their total."""
    own, split = schema.columns["sessions"], schema.columns["session_model_usage"]
    both = [name for name in (*COUNTS, *_MONEY) if name in own and name in split]
    unequal = [f"coalesce(u.{name}, 0) <> coalesce(s.{name}, 0)" for name in both]
    unequal += [
        f"coalesce(u.{name}, '') <> coalesce(s.{name}, '')"
        for name in _ROUTE
        if name in own and name in split
    ]
    main = "coalesce(u.task, '') = ''" if "task" in split else "1"
    return (
        "SELECT DISTINCT u.session_id FROM session_model_usage u JOIN sessions s ON s.id = u.session_id "  # noqa: S608
        f"WHERE {main} AND ({' OR '.join(unequal)})"
    )


def _items(schema: Schema, where: str) -> str:
    """The common tables.

    `plain`: sessions that are added up as they stand; `joined`: the others, each beside the sum of its split;
    `items`: everything there is to add up.
    """
    over = " OR ".join(f"u_{name} > coalesce({name}, 0)" for name in COUNTS[1:])
    leaves = " OR ".join(f"coalesce({name}, 0) <> coalesce(u_{name}, 0)" for name in COUNTS)
    rest = ", ".join(f"{name} - coalesce(u_{name}, 0)" for name in (*COUNTS, *_MONEY))
    unequal = " OR ".join(f"abs(coalesce({name}, 0) - coalesce(u_{name}, 0)) > 1e-9" for name in _MONEY)
    billed = "abs(coalesce(actual_cost_usd, 0) - coalesce(u_actual_cost_usd, 0)) > 1e-9"
    head = f"id AS session, source, title, started_at, '' AS task, {', '.join(_ROUTE)}, cost_status"
    counts = ", ".join((*COUNTS, *_MONEY))
    own = f"SELECT {_columns(schema, 'sessions', _OWN, 's')} FROM sessions s WHERE {where}"  # noqa: S608
    silent = f"coalesce(message_count, 0) > 0 AND NOT {_spent()}"
    # Names of our own tables and columns only; values are bound by the caller.
    return f"""
      WITH odd AS (SELECT value AS id FROM json_each(?)),
      plain AS (SELECT *, {silent} AS silent FROM ({own} AND s.id NOT IN odd)),
      split AS ({_split(schema)}),
      sums AS (
        SELECT session_id, {", ".join(f"sum({name}) AS u_{name}" for name in (*COUNTS, *_MONEY))}
        FROM split WHERE task = '' GROUP BY session_id),
      joined AS (
        SELECT *, NOT ({over}) AS fits, ({leaves} OR {unequal}) AS leaves, {billed} AS billed,
          {silent} AS silent
        FROM ({own} AND s.id IN odd) AS own JOIN sums ON sums.session_id = own.id),
      known AS ({own}),
      parts AS (
        SELECT {head}, {counts}, silent AS shaky, 0 AS held, 1 AS counts FROM plain
        UNION ALL
        SELECT {head}, {counts}, 1, 0, 1 FROM joined WHERE NOT fits
        UNION ALL
        SELECT {head}, {rest}, 0, 0, 0 FROM joined WHERE fits AND leaves
        UNION ALL
        SELECT {_taken("joined")}, silent, billed, 1 FROM split JOIN joined ON joined.id = split.session_id
          WHERE split.task = '' AND fits
        UNION ALL
        SELECT {_taken("known")}, 0, 0, 1 FROM split JOIN known ON known.id = split.session_id
          WHERE split.task <> ''),
      items AS (
        SELECT *, {_recorded()} AS recorded, {_status()} AS status,
          NOT held AND {_spent()} AND {_status()} = 'unknown' AS missing,
          coalesce(cost_status, '') = 'included' AS included
        FROM parts)"""  # noqa: S608


def _taken(owner: str) -> str:
    """A row of the split with what only its session knows."""
    split = ", ".join(f"split.{name}" for name in (*_ROUTE, "cost_status", *COUNTS, "estimated_cost_usd"))
    # The column cannot be NULL there, so 0 says nothing.
    return (
        f"split.session_id, {owner}.source, {owner}.title, {owner}.started_at, split.task, {split}, "
        "nullif(split.actual_cost_usd, 0)"
    )


def _split(schema: Schema) -> str:
    """`session_model_usage` with guarded numbers; an empty table where there is none."""
    names = ("session_id", "task", "cost_status", *_ROUTE)
    if schema.has("session_model_usage", "session_id"):
        columns = _columns(schema, "session_model_usage", names, "u")
        # Before tasks were told apart, every row was the main loop's.
        others = "task <> '' OR " if schema.has("session_model_usage", "task") else ""
        return f"SELECT {columns} FROM session_model_usage u WHERE {others}session_id IN odd"  # noqa: S608
    return "SELECT " + ", ".join(f"NULL AS {name}" for name in (*names, *COUNTS, *_MONEY)) + " WHERE 0"


def _columns(schema: Schema, table: str, names: Sequence[str], alias: str) -> str:
    """Columns as they are, numbers guarded, missing ones NULL, routes never NULL."""
    known = schema.columns.get(table, frozenset())

    def column(name: str) -> str:
        value = f"{alias}.{name}" if name in known else "NULL"
        if name in COUNTS:
            sound = f"typeof({value}) IN ('integer', 'real') AND {value} BETWEEN -{_LIMIT} AND {_LIMIT}"
            value = f"CASE WHEN {sound} THEN cast({value} AS integer) END"
        elif name in _MONEY or name == "started_at":
            value = f"CASE WHEN typeof({value}) IN ('integer', 'real') THEN {value} END"
        elif name in _ROUTE or name in ("source", "task"):
            value = f"coalesce({value}, '')"
        return f"{value} AS {name}"

    return ", ".join(column(name) for name in (*names, *COUNTS, *_MONEY))


def _route(schema: Schema, table: str) -> str:
    known = schema.columns.get(table, frozenset())
    return ", ".join(f"coalesce({name}, '')" if name in known else "''" for name in _ROUTE)


def _spent() -> str:
    return "(" + " OR ".join(f"coalesce({name}, 0) <> 0" for name in _BILLED) + ")"


def _recorded() -> str:
    """The amount Hermes stands for: 0 for tokens that cost something is no amount.

    `held` parts belong to a session whose billed amount is booked in one piece.
    """
    return (
        "CASE WHEN held THEN NULL WHEN coalesce(actual_cost_usd, 0) <> 0 THEN actual_cost_usd "
        "WHEN coalesce(estimated_cost_usd, 0) <> 0 THEN estimated_cost_usd "
        "WHEN cost_status = 'included' THEN 0 END"
    )


def _status() -> str:
    estimate = "coalesce(nullif(cost_status, 'unknown'), 'estimated')"
    return (
        f"CASE WHEN NOT {_spent()} THEN NULL WHEN coalesce(actual_cost_usd, 0) <> 0 THEN 'actual' "
        f"WHEN coalesce(estimated_cost_usd, 0) <> 0 THEN {estimate} "
        "WHEN cost_status = 'included' THEN 'included' ELSE 'unknown' END"
    )
