"""Databases of another shape: tables and columns missing, renamed, computed, or made of what nobody has."""

from __future__ import annotations

import random
from pathlib import Path

from tests.damaged_homes.common import ENDLESS, opened, rewritten_schema, run

_TABLES = ("sessions", "messages", "session_model_usage", "compression_locks", "state_meta", "schema_version")


def _views(home: Path, dice: random.Random) -> None:
    table = dice.choice(("sessions", "messages", "session_model_usage", "compression_locks"))
    columns = "i AS id, i AS session_id, 'x' AS role, i AS content"
    run(
        home,
        (f"DROP TABLE IF EXISTS {table}", ()),
        (f"CREATE VIEW {table} AS {ENDLESS} SELECT {columns} FROM n", ()),
    )


def _no_table(home: Path, dice: random.Random) -> None:
    run(home, (f"DROP TABLE IF EXISTS {dice.choice(_TABLES)}", ()))


def _no_columns(home: Path, dice: random.Random) -> None:
    """A table with some columns only, and its rows."""
    table = dice.choice(("sessions", "messages", "session_model_usage"))
    with opened(home) as db:
        names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        kept = ", ".join(f'"{name}"' for name in dice.sample(names, dice.randrange(1, len(names))))
        db.execute(f"CREATE TABLE kept AS SELECT {kept} FROM {table}")
        db.execute(f"DROP TABLE {table}")
        db.execute(f"ALTER TABLE kept RENAME TO {table}")


def _computed(home: Path, dice: random.Random) -> None:
    """Columns computed when they are read, out of what makes that fail or large."""
    table, column = dice.choice((("sessions", "title"), ("messages", "content"), ("sessions", "cwd")))
    told = dice.choice(("json(3)", "abs(-9223372036854775808)", "hex(zeroblob(200000))", "missing_one(1)"))
    with opened(home) as db:
        db.execute(f"ALTER TABLE {table} DROP COLUMN {column}") if column == "cwd" else db.execute(
            f"ALTER TABLE {table} RENAME COLUMN {column} TO {column}_before"
        )
        plain = "hex(zeroblob(10))"
        db.execute(f"ALTER TABLE {table} ADD COLUMN {column} TEXT GENERATED ALWAYS AS ({plain}) VIRTUAL")
    rewritten_schema(home, plain, told, table)


def _collation(home: Path, dice: random.Random) -> None:
    column, table = dice.choice((("id TEXT", "sessions"), ("session_id TEXT", "messages")))
    rewritten_schema(home, column, f"{column} COLLATE klingon", table)


def _unknown_module(home: Path, dice: random.Random) -> None:
    table = dice.choice(("sessions", "messages", "messages_fts"))
    with opened(home) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_master SET sql = ? WHERE name = ?",
            (f"CREATE VIRTUAL TABLE {table} USING nobody_has_this(content)", table),
        )


def _schema_words(home: Path, dice: random.Random) -> None:
    junk = dice.choice(("CREATE TABLE", "", "nonsense", "CREATE TABLE x(" + "a," * 3_000 + "b)"))
    with opened(home) as db:
        db.execute("PRAGMA writable_schema = ON")
        table = dice.choice(("sessions", "messages"))
        db.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (junk, table))


def _names_for_rows(home: Path, dice: random.Random) -> None:
    """Rows of messages whose id is a text, some twice, and some without an id."""
    with opened(home) as db:
        db.execute("CREATE TABLE kept AS SELECT * FROM messages")
        db.execute("UPDATE kept SET id = ? WHERE id % 2", (dice.choice(("one", None, 3.5, b"\xff")),))
        db.execute("DROP TABLE messages")
        db.execute("ALTER TABLE kept RENAME TO messages")


def _wide_text(home: Path, dice: random.Random) -> None:
    """A database in UTF-16, with what no search needs."""
    with opened(home) as db:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
        made = [(name, sql) for name, sql in db.execute(query) if name in _TABLES]
        rows = {name: db.execute(f"SELECT * FROM {name}").fetchall() for name, _ in made}
    for one in home.glob("state.db*"):
        one.unlink()
    with opened(home) as db:
        db.execute(f"PRAGMA encoding = '{dice.choice(('UTF-16le', 'UTF-16be'))}'")
        for name, sql in made:
            db.execute(sql)
            for row in rows[name]:
                db.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)


DAMAGES = (
    _views, _no_table, _no_columns, _computed, _collation, _unknown_module, _schema_words, _names_for_rows,
    _wide_text,
)  # fmt: skip
