from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.apply.checks.database import PAUSE_SECONDS
from core.apply.checks.guards import check_guards, refused, require
from core.apply.execute import execute
from core.apply.journal import Journal
from core.apply.rehearse import rehearse
from core.errors import DatabaseError
from core.model.compaction.apply import ApplyMode, GuardResult, GuardState, Rehearsal
from core.store.store import Store
from tests.core.apply.material import conversation, dump, preview

ENDED = "UPDATE sessions SET ended_at = 1780000100.0, end_reason = 'cli_close' WHERE id = 's'"


def prepared(
    tmp_path: Path, release: str = "0.22", mode: ApplyMode | None = None, changes: Sequence[str] = ()
) -> Rehearsal:
    """A rehearsal on a conversation that was changed before anybody looked."""
    path = conversation(tmp_path / "state.db", release)
    run(path, *changes)
    with Store(path) as store:
        return rehearse(store, "s", preview(store), mode)


def run(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def verdicts(rehearsal: Rehearsal, **options: object) -> dict[str, GuardResult]:
    with Store(rehearsal.database) as store:
        return {one.name: one for one in check_guards(store, rehearsal, **options)}  # type: ignore[arg-type]


@contextmanager
def another_process_has_it_open(path: Path) -> Iterator[int]:
    code = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1])"
    code += "; c.execute('SELECT 1 FROM sessions').fetchone(); print('open', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        assert process.stdin is not None
        process.stdin.close()


def test_a_quiet_database_passes_every_guard(tmp_path: Path) -> None:
    results = verdicts(prepared(tmp_path))
    assert {result.state for result in results.values()} == {GuardState.PASSED}
    assert list(results) == [
        "engine",
        "lock",
        "turn",
        "writer",
        "activity",
        "unchanged",
        "complete",
        "schema",
        "pause",
        "writable",
        "room",
        "integrity",
    ]


def test_a_running_compression_refuses_and_one_that_ran_out_does_not(tmp_path: Path) -> None:
    rehearsal, now = prepared(tmp_path), time.time()
    run(
        rehearsal.database,
        f"INSERT INTO compression_locks VALUES ('s', 'pid=999999999:x', {now}, {now + 300})",
    )
    lock = verdicts(rehearsal)["lock"]
    assert (lock.state, lock.forceable) == (GuardState.REFUSED, False)
    assert "no such process" in lock.text
    assert verdicts(rehearsal, force=["lock"])["lock"].state is GuardState.REFUSED
    later = datetime.now(UTC) + timedelta(seconds=301)
    assert verdicts(rehearsal, now=later)["lock"].state is GuardState.PASSED


def test_a_lock_that_ran_out_still_refuses_while_its_process_lives(tmp_path: Path) -> None:
    rehearsal, now = prepared(tmp_path), time.time()
    holder = f"pid={os.getpid()}:tid=1:agent=ab:nonce=01234567"
    run(
        rehearsal.database,
        f"INSERT INTO compression_locks VALUES ('s', '{holder}', {now - 900}, {now - 600})",
    )
    lock = verdicts(rehearsal)["lock"]
    assert (lock.state, lock.forceable) == (GuardState.REFUSED, True)
    assert "still there" in lock.text
    assert verdicts(rehearsal, force=["lock"])["lock"].state is GuardState.FORCED


def test_a_running_turn_refuses(tmp_path: Path) -> None:
    rehearsal, now = prepared(tmp_path), time.time()
    run(rehearsal.database, f"INSERT INTO session_turn_leases VALUES ('s', 'gateway', {now}, {now + 60})")
    assert verdicts(rehearsal)["turn"].state is GuardState.REFUSED


def test_a_turn_of_another_session_does_not(tmp_path: Path) -> None:
    rehearsal, now = prepared(tmp_path), time.time()
    run(rehearsal.database, f"INSERT INTO session_turn_leases VALUES ('other', 'gateway', {now}, {now + 60})")
    assert verdicts(rehearsal)["turn"].state is GuardState.PASSED


def test_recent_activity_refuses_unless_forced(tmp_path: Path) -> None:
    rehearsal = prepared(tmp_path)
    run(rehearsal.database, f"UPDATE messages SET timestamp = {time.time() - 30} WHERE id = 24")
    assert "written to 3" in verdicts(rehearsal)["activity"].text
    assert verdicts(rehearsal)["activity"].state is GuardState.REFUSED
    assert verdicts(rehearsal, force=["activity"])["activity"].state is GuardState.FORCED


@pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="this system does not tell who has a file open"
)
def test_a_program_that_may_hold_the_session_refuses(tmp_path: Path) -> None:
    rehearsal = prepared(tmp_path)
    with another_process_has_it_open(rehearsal.database) as pid:
        writer = verdicts(rehearsal)["writer"]
        assert (writer.state, writer.forceable) == (GuardState.REFUSED, True)
        assert str(pid) in writer.text
        run(rehearsal.database, ENDED)
        assert verdicts(rehearsal)["writer"].state is GuardState.NOTED
    assert verdicts(rehearsal)["writer"].state is GuardState.PASSED


