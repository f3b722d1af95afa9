"""Rules about a database as a whole and the files next to it."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.explain.diagnose.case import StoreCase
from core.explain.diagnose.diagnose import examine_store
from core.explain.diagnose.rules.storage.database import bytes_by_part, damaged, is_index
from core.model.finding import Finding, Severity
from tests.core.explain.conftest import MakeHome
from tests.core.explain.diagnose.scene import plain
from tests.core.explain.home import Home

NOW = datetime.now(UTC)


@pytest.fixture
def home(make_home: MakeHome) -> Home:
    home = make_home()
    plain(home)
    return home


def found(home: Home, rule: str) -> list[Finding]:
    with home.store() as store:
        return [finding for finding in examine_store(StoreCase(store, NOW)).findings if finding.rule == rule]


def test_the_bytes_of_a_database_are_reported_by_what_they_hold(home: Home) -> None:
    picture = "data:image/png;base64," + "A" * 60_000
    home.db.message("S", "user", [{"type": "image_url", "image_url": {"url": picture}}])
    with home.store() as store:
        parts = bytes_by_part(store)
        (page,) = store.connection.execute("PRAGMA page_count").fetchone()
        (size,) = store.connection.execute("PRAGMA page_size").fetchone()
    assert parts["images in messages"] > 60_000
    assert sum(parts.values()) <= page * size
    assert "full-text index" in parts
    assert "% messages" in found(home, "H1")[0].sentence


def test_a_complaint_is_about_the_tree_or_the_index_it_names(home: Home) -> None:
    with home.store() as store:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'messages'"
        (root,) = store.connection.execute(query).fetchone()
        assert damaged(store, f"Tree {root} page {root} cell 3: Rowid 7 out of order") == {"messages"}
        assert damaged(store, "wrong # of entries in index idx_messages_session") == {"idx_messages_session"}
        assert damaged(store, "malformed inverted index for FTS5 table main.messages_fts") == {"messages_fts"}
        assert damaged(store, "disk I/O error") == frozenset()
        assert is_index(store, "messages_fts_data")
        assert not is_index(store, "messages")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only Linux tells who holds a file")
def test_a_deleted_log_that_somebody_still_writes_to_is_critical(home: Home) -> None:
    home.db.connection.execute("PRAGMA journal_mode = DELETE")
    log = home.path / "state.db-wal"
    program = f"import os, sys; f = open({str(log)!r}, 'w'); os.unlink(f.name); print(1, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        (finding,) = found(home, "H4")
        holder.communicate(b"\n")
    assert finding.severity is Severity.CRITICAL
    assert str(holder.pid) in finding.sentence
    assert found(home, "H4") == []


def test_a_large_log_is_a_warning(home: Home) -> None:
    home.db.connection.execute("PRAGMA journal_mode = DELETE")
    log = home.path / "state.db-wal"
    log.touch()
    os.truncate(log, 65 * 1024 * 1024)
    (finding,) = found(home, "H4")
    assert finding.severity is Severity.WARNING
    assert "68,157,440 bytes" in finding.sentence
