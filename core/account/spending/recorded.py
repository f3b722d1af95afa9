"""Adds up in SQL what a store recorded as spent.

`sessions` holds the totals of the main loop; `session_model_usage` (0.19 and later) splits them by route and
adds auxiliary calls, which the totals leave out. If the split accounts for less than a session's total, the
rest is booked on the session's own route; if it exceeds the total, the total is used unsplit. So every token
counts once, by whatever dimension it is added up.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, tzinfo
from operator import itemgetter
from typing import Any

from core.account.spending.group import Counted, Fields, Group
from core.account.spending.sql import (
    COUNTS,
    PROMPT,
    ROUTE,
    SIZE,
    added,
    route_columns,
    split_items,
    whole_items,
)
from core.store.database.connect import reading
from core.store.database.open_database import HAS_ID, OpenDatabase
from core.store.rows.usage import unbooked_calls

QUARTER = 900
"""Seconds by which a database groups times: all time zones are whole quarters of an hour off UTC."""
FORMS = {"day": "%Y-%m-%d", "hour": "%Y-%m-%dT%H"}
"""`strftime` formats of a day and an hour."""
_QUARTERS = f"cast(started_at / {QUARTER} as integer)"
KEYS = {
    "session": "session",
    "conversation": "session",
    "model": "nullif(model, '')",
    "provider": "nullif(billing_provider, '')",
    "source": "nullif(source, '')",
    "profile": "''",
    "task": "nullif(task, '')",
    "day": _QUARTERS,
    "hour": _QUARTERS,
}
"""SQL of each dimension; days and hours use quarters of an hour, which fit every time zone."""
_SPLIT_OF, _SESSIONS, _INCOMPLETE = (
    itemgetter(Group._fields.index(name)) for name in ("split_of", "sessions", "incomplete")
)
UNKNOWN, MAIN = "unknown", "main"
"""Keys of unnamed values, and of the main loop among the tasks."""


def quarter_start(number: int) -> datetime:
    """The start of a quarter of an hour, in UTC; quarters are numbered from 1970."""
    return datetime.fromtimestamp(number * QUARTER, UTC)


def day_start(moment: datetime, zone: tzinfo | None = None) -> datetime:
    """The start of a moment's day in a time zone; this machine's by default."""
    midnight = datetime.combine(moment.astimezone(zone).date(), time.min)
    return midnight.replace(tzinfo=zone) if zone is not None else midnight.astimezone()


_Source = tuple[str, list[Any]]
"""Common table expressions, and the values they bind."""


@dataclass(frozen=True, slots=True)
class Classes:
    """Where prices change: no group spans one of these limits.

    Attributes:
        days: Moments at which prices change, in epoch seconds.
        minutes: Minutes of the day (UTC) at which they change.
        prompts: Prompt lengths above which they change.
    """

    days: Sequence[int] = ()
    minutes: Sequence[int] = ()
    prompts: Sequence[int] = ()

    @property
    def expressions(self) -> list[str]:
        """One SQL number for each kind of change; equal numbers mean equal prices."""
        minute = "(cast(started_at as integer) / 60 % 1440)"
        prompt = added(*PROMPT)
        calls = "max(1, coalesce(api_call_count, 0))"
        tests = (
            [f"(started_at >= {at})" for at in self.days],
            [f"({minute} >= {one})" for one in self.minutes],
            [f"({prompt} >= {above + 1} * {calls})" for above in self.prompts],
        )
        return [" + ".join(group) for group in tests if group]


@dataclass(frozen=True, slots=True)
class Window:
    """What counts: sessions started in `[since, until)` or those named, and of them the share of some keys.

    Attributes:
        only: Pairs of a key of `KEYS` and a value, all of which must match.
    """

    since: datetime | None = None
    until: datetime | None = None
    sessions: Sequence[str] | None = None
    only: Sequence[tuple[str, str]] = ()

    def where(self) -> tuple[str, list[Any]]:
        """The condition on `sessions s` and its values."""
        tests: list[str] = [HAS_ID]
        values: list[Any] = []
        for sign, moment in ((">=", self.since), ("<", self.until)):
            if moment is not None:
                tests.append(f"s.started_at {sign} ?")
                values.append(moment.timestamp())
        if self.sessions is not None:
            tests.append(f"s.id IN ({', '.join('?' * len(self.sessions))})")
            values += self.sessions
        return " AND ".join(tests), values

    def share(self) -> tuple[str, list[Any]]:
        """The condition on `items` and its values."""
        tests = [f"coalesce({KEYS[by]}, '{MAIN if by == 'task' else UNKNOWN}') = ?" for by, _ in self.only]
        return " AND ".join(tests) or "1", [value for _, value in self.only]


class Spending:
    """What a store recorded in a window, summed by key, route, task and the prices in force.

    Most sessions used one route, so their split is one row that repeats their total. Only the others are
    compared with their split, which is the slow part.

    Attributes:
        whole: Sums of the sessions used as stored.
        others: Sums of the other sessions and of auxiliary calls.
    """

    def __init__(self, store: OpenDatabase, window: Window, by: str, classes: Classes | None = None) -> None:
        self._store = store
        where, values = window.where()
        self._share, self._shared = window.share()
        with reading(store.path):
            found = unbooked_calls(store.connection, store.schema, store.path, self._named(window))
        self._unbooked, self._within = json.dumps(sorted(found)), (where, values)
        self._whole = whole_items(store.schema, where), [*values, self._unbooked]
        sums = _sums(by, classes or Classes())
        groups = self._fetch(self._whole, sums.format(f"({self._share} OR split_of IS NOT NULL)"))
        self._split_sessions = [one for one in map(_SPLIT_OF, groups) if one is not None]
        keys = [KEYS[by], *(KEYS[name] for name, _ in window.only)]
        self._split = (
            split_items(store.schema, where, keys),
            [
                json.dumps(self._split_sessions),
                *values,
                *values,
                self._unbooked,
            ],
        )
        self.whole = (
            [group for group in groups if _SPLIT_OF(group) is None] if self._split_sessions else groups
        )
        self.others = list(map(Group._make, self._fetch(self._split, sums.format(self._share))))

    def _named(self, window: Window) -> Sequence[str] | None:
        """The sessions in a window; None for all."""
        if window.since is None and window.until is None:
            return window.sessions
        where, values = window.where()
        query = f"SELECT s.id FROM sessions s WHERE {where}"  # noqa: S608 - own names
        return [str(one) for (one,) in self._store.connection.execute(query, values)]

    @property
    def groups(self) -> list[Group]:
        """All sums."""
        return [*map(Group._make, self.whole), *self.others]

    def counted(self) -> Counted:
        """How many sessions are counted, and how many of them are counted short."""
        session_count = sum(map(_SESSIONS, self.whole))
        silent = sum(map(_INCOMPLETE, self.whole))
        counted, more, disagreeing, residual = self._split_sums() if self._split_sessions else (0, 0, 0, 0)
        seen = self._distinct() if self._shared else session_count + counted
        return Counted(seen, silent + more, disagreeing, residual, self._short())

    def _short(self) -> int:
        """How many sessions have unbooked summary calls though others were booked."""
        spent = [f"s.{name}" for name in COUNTS[1:5] if self._store.schema.has("sessions", name)]
        if self._unbooked == "[]" or not spent:
            return 0
        where, values = self._within
        listed = f"{added(*spent)} <> 0 AND s.id IN (SELECT value FROM json_each(?))"  # noqa: S608
        query = f"SELECT count(*) FROM sessions s WHERE {where} AND {listed}"  # noqa: S608
        ((count,),) = _rows(self._store, query, [*values, self._unbooked])
        return int(count)

    def _fetch(self, source: _Source, query: str) -> list[Fields]:
        tables, values = source
        return _rows(self._store, f"{tables} {query}", [*values, *self._shared])

    def _split_sums(self) -> tuple[Any, ...]:
        tables, values = self._split
        mine = f"id IN (SELECT session FROM items WHERE {self._share})" if self._shared else "1"  # noqa: S608
        query = (
            f"{tables} SELECT count(*), coalesce(sum(silent), 0), coalesce(sum(fits = 0), 0), "  # noqa: S608
            f"coalesce(sum(fits AND leaves), 0) FROM joined WHERE {mine}"
        )
        row: tuple[Any, ...]
        (row,) = _rows(self._store, query, [*values, *self._shared])
        return row

    def _distinct(self) -> int:
        """How many sessions have a share; one may have spent both in its main loop and beside it."""
        query = f"SELECT session FROM items WHERE {self._share} AND split_of IS NULL"  # noqa: S608
        both = (self._whole, self._split)
        return len(
            {
                one
                for tables, values in both
                for one in _rows(self._store, f"{tables} {query}", [*values, *self._shared])
            }
        )


def _sums(by: str, classes: Classes) -> str:
    """The query that sums `items`; its condition is still to be filled in."""
    chosen = f"{KEYS[by]}, task, {', '.join(ROUTE)}, included"
    priced = "NULL, NULL, 0"
    if not straddles(by):
        # A session has one start, and its split has no route twice, so there is nothing to group.
        sums = ", ".join((*COUNTS, "recorded"))
        return (
            f"SELECT -{SIZE}, {chosen}, {sums}, missing, status, incomplete, started_at, title, priced_by, "  # noqa: S608
            f"counts, split_of, {priced}, again, unbooked FROM items WHERE {{}}"
        )
    sums = ", ".join(f"sum({name})" for name in (*COUNTS, "recorded"))
    names = [KEYS[by], "task", *ROUTE, "included", "split_of", *classes.expressions]
    return (
        f"SELECT sum(-{SIZE}), {chosen}, {sums}, sum(missing), "  # noqa: S608
        "CASE WHEN min(status) <> max(status) THEN 'mixed' ELSE min(status) END, sum(incomplete), "
        f"min(started_at), max(title), group_concat(DISTINCT priced_by), sum(counts), "
        f"split_of, {priced}, sum(again), sum(unbooked) FROM items WHERE {{}} "
        f"GROUP BY {', '.join(names)}"
    )


def straddles(by: str) -> bool:
    """Whether a group by this key spans several sessions, between which prices may change."""
    return KEYS[by] != "session"


def read_routes(store: OpenDatabase) -> list[tuple[str, str, str, str]]:
    """Every model, provider, endpoint and billing mode that was used."""
    tables = [name for name in ("sessions", "session_model_usage") if store.schema.has(name)]
    query = " UNION ".join(f"SELECT {route_columns(store.schema, name)} FROM {name}" for name in tables)  # noqa: S608
    return [(str(a), str(b), str(c), str(d)) for a, b, c, d in _rows(store, query, [])]


def splits_by_model(store: OpenDatabase) -> bool:
    """Whether the store has a split by model, and with it auxiliary calls."""
    return store.schema.has("session_model_usage", "session_id")


def _rows(store: OpenDatabase, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Fetch rows as plain tuples; SQLite itself decodes text unless some of it is not UTF-8."""
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
