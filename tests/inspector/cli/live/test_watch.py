"""`watch`: one line an event, each once, also in a separate process while another one writes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from core.live.event import LiveKind
from inspector.cli.live import watch
from inspector.cli.live.watch import KINDS
from inspector.cli.main import INTERRUPTED
from tests.core.live.writer import Writer
from tests.inspector.cli.conftest import Cli


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path / "home")


def told(cli: Cli, writer: Writer, cursor: Path, *words: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in cli(
            "watch", "--once", "--json", "--home", writer.home, "--cursor", cursor, *words
        ).out.splitlines()
    ]


def test_a_cursor_continues_where_the_last_call_ended(writer: Writer, tmp_path: Path, cli: Cli) -> None:
    cursor = tmp_path / "cursor"
    writer.message("before")
    assert told(cli, writer, cursor) == []
    writer.message("between")
    writer.call()
    writer.rotate()
    writer.vacuum()
    writer.call()
    found = told(cli, writer, cursor)
    assert [one["kind"] for one in found] == ["message", "call", "call"]
    assert all({"at", "kind", "session"} <= set(one) for one in found)
    assert told(cli, writer, cursor) == []


def test_only_the_kinds_asked_for_are_printed_and_the_others_are_past(
    writer: Writer, tmp_path: Path, cli: Cli
) -> None:
    cursor = tmp_path / "cursor"
    told(cli, writer, cursor)
    writer.message()
    writer.call()
    assert [one["kind"] for one in told(cli, writer, cursor, "--kind", "call")] == ["call"]
    assert told(cli, writer, cursor) == []


def test_every_kind_can_be_asked_for() -> None:
    assert set(KINDS) == {one.value for one in LiveKind}


def test_a_line_for_people_cannot_act_on_the_terminal(writer: Writer, tmp_path: Path, cli: Cli) -> None:
    cursor = tmp_path / "cursor"
    told(cli, writer, cursor)
    writer.database.message("s1", "tool", "x", tool_name="a\x1b]52;c;eA==\x07\nb")
    shown = cli("watch", "--once", "--home", writer.home, "--cursor", cursor).out
    assert shown.count("\n") == 1
    assert "\x1b" not in shown


@pytest.mark.parametrize("content", ["", "[]", "{", '{"x": 1}\x00'])
def test_a_file_that_is_not_a_cursor_is_reported_and_left_alone(
    content: str, writer: Writer, tmp_path: Path, cli: Cli
) -> None:
    cursor = tmp_path / "cursor"
    cursor.write_text(content)
    assert "is not a cursor" in cli("watch", "--once", "--home", writer.home, "--cursor", cursor, code=2).err
    assert cursor.read_text() == content


def test_a_database_that_cannot_be_read_hides_no_other_and_is_past_once_it_can(
    writer: Writer, tmp_path: Path, cli: Cli
) -> None:
    other = Writer(writer.home / "profiles" / "other")
    other.message("written before it could be read")
    whole = other.back_up()
    cursor = tmp_path / "cursor"
    _damage(other)
    shown = cli("watch", "--once", "--home", writer.home, "--cursor", cursor)
    assert "other" in shown.err
    writer.message()
    assert [one["session"] for one in told(cli, writer, cursor)] == ["s1"]
    other.restore(whole)
    assert told(cli, writer, cursor) == []
    other.message()
    assert [one["profile"] for one in told(cli, writer, cursor)] == ["other"]
    _damage(other)
    assert "waiting" in cli("watch", "--once", "--home", writer.home, "--cursor", cursor).err
    cli("watch", "--once", "--home", other.home, code=5)


def test_one_that_can_be_read_at_last_is_saved_at_once_not_only_with_its_next_event(
    writer: Writer, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Writer(writer.home / "profiles" / "other")
    whole, cursor = other.back_up(), tmp_path / "cursor"
    _damage(other)
    pauses = iter((lambda: other.restore(whole), lambda: signal.raise_signal(signal.SIGINT)))
    monkeypatch.setattr("time.sleep", lambda _: next(pauses)())
    cli("watch", "--json", "--home", writer.home, "--cursor", cursor, code=INTERRUPTED)
    monkeypatch.undo()
    other.message("while nobody watched")
    assert [one["profile"] for one in told(cli, writer, cursor)] == ["other"]


def test_watching_changes_no_byte_of_the_store(writer: Writer, tmp_path: Path, cli: Cli) -> None:
    writer.message()
    before = {path.name: path.read_bytes() for path in writer.home.iterdir() if path.suffix == ".db"}
    told(cli, writer, tmp_path / "cursor")
    assert {path.name: path.read_bytes() for path in writer.home.iterdir() if path.suffix == ".db"} == before


def test_next_to_a_writer_nothing_is_missed_and_nothing_is_reported_twice(
    writer: Writer, tmp_path: Path
) -> None:
    """Ten of each a second, while the log rotates and the database is checkpointed, vacuumed and replaced."""
    cursor, lines = tmp_path / "cursor", tmp_path / "lines"
    command = [sys.executable, "-m", "inspector", "watch", "--json", "--home", str(writer.home)]
    with lines.open("w") as stream:
        watching = subprocess.Popen([*command, "--cursor", str(cursor)], stdout=stream)
        try:
            _until(lambda: cursor.exists())
            befalls = (writer.rotate, writer.checkpoint, writer.vacuum, writer.replace, writer.rotate_by_copy)
            for number in range(50):
                writer.message()
                writer.call()
                if number % 10 == 9:
                    _until(
                        lambda: _calls(lines) == writer.called
                    )  # two rotations between two looks lose lines
                    befalls[number // 10]()
                time.sleep(0.02)
            _until(lambda: _calls(lines) == writer.called)
            _until(lambda: _rows(lines) == writer.wrote)
        finally:
            watching.kill()
            watching.wait()
    assert (_rows(lines), _calls(lines)) == (writer.wrote, writer.called)


def test_one_that_is_interrupted_while_it_tells_keeps_first_what_it_told(
    writer: Writer, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cursor = tmp_path / "cursor"
    assert told(cli, writer, cursor) == []
    writer.message()
    tell = watch._tell

    def interrupted(found: Any, *, as_json: bool) -> None:
        tell(found, as_json=as_json)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(watch, "_tell", interrupted)
    shown = cli("watch", "--json", "--home", writer.home, "--cursor", cursor, code=INTERRUPTED)
    assert [json.loads(line)["kind"] for line in shown.out.splitlines()] == ["message"]
    monkeypatch.undo()
    assert told(cli, writer, cursor) == []


def _damage(writer: Writer) -> None:
    writer.database.connection.close()
    (writer.home / "state.db").write_bytes(b"damaged" * 2_000)


def _until(done: Any) -> None:
    end = time.monotonic() + 60
    while not done() and time.monotonic() < end:
        time.sleep(0.05)


def _events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def _rows(path: Path) -> list[int]:
    return [event["row"] for event in _events(path) if event["kind"] == "message"]


def _calls(path: Path) -> list[int]:
    return [event["prompt"] for event in _events(path) if event["kind"] == "call"]


def test_notify_rings_on_stderr_for_a_failure_and_leaves_stdout_to_the_events(
    writer: Writer, tmp_path: Path, cli: Cli
) -> None:
    cursor = tmp_path / "cursor"
    writer.message("before")
    assert told(cli, writer, cursor, "--notify") == []
    writer.message("between")
    assert (
        "\a"
        not in cli(
            "watch", "--once", "--json", "--home", writer.home, "--cursor", cursor, "--notify", code=None
        ).err
    )
    writer.line("agent.context_compressor: Summary generation failed - aborting compression", "WARNING")
    found = cli("watch", "--once", "--json", "--home", writer.home, "--cursor", cursor, "--notify", code=None)
    assert found.err.count("\a") == 1
    assert '"failure"' in found.out


def test_notify_says_that_the_desktop_could_not_be_told(
    writer: Writer, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "inspector.settings.notifier.Notifier.tell", lambda _, events: "no desktop" * bool(events)
    )
    told(cli, writer, tmp_path / "cursor", "--notify")
    writer.line("agent.context_compressor: Summary generation failed - aborting compression", "WARNING")
    args = ("watch", "--once", "--json", "--home", writer.home, "--cursor", tmp_path / "cursor", "--notify")
    assert cli(*args, code=None).err == "hermes-inspector: no desktop\n"
