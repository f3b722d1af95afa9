"""Homes that are damaged in one of many ways, the same for the same seed."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.core.store.database import SessionDatabase

Damage = Callable[[Path, random.Random], None]

_NUMBERS = (-1e308, 1e308, float("inf"), -1, 2**63 - 1, -(2**63), "NaN", b"\xff\x00", "", None, 1e18)
_TIMES = (-1e18, 1e300, 253402300800.0, -62135596801.0, 0, "yesterday", float("inf"), b"\x00")
_DEEP = "[" * 30_000 + "]" * 30_000
_BOMB = "a0: &a0 {x: 1, y: 2}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}], k{n}: 1}}\n" for n in range(1, 9)
)
_SETTINGS = (
    f"model: {_DEEP}", _BOMB, "model: [", "- a\n- b", "\x00\x01",
    "compression: {threshold: .nan, target_ratio: -5}",
    "model: {context_length: 99999999999999999999999}", "compression: {protect_last_n: -7, threshold: 1e400}",
    "context: {engine: [1, 2]}", "when: 2026-13-41", "a: &a [*a]",
)  # fmt: skip
_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


def sound(folder: Path) -> Path:
    """A home with a compacted conversation, a chain, settings and a log."""
    folder.mkdir(parents=True)
    (folder / "logs").mkdir()
    (folder / "logs" / "agent.log").write_text(
        "2026-05-01 10:00:00,000 INFO x: conversation turn: session=a\n"
    )
    (folder / "config.yaml").write_text("model:\n  default: test-model\n  context_length: 64000\n")
    with SessionDatabase(folder / "state.db", "0.19") as made:
        made.session("a", title="A", input_tokens=10, output_tokens=5, estimated_cost_usd=0.5)
        for name in "1234":
            made.turn("a", name)
        made.compact("a", 2, 3, "what came before")
        made.session("b", title="B")
        made.turn("b", "x")
        made.rotate("b", "c", 1, 1, "carried")
    return folder


def damage(home: Path, seed: int) -> str:
    """Damage a home; says how."""
    dice = random.Random(seed)
    chosen = DAMAGES[seed % len(DAMAGES)]
    chosen(home, dice)
    return chosen.__name__.strip("_")


def _sql(home: Path, *statements: tuple[str, tuple[object, ...]]) -> None:
    with closing(sqlite3.connect(home / "state.db")) as db, db:
        db.execute("PRAGMA foreign_keys = OFF")
        for text, values in statements:
            db.execute(text, values)


def _cut(home: Path, dice: random.Random) -> None:
    path = home / "state.db"
    os.truncate(path, dice.randrange(1, path.stat().st_size))


def _pages(home: Path, dice: random.Random) -> None:
    with (home / "state.db").open("r+b") as stream:
        size = stream.seek(0, os.SEEK_END)
        for _ in range(3):
            stream.seek(dice.randrange(4_096, max(4_097, size - 600)))
            stream.write(dice.randbytes(512))


def _numbers(home: Path, dice: random.Random) -> None:
    columns = ("input_tokens", "output_tokens", "estimated_cost_usd", "message_count", "api_call_count")
    _sql(home, *((f"UPDATE sessions SET {name} = ?", (dice.choice(_NUMBERS),)) for name in columns))


def _times(home: Path, dice: random.Random) -> None:
    for table, names in {"sessions": ("started_at", "ended_at"), "messages": ("timestamp",)}.items():
        _sql(home, *((f"UPDATE {table} SET {name} = ?", (dice.choice(_TIMES),)) for name in names))


def _cells(home: Path, dice: random.Random) -> None:
    for name in ("role", "content", "tool_calls", "tool_name", "tool_call_id"):
        junk = (
            dice.randbytes(60),
            _DEEP,
            "\x00json:" + _DEEP,
            7,
            "\x00json:{",
            '[{"function": 3}]',
            "[null]",
        )
        _sql(
            home, (f"UPDATE messages SET {name} = ? WHERE id % 3 = ?", (dice.choice(junk), dice.randrange(3)))
        )


def _names(home: Path, dice: random.Random) -> None:
    long = dice.choice(("T", "é", "\x1b[2J")) * 500_000
    for name in ("title", "model", "source", "cwd", "end_reason"):
        _sql(home, (f"UPDATE sessions SET {name} = ? WHERE id = 'a'", (long,)))


def _circle(home: Path, dice: random.Random) -> None:
    ids = ["a", "b", "c"]
    dice.shuffle(ids)
    pairs = zip(ids, (*ids[1:], ids[0]), strict=True)
    _sql(home, *(("UPDATE sessions SET parent_session_id = ? WHERE id = ?", pair) for pair in pairs))


def _views(home: Path, dice: random.Random) -> None:
    table = dice.choice(("sessions", "messages", "session_model_usage", "compression_locks"))
    columns = "i AS id, i AS session_id, 'x' AS role, i AS content"
    _sql(
        home,
        (f"DROP TABLE IF EXISTS {table}", ()),
        (f"CREATE VIEW {table} AS {_ENDLESS} SELECT {columns} FROM n", ()),
    )


def _settings(home: Path, dice: random.Random) -> None:
    (home / "config.yaml").write_text(dice.choice(_SETTINGS))


def _pipe(home: Path, dice: random.Random) -> None:
    path = home / dice.choice(
        ("state.db", "config.yaml", "logs/agent.log", "SOUL.md", "context_length_cache.yaml")
    )
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def _links(home: Path, dice: random.Random) -> None:
    path = home / dice.choice(("state.db", "config.yaml", "logs/agent.log"))
    kept = path.with_name("kept")
    path.rename(kept)
    path.symlink_to(dice.choice((path.name, "nowhere", kept.name, "/dev/zero")))


def _side_files(home: Path, dice: random.Random) -> None:
    (home / "state.db-wal").write_bytes(dice.randbytes(dice.choice((0, 32, 5_000))))
    (home / "state.db-shm").write_bytes(dice.randbytes(dice.choice((0, 32_768))))


def _folders(home: Path, dice: random.Random) -> None:
    path = home / dice.choice(("state.db", "config.yaml", "logs/agent.log", "state.db-wal"))
    path.unlink(missing_ok=True)
    path.mkdir()


def _closed(home: Path, dice: random.Random) -> None:
    shutil.rmtree(home / "logs")
    home.chmod(dice.choice((0o500, 0o555)))


DAMAGES: tuple[Damage, ...] = (
    _cut, _pages, _numbers, _times, _cells, _names, _circle, _views, _settings, _pipe, _links, _side_files,
    _folders, _closed,
)  # fmt: skip
