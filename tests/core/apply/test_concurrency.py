from __future__ import annotations

import multiprocessing
import sqlite3
import subprocess
import sys
from contextlib import closing
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from core.apply.database.snapshot import live_messages
from core.apply.execute import execute
from core.apply.journal import Journal
from core.apply.rehearse import rehearse
from core.apply.undo import undo
from core.errors import DatabaseError
from core.model.compaction.apply import Rehearsal
from core.store.store import Store
from tests.core.apply.material import conversation, dump, preview

_WRITER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], timeout=1.0, isolation_level=None)
print("open", flush=True)
number = 0
while number < 2000 and not sys.stdin.closed:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('other', 'user', ?, ?)",
        (f"live {number}", time.time()),
    )
    connection.execute("COMMIT")
    number += 1
    print(number, flush=True)
    time.sleep(0.002)
"""


def prepared(tmp_path: Path, release: str) -> Rehearsal:
    path = conversation(tmp_path / "state.db", release)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE sessions SET ended_at = started_at + 100, end_reason = 'cli_close'")
    connection.close()
    with Store(path) as store:
        return rehearse(store, "s", preview(store))


@pytest.mark.parametrize("release", ["0.13", "0.19", "0.22"])
def test_a_hermes_writing_other_sessions_loses_nothing_and_is_never_locked_out(
    tmp_path: Path, journal: Journal, release: str
) -> None:
    rehearsal = prepared(tmp_path, release)
    command = [sys.executable, "-c", _WRITER, str(rehearsal.database)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as writer:  # type: ignore[call-overload]
        assert writer.stdout is not None
        writer.stdout.readline()
        for _ in range(4):
            done = execute(rehearsal, journal)
            assert done.seconds < 1.0
            undo(journal, done.undo_id)
        running = writer.poll() is None
        writer.terminate()
        written = len(writer.stdout.read().split())
        assert "locked" not in writer.stderr.read()
    assert running
    with Store(rehearsal.database) as store:
        texts = [message.text for message in live_messages(store, "other")]
        assert [text for text in texts if text.startswith("live")][:written] == [
            f"live {n}" for n in range(written)
        ]
        assert len(live_messages(store, "s")) == 24


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.parametrize("release", ["0.13", "0.19"])
def test_of_two_inspectors_at_once_one_wins_and_the_other_is_told(tmp_path: Path, release: str) -> None:
    rehearsal = prepared(tmp_path, release)
    context = multiprocessing.get_context("fork")
    barrier, answers = context.Barrier(2), context.Queue()
    both = [
        context.Process(target=_apply, args=(rehearsal, tmp_path / f"{number}.db", barrier, answers))
        for number in range(2)
    ]
    for process in both:
        process.start()
    found = sorted(answers.get(timeout=30) for _ in both)
    for process in both:
        process.join()
    assert [answer.split(":")[0] for answer in found] == ["applied", "told"], found
    with Store(rehearsal.database) as store:
        assert len(store.conversation("s").generations) == 2
    assert dump(rehearsal.database).get("compression_locks", []) == []


def _apply(rehearsal: Rehearsal, journal: Path, barrier: Barrier, answers: Queue[str]) -> None:
    barrier.wait()
    try:
        execute(rehearsal, Journal(journal), force=["writer"])
        answers.put("applied:")
    except DatabaseError as error:
        answers.put(f"told: {error.line}")
