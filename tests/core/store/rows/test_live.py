from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from core.store.store import Store
from tests.core.store.database import SessionDatabase

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]

_WRITER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], timeout=1.0, isolation_level=None)
slowest = 0.0
for number in range(int(sys.argv[2])):
    began = time.monotonic()
    connection.execute("BEGIN IMMEDIATE")
    slowest = max(slowest, time.monotonic() - began)
    connection.execute(
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', ?, ?)",
        (f"live {number} " + "x" * 2000, time.time()),
    )
    connection.execute("COMMIT")
    print(number, flush=True)
print("slowest", slowest, flush=True)
"""


def test_a_reader_sees_what_a_writing_hermes_has_committed_and_never_blocks_it(make: Make) -> None:
    database = make("0.19")
    database.session("s")
    command = [sys.executable, "-c", _WRITER, str(database.path), "300"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer,
        Store(database.path) as store,
    ):
        assert writer.stdout is not None
        slowest = ""
        for line in writer.stdout:
            if line.startswith("slowest"):
                slowest = line.split()[1]
                break
            if int(line) % 10 == 0:
                generation = store.conversation("s").generations[-1]
                newest = store.messages(generation.row_ids[-1:])[0].text
                assert int(newest.split()[1]) >= int(line)
                store.search("live")
        assert writer.wait() == 0
    # A second is the writer's own patience, after which it fails: it never waited that long for its lock.
    assert float(slowest) < 1.0


def test_a_store_left_open_lets_the_log_be_emptied(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s")
    store = opened(database)
    store.conversation("s")
    store.conversations()
    busy, _, _ = database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert busy == 0


def test_rows_in_the_log_of_a_crashed_writer_are_read(make: Make, tmp_path: Path) -> None:
    database = make()
    database.session("s")
    database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.connection.execute("PRAGMA wal_autocheckpoint = 0")
    database.message("s", "user", "only in the log")
    home = tmp_path / "crashed"
    home.mkdir()
    for name in ("state.db", "state.db-wal"):
        (home / name).write_bytes(database.path.with_name(name).read_bytes())
    with Store(home / "state.db") as store:
        assert store.messages([1])[0].text == "only in the log"
    (home / "state.db-wal").unlink()
    with Store(home / "state.db") as store:
        assert store.conversation("s").generations == ()


def test_locks_and_leases_name_their_holder(make: Make, opened: Opened) -> None:
    database = make("0.22")
    now = time.time()
    holder = f"pid={os.getpid()}:tid=1:agent=ab:nonce=cd"
    database.connection.execute(
        "INSERT INTO compression_locks VALUES ('s', ?, ?, ?)", (holder, now, now + 300)
    )
    database.connection.execute("INSERT INTO session_turn_leases VALUES ('c', 'x', ?, ?)", (now, now + 60))
    store = opened(database)
    (lock,), (lease,) = store.locks(), store.leases()
    assert (lock.kind, lock.key, lock.pid) == ("compression", "s", os.getpid())
    assert lock.expires_at is not None
    assert lock.expires_at > datetime.now(UTC)
    assert (lease.kind, lease.pid) == ("turn", None)
    assert opened(make("0.13", "old.db")).locks() == ()


def test_routing_says_the_last_prompt_size(make: Make, opened: Opened) -> None:
    database = make("0.18")
    entries = {"a": {"session_id": "s", "last_prompt_tokens": 123}, "b": {"last_prompt_tokens": -1}, "c": [1]}
    for key, entry in entries.items():
        database.connection.execute(
            "INSERT INTO gateway_routing VALUES ('', ?, ?, 1.0)", (key, json.dumps(entry))
        )
    for step in ("SELECT 1", "ALTER TABLE gateway_routing DROP COLUMN updated_at"):
        database.connection.execute(step)
        found = {one.key: (one.session_id, one.last_prompt_tokens) for one in opened(database).routing()}
        assert found == {"a": ("s", 123), "b": (None, None), "c": (None, None)}


def test_usage_is_reported_by_route_and_task(make: Make, opened: Opened) -> None:
    database = make("0.19")
    database.session("s")
    for task, tokens in (("", 10), ("compression", 4)):
        database.connection.execute(
            "INSERT INTO session_model_usage"
            " (session_id, model, task, input_tokens, estimated_cost_usd, last_seen)"
            " VALUES ('s', 'm', ?, ?, 0.25, 9.0)",
            (task, tokens),
        )
    main, compression = opened(database).model_usage(["s", "gone"])
    assert (main.task, main.tokens.input, compression.task, compression.tokens.input) == (
        "",
        10,
        "compression",
        4,
    )
    assert main.estimated_cost.usd == Decimal("0.25")
    assert opened(make("0.18", "old.db")).model_usage(["s"]) == ()


def test_health_says_sizes_layout_and_permissions(make: Make, opened: Opened) -> None:
    database = make("0.22")
    database.session("s")
    database.turn("s", "1")
    database.path.chmod(0o644)
    health = opened(database).health(integrity=True)
    assert (health.sessions, health.messages, health.schema_version) == (1, 4, 31)
    assert (health.journal_mode, health.integrity, health.foreign_key_errors) == ("wal", "ok", 0)
    assert health.size == database.path.stat().st_size
    assert "external content" in health.full_text
    if os.name == "posix":
        assert health.mode == 0o644
    assert opened(database).health().integrity is None
