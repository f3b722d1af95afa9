"""What is only too much: titles, messages, calls and lines of tens and hundreds of megabytes."""

from __future__ import annotations

import random
from pathlib import Path

from tests.damaged_homes.common import opened, rewritten_schema, run

MEGABYTE = 1_000_000


def _title(home: Path, dice: random.Random) -> None:
    run(home, ("UPDATE sessions SET title = ? WHERE id = 'a'", (dice.choice("Té \n") * 40 * MEGABYTE,)))


def _message(home: Path, dice: random.Random) -> None:
    words = " ".join(dice.choice(("alpha", "src/x.py", "42", "error:", "é")) for _ in range(9_000))
    text = (words * (30 * MEGABYTE // len(words) + 1))[: 30 * MEGABYTE]
    run(home, ("UPDATE messages SET content = ? WHERE id IN (2, 7)", (text,)))


def _unbroken(home: Path, dice: random.Random) -> None:
    """One word of thirty megabytes."""
    run(home, ("UPDATE messages SET content = ? WHERE id = 7", (dice.choice("xé{_9=") * 30 * MEGABYTE,)))


def _nested(home: Path, dice: random.Random) -> None:
    """284 megabytes of JSON, deep or wide."""
    pieces = ("[" * (142 * MEGABYTE) + "]" * (142 * MEGABYTE), "[" + "[1]," * (71 * MEGABYTE) + "1]")
    column = dice.choice(("content", "tool_calls"))
    text = ("\x00json:" if column == "content" else "") + pieces[dice.randrange(2)]
    run(home, (f"UPDATE messages SET {column} = ? WHERE id = 7", (text,)))


def _made_title(home: Path, dice: random.Random) -> None:
    """A title of 600 megabytes that is made when it is read."""
    with opened(home) as db:
        db.execute("ALTER TABLE sessions RENAME COLUMN title TO title_before")
        db.execute(
            "ALTER TABLE sessions ADD COLUMN title TEXT GENERATED ALWAYS AS (hex(zeroblob(7))) VIRTUAL"
        )
    rewritten_schema(home, "zeroblob(7)", "zeroblob(300000000)", "sessions")


def _log_line(home: Path, dice: random.Random) -> None:
    start = "2026-05-01 10:00:00,000 INFO x: conversation turn: session=a "
    with (home / "logs" / "agent.log").open("w") as stream:
        stream.write(dice.choice((start, "")))
        for _ in range(100):
            stream.write(dice.choice("x[é") * MEGABYTE)


def _settings(home: Path, dice: random.Random) -> None:
    (home / "config.yaml").write_text(dice.choice(("a: [1]\n", "- x\n", "#\n")) * (20 * MEGABYTE))


def _many(home: Path, dice: random.Random) -> None:
    """A million rows of nothing in a table of few."""
    table, columns = dice.choice((("state_meta", "key, value"), ("messages", "session_id, role, timestamp")))
    row = "i, 'x'" if table == "state_meta" else "'a', 'user', i"
    with opened(home) as db:
        db.execute(
            f"INSERT INTO {table}({columns}) WITH RECURSIVE n(i) AS "
            f"(SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT {row} FROM n"
        )


DAMAGES = (_title, _message, _unbroken, _nested, _made_title, _log_line, _settings, _many)
