"""The SQL that sums spending: common tables over `sessions` and `session_model_usage`."""

from __future__ import annotations

from collections.abc import Sequence

from core.store.database.open_database import Schema, label

COUNTS = (
    "api_call_count", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens",
    "reasoning_tokens",
)  # fmt: skip
_BILLED, PROMPT = COUNTS[1:5], COUNTS[1:4]
_SPENT = " OR ".join(f"{name} <> 0" for name in _BILLED)
"""Whether tokens were counted; NULL, which a condition treats as false, if none is known."""
MONEY = ("estimated_cost_usd", "actual_cost_usd")
ROUTE = ("model", "billing_provider", "billing_base_url", "billing_mode")
_TABLES = ("pricing_version", "cost_source")
"""Columns that name the table a row's cost was taken from, or else the kind of table."""
_OWN = ("id", "source", "title", "started_at", "message_count", "cost_status", "priced_by", *ROUTE)
_HEAD = f"id AS session, source, title, started_at, '' AS task, {', '.join(ROUTE)}, cost_status, priced_by"
_AMOUNTS = ", ".join((*COUNTS, *MONEY))
_LIMIT = 10**15
"""No session has more tokens or dollars: a larger number is damage, and its sum could overflow."""
_FIRST_TIME, _LAST_TIME = -6 * 10**10, 10**11
"""Epoch seconds that a calendar can represent in any time zone: the years 68 to 5138."""
_UNBOOKED = "IN (SELECT value FROM json_each(?)) AS unbooked"
"""Whether a session is in a list of those with unbooked calls."""


def added(*names: str) -> str:
    """The sum of columns, with NULL as 0."""
    return f"({' + '.join(f'coalesce({name}, 0)' for name in names)})"


SIZE = added(*_BILLED)
"""Prompt and output."""


def whole_items(schema: Schema, where: str) -> str:
    """The common table `items`: every session; `split_of` is its id if its split says more, else NULL.

    Binds the values of `where`, then the sessions with unbooked calls as JSON. `LIMIT -1` limits nothing, but
    keeps SQLite from reading a column again wherever it is named.
    """
    return f"""
      WITH whole AS (
        SELECT {_columns(schema, "sessions", _OWN, "s")}, 0 AS held, {_split_of(schema)} AS split_of
        FROM sessions s WHERE {where} LIMIT -1),
      items AS (
        SELECT {_HEAD}, {_AMOUNTS}, {_silent()} AS incomplete, 1 AS counts, 0 AS again, split_of,
          {_judged()}, id {_UNBOOKED} FROM whole)"""  # noqa: S608


def _split_of(schema: Schema) -> str:
    """The id of a session whose split by model does more than repeat its total; else NULL."""
    if not schema.has("session_model_usage", "session_id"):
        return "NULL"
    own, split = schema.columns["sessions"], schema.columns["session_model_usage"]
    both = [name for name in (*COUNTS, *MONEY) if name in own and name in split]
    unequal = [_differ(name, "0") for name in both]
    unequal += [_differ(name, "''") for name in ROUTE if name in own and name in split]
    main = "coalesce(u.task, '') = ''" if "task" in split else "1"
    return (
        "(SELECT s.id FROM session_model_usage u "  # noqa: S608
        f"WHERE u.session_id = s.id AND {main} AND ({' OR '.join(unequal)}))"
    )


def _differ(name: str, unknown: str) -> str:
    """Whether split and session differ; most are equal, which the first comparison shows."""
    known = f"coalesce(u.{name}, {unknown}) <> coalesce(s.{name}, {unknown})"
    return f"(+u.{name} IS NOT +s.{name} AND {known})"


def split_items(schema: Schema, where: str, keys: Sequence[str]) -> str:
    """The common tables `joined` (odd sessions with the sums of their split) and `items` (the result).

    The items include auxiliary calls, which no session's total has. Of a session's auxiliary items with equal
    `keys`, all but one are marked `again`. Binds the odd sessions as JSON, then the values of `where` twice,
    then the sessions with unbooked calls.
    """
    over = " OR ".join(f"u_{name} > coalesce({name}, 0)" for name in COUNTS[1:])
    leaves = " OR ".join(f"coalesce({name}, 0) <> coalesce(u_{name}, 0)" for name in COUNTS)
    rest = ", ".join(f"{name} - coalesce(u_{name}, 0)" for name in (*COUNTS, *MONEY))
    unequal = " OR ".join(f"abs(coalesce({name}, 0) - coalesce(u_{name}, 0)) > 1e-9" for name in MONEY)
    billed = "abs(coalesce(actual_cost_usd, 0) - coalesce(u_actual_cost_usd, 0)) > 1e-9"
    # The SQL contains only our own table and column names; values are bound by the caller.
    return f"""
      WITH odd AS (SELECT value AS id FROM json_each(?)),
      split AS ({_split(schema)}),
      sums AS (
        SELECT session_id, {", ".join(f"sum({name}) AS u_{name}" for name in (*COUNTS, *MONEY))}
        FROM split WHERE task = '' GROUP BY session_id),
      joined AS (
        SELECT *, NOT ({over}) AS fits, ({leaves} OR {unequal}) AS leaves, {billed} AS billed,
          {_silent()} AS silent
        FROM ({_own(schema, where)} AND s.id IN odd) AS own JOIN sums ON sums.session_id = own.id),
      known AS ({_own(schema, where)}),
      parts AS (
        SELECT {_HEAD}, {_AMOUNTS}, 1 AS incomplete, 0 AS held, 1 AS counts FROM joined WHERE NOT fits
        UNION ALL
        SELECT {_HEAD}, {rest}, 0, 0, 0 FROM joined WHERE fits AND leaves
        UNION ALL
        SELECT {_taken("joined")}, silent, billed, 1 FROM split JOIN joined ON joined.id = split.session_id
          WHERE split.task = '' AND fits
        UNION ALL
        SELECT {_taken("known")}, 0, 0, 1 FROM split JOIN known ON known.id = split.session_id
          WHERE split.task <> ''),
      items AS (
        SELECT *, NULL AS split_of, {_judged()}, counts AND row_number() OVER (
          PARTITION BY session, task, {", ".join(keys)} ORDER BY counts DESC) > 1 AS again,
          task = '' AND session {_UNBOOKED}
        FROM parts)"""  # noqa: S608


