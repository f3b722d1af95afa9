"""Rows that hold what no release writes: wrong types, times of no calendar, circles, calls that are none."""

from __future__ import annotations

import random
from pathlib import Path

from tests.damaged_homes.common import DEEP, DIGITS, VALUES, opened, run

_NUMBERS = (-1e308, 1e308, float("inf"), -1, 2**63 - 1, -(2**63), "NaN", b"\xff\x00", "", None, 1e18, DIGITS)
_TIMES = (
    *(-1e18, 1e300, 253402300800.0, 253402300799.0, -62135596800.0, -62135596801.0, 0, float("inf")),
    *("yesterday", b"\x00", DIGITS),
)
_CALLS = (
    *(DEEP, "\x00json:" + DEEP, 7, "\x00json:{", '[{"function": 3}]', "[null]", f"[{DIGITS}]"),
    *('{"id": 1}', '[{"function": {"name": null, "arguments": 3}}]', f'\x00json:[{{"text": {DIGITS}}}]'),
)


def _numbers(home: Path, dice: random.Random) -> None:
    columns = ("input_tokens", "output_tokens", "estimated_cost_usd", "message_count", "api_call_count")
    run(home, *((f"UPDATE sessions SET {name} = ?", (dice.choice(_NUMBERS),)) for name in columns))


def _times(home: Path, dice: random.Random) -> None:
    for table, names in {"sessions": ("started_at", "ended_at"), "messages": ("timestamp",)}.items():
        run(home, *((f"UPDATE {table} SET {name} = ?", (dice.choice(_TIMES),)) for name in names))


def _every_column(home: Path, dice: random.Random) -> None:
    """Something of another type in each column of a table that takes it, in half of its rows."""
    table = dice.choice(("sessions", "messages", "session_model_usage"))
    with opened(home) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        for _, name, _, _, _, key in list(db.execute(f"PRAGMA table_info({table})")):
            if not key and name != "session_id":
                told = (dice.choice(VALUES), dice.randrange(2))
                db.execute(f"UPDATE OR IGNORE {table} SET {name} = ? WHERE rowid % 2 = ?", told)


def _broken_text(home: Path, dice: random.Random) -> None:
    """Texts that are not UTF-8."""
    for table, names in {
        "sessions": ("title", "model", "source", "cwd", "end_reason"),
        "messages": ("role", "content", "tool_name", "tool_calls"),
    }.items():
        for name in names:
            raw = dice.choice((b"\xff\xfe\x00a", b"\xed\xa0\x80", b"\xc0\x80", dice.randbytes(50)))
            run(home, (f"UPDATE {table} SET {name} = CAST(? AS TEXT) WHERE rowid % 2 = 0", (raw,)))


def _cells(home: Path, dice: random.Random) -> None:
    for name in ("role", "content", "tool_calls", "tool_name", "tool_call_id"):
        junk = dice.choice((dice.randbytes(60), *_CALLS))
        run(home, (f"UPDATE messages SET {name} = ? WHERE id % 3 = ?", (junk, dice.randrange(3))))


def _names(home: Path, dice: random.Random) -> None:
    long = dice.choice(("T", "é", "\x1b[2J")) * 500_000
    for name in ("title", "model", "source", "cwd", "end_reason"):
        run(home, (f"UPDATE sessions SET {name} = ? WHERE id = 'a'", (long,)))


def _circle(home: Path, dice: random.Random) -> None:
    ids = ["a", "b", "c"]
    dice.shuffle(ids)
    pairs = zip(ids, (*ids[1:], ids[0]), strict=True)
    run(home, *(("UPDATE sessions SET parent_session_id = ? WHERE id = ?", pair) for pair in pairs))


def _strange_ids(home: Path, dice: random.Random) -> None:
    """A session whose id is a number, bytes, nothing or a whole page."""
    odd = dice.choice((7, b"\xff", "", " ", "\x1b[31m", "x" * 70_000, "../../etc"))
    run(
        home,
        ("UPDATE OR IGNORE sessions SET id = ? WHERE id = 'a'", (odd,)),
        ("UPDATE messages SET session_id = ? WHERE session_id = 'a'", (odd,)),
    )


DAMAGES = (_numbers, _times, _every_column, _broken_text, _cells, _names, _circle, _strange_ids)