def test_a_gateway_that_follows_no_continuation_is_reported(tmp_path: Path) -> None:
    rehearsal = prepared(tmp_path, "0.17")
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "sessions.json").write_text('{"dm:1": {"session_id": "s"}}')
    told = verdicts(rehearsal)["writer"]
    assert told.state is GuardState.NOTED
    assert told.text.endswith("until /resume Fix the build #2 is sent in the chat")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE messages SET content = 'edited' WHERE id = 24",
        "DELETE FROM messages WHERE id = 10",
        "UPDATE messages SET active = 0 WHERE id = 24",
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'on', 1.0)",
    ],
)
def test_a_conversation_that_changed_since_the_preview_refuses(tmp_path: Path, change: str) -> None:
    rehearsal = prepared(tmp_path)
    run(rehearsal.database, change)
    unchanged = verdicts(rehearsal, force=["unchanged"])["unchanged"]
    assert (unchanged.state, unchanged.forceable) == (GuardState.REFUSED, False)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("ALTER TABLE messages ADD COLUMN novelty TEXT", "messages.novelty"),
        ("UPDATE schema_version SET version = 99", "version 99"),
        ("CREATE TRIGGER odd AFTER INSERT ON messages BEGIN SELECT 1; END", "trigger odd"),
    ],
)
def test_a_schema_never_seen_refuses_unless_forced(tmp_path: Path, change: str, named: str) -> None:
    rehearsal = prepared(tmp_path, changes=[change])
    schema = verdicts(rehearsal)["schema"]
    assert schema.state is GuardState.REFUSED
    assert named in schema.text
    assert verdicts(rehearsal, force=["schema"])["schema"].state is GuardState.FORCED


def test_messages_that_cannot_be_found_refuse_unless_forced(tmp_path: Path) -> None:
    change = "UPDATE sessions SET message_count = 30 WHERE id = 's'"
    rehearsal = prepared(tmp_path, "0.19", changes=[change])
    complete = verdicts(rehearsal)["complete"]
    assert complete.state is GuardState.REFUSED
    assert "counts 30 live messages, 24 of them could be read" in complete.text
    assert verdicts(rehearsal, force=["complete"])["complete"].state is GuardState.FORCED


def test_messages_that_cannot_be_decoded_refuse_unless_forced(tmp_path: Path) -> None:
    change = "UPDATE messages SET content = CAST(x'61ff62' AS TEXT) WHERE id = 7"
    rehearsal = prepared(tmp_path, "0.19", changes=[change])
    complete = verdicts(rehearsal)["complete"]
    assert (complete.state, complete.forceable) == (GuardState.REFUSED, True)
    assert complete.text == "1 message could not be decoded as stored (message 7: content is not UTF-8)"


def test_a_long_pause_for_others_refuses_unless_forced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.apply.checks.database.PAUSE_SECONDS", PAUSE_SECONDS)
    rehearsal = prepared(tmp_path)
    assert rehearsal.seconds is not None
    for seconds, state in (
        (0.05, GuardState.PASSED),
        (0.5, GuardState.NOTED),
        (1.5, GuardState.REFUSED),
        (None, GuardState.NOTED),
    ):
        assert verdicts(replace(rehearsal, seconds=seconds))["pause"].state is state
    slow = replace(rehearsal, seconds=1.5)
    assert "1,500 ms" in verdicts(slow)["pause"].text
    assert verdicts(slow, force=["pause"])["pause"].state is GuardState.FORCED


def test_a_damaged_database_refuses(tmp_path: Path) -> None:
    rehearsal = prepared(tmp_path, "0.19")
    run(
        rehearsal.database,
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET rootpage = 2 WHERE name = 'idx_sessions_source_id'",
    )
    assert verdicts(rehearsal)["integrity"].state is GuardState.REFUSED


def test_a_probe_that_runs_out_of_time_says_so(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.19", turns=400)
    with Store(path) as store:
        rehearsal = rehearse(store, "s", preview(store))
    assert verdicts(rehearsal, integrity_seconds=0.0)["integrity"].state is GuardState.NOTED


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_database_refuses(tmp_path: Path) -> None:
    rehearsal = prepared(tmp_path)
    rehearsal.database.chmod(0o444)
    assert verdicts(rehearsal)["writable"].state is GuardState.REFUSED


def test_a_full_disk_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rehearsal = prepared(tmp_path)
    usage = type("Usage", (), {"free": 1024})
    monkeypatch.setattr("core.apply.checks.database.shutil.disk_usage", lambda _: usage)
    assert verdicts(rehearsal)["room"].state is GuardState.REFUSED


def test_a_fork_waits_for_nobody(tmp_path: Path) -> None:
    rehearsal, now = prepared(tmp_path, mode=ApplyMode.FORK), time.time()
    run(rehearsal.database, f"INSERT INTO session_turn_leases VALUES ('s', 'gateway', {now}, {now + 60})")
    results = verdicts(rehearsal)
    assert results["turn"].state is GuardState.NOTED
    assert refused(results.values()) == ()


def test_all_refusals_are_named_at_once_and_nothing_is_written(tmp_path: Path, journal: Journal) -> None:
    rehearsal = prepared(tmp_path)
    run(
        rehearsal.database,
        f"UPDATE messages SET timestamp = {time.time()} WHERE id = 24",
        "UPDATE messages SET content = 'edited' WHERE id = 23",
    )
    before = dump(rehearsal.database)
    with pytest.raises(DatabaseError) as caught:
        execute(rehearsal, journal)
    assert "written to" in caught.value.line
    assert "changed since the preview" in caught.value.line
    assert dump(rehearsal.database) == before
    assert journal.entries() == ()


def test_the_remedy_names_what_may_be_forced() -> None:
    result = GuardResult("activity", GuardState.REFUSED, "busy", forceable=True)
    with pytest.raises(DatabaseError, match="--force activity"):
        require([result])
    require([])