def _own(schema: Schema, where: str) -> str:
    return f"SELECT {_columns(schema, 'sessions', _OWN, 's')} FROM sessions s WHERE {where}"  # noqa: S608


def _judged() -> str:
    """The columns that say what an item's amounts mean."""
    return (
        f"{_recorded()} AS recorded, {_status()} AS status, {_missing()} AS missing, "
        "cost_status IS 'included' AS included"
    )


def _silent() -> str:
    return f"CASE WHEN {_SPENT} THEN 0 ELSE coalesce(message_count, 0) > 0 END"


def _taken(owner: str) -> str:
    """A row of the split with the fields that only its session has."""
    split = ", ".join(
        f"split.{name}" for name in (*ROUTE, "cost_status", "priced_by", *COUNTS, "estimated_cost_usd")
    )
    # The column cannot be NULL in the split, so 0 means nothing recorded.
    return (
        f"split.session_id, {owner}.source, {owner}.title, {owner}.started_at, split.task, {split}, "
        "nullif(split.actual_cost_usd, 0)"
    )


def _split(schema: Schema) -> str:
    """`session_model_usage` with guarded numbers; an empty table if there is none."""
    names = ("session_id", "task", "cost_status", "priced_by", *ROUTE)
    if schema.has("session_model_usage", "session_id"):
        columns = _columns(schema, "session_model_usage", names, "u")
        # Before tasks were recorded, every row was the main loop's.
        others = "task <> '' OR " if schema.has("session_model_usage", "task") else ""
        return f"SELECT {columns} FROM session_model_usage u WHERE {others}session_id IN odd"  # noqa: S608
    return "SELECT " + ", ".join(f"NULL AS {name}" for name in (*names, *COUNTS, *MONEY)) + " WHERE 0"


def _columns(schema: Schema, table: str, names: Sequence[str], alias: str) -> str:
    """Columns with guarded numbers and with bytes read as text; missing ones are NULL, routes never."""
    known = schema.columns.get(table, frozenset())

    def column(name: str) -> str:
        """The value of a column; NULL if the database lacks it or a row has another type in it."""
        value = f"{alias}.{name}" if name in known else "NULL"
        if name in COUNTS:
            value = f"CASE WHEN {_number(value)} THEN cast({value} AS integer) END"
        elif name in MONEY:
            value = f"CASE WHEN {_number(value)} THEN {value} END"
        elif name == "started_at":
            value = f"CASE WHEN {value} BETWEEN {_FIRST_TIME} AND {_LAST_TIME} THEN {value} END"
        elif name in ROUTE or name in ("source", "task"):
            value = f"coalesce(cast({value} AS text), '')"
        elif name == "priced_by":
            named = (f"nullif(cast({alias}.{one} AS text), '')" for one in _TABLES if one in known)
            value = f"coalesce({', '.join((*named, 'NULL', 'NULL'))})"
        elif name == "title":
            value = f"cast({label(value)} AS text)"
        elif name == "cost_status":
            value = f"cast({value} AS text)"
        return f"{value} AS {name}"

    return ", ".join(column(name) for name in (*names, *COUNTS, *MONEY))


def _number(value: str) -> str:
    """Whether a value is a sane number: text and bytes are above every number in SQLite's order."""
    return f"{value} BETWEEN -{_LIMIT} AND {_LIMIT}"


def route_columns(schema: Schema, table: str) -> str:
    """Model, provider, endpoint and billing mode of a table, never NULL."""
    known = schema.columns.get(table, frozenset())
    return ", ".join(f"coalesce(cast({name} AS text), '')" if name in known else "''" for name in ROUTE)


def _recorded() -> str:
    """The recorded amount; 0 for tokens that cost something does not count.

    `held` parts belong to a session whose billed amount is booked as a whole.
    """
    return (
        "CASE WHEN held THEN NULL WHEN actual_cost_usd <> 0 THEN actual_cost_usd "
        "WHEN estimated_cost_usd <> 0 THEN estimated_cost_usd WHEN cost_status = 'included' THEN 0 END"
    )


def _missing() -> str:
    """Whether no recorded amount covers the tokens, which is when `_status` is `unknown`."""
    return (
        "CASE WHEN held OR actual_cost_usd <> 0 OR estimated_cost_usd <> 0 OR cost_status = 'included' "
        f"THEN 0 ELSE ({_SPENT}) IS TRUE END"
    )


def _status() -> str:
    return (
        f"CASE WHEN ({_SPENT}) IS NOT TRUE THEN NULL WHEN actual_cost_usd <> 0 THEN 'actual' "
        "WHEN estimated_cost_usd <> 0 THEN "
        "CASE WHEN cost_status <> 'unknown' THEN cost_status ELSE 'estimated' END "
        "WHEN cost_status = 'included' THEN 'included' ELSE 'unknown' END"
    )
