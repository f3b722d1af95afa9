"""The edge of the command line: how words become a command, and failures one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import NotFoundError
from inspector import __version__
from inspector.cli import main
from inspector.cli.main import run, split
from inspector.cli.registry import COMMANDS
from tests.inspector.cli.conftest import Cli

PLAN = ["plan", "--messages"]


def test_version_is_the_packages_own(cli: Cli) -> None:
    assert cli("--version").out == f"hermes-inspector {__version__}\n"


def test_help_lists_every_command(cli: Cli) -> None:
    shown = cli("--help").out
    assert all(f"  {name}" in shown and command.summary in shown for name, command in COMMANDS.items())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    usage, _, what, *more = cli(command, "--help").out.splitlines()
    assert usage.startswith(f"usage: hermes-inspector {command} [options]")
    assert what[0].isupper()
    assert all(len(line) <= 80 for line in (usage, what, *more))


@pytest.mark.parametrize(
    ("words", "name", "rest"),
    [
        (["sessions", "--json"], "sessions", ["--json"]),
        (["--json", "sessions"], "sessions", ["--json"]),
        (["--db", "x.db", "sessions", "--limit", "5"], "sessions", ["--db", "x.db", "--limit", "5"]),
        (["--profile", "search", "show", "latest"], "show", ["--profile", "search", "latest"]),
        (["--profile=search", "show", "latest"], "show", ["--profile=search", "latest"]),
        (["search", "show"], "search", ["show"]),
        (["--", "show"], None, ["--", "show"]),
        ([], None, []),
    ],
)
def test_the_first_word_that_is_not_a_value_names_the_command(
    words: list[str], name: str | None, rest: list[str]
) -> None:
    assert split(words) == (name, rest)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["sesions"], "Did you mean `sessions`?"),
        (["frobnicate"], "there is no command 'frobnicate'"),
        (["--json"], "--json needs a command"),
        (["plan", "--window", "many"], "'many' is not a whole number"),
        (["plan", "--threshold", "7"], "not a share between 0 and 1"),
        (["--size", "huge"], "is not WIDTHxHEIGHT"),
        (["sessions", "--db", "a", "--home", "b"], "not allowed with"),
        (["sessions", "--no-such-option"], "unrecognized arguments"),
        (["why", "latest", "--jsn"], "unrecognized arguments: --jsn. Did you mean `--json`?"),
        (["usage", "--snce=week", "--csv"], "Did you mean `--since`?"),
        (["recall", "latest", " "], "recall: there is no word to search for"),
        (["why", "latest", "--limit", "3"], "--limit goes with --turns"),
        (["compress", "latest", "--compare-focus", "a", "--apply"], "cannot be combined with"),
        (["compress", "latest", "--compare-focus", "a", "--mode", "fork"], "--mode goes with --apply"),
        (["usage", "--fleet-out", "x.json"], "--fleet-out goes with --fleet"),
        (["doctor", "--fleet", "x", "--db", "y"], "--fleet names the databases"),
        (["demo", "why", "latest", "--home", "x"], "demo only shows the samples"),
        (["demo", "--db", "x"], "demo only shows the samples"),
        (["trajectory", "in", "out", "--screenshot", "x.svg"], "--screenshot goes with --browse"),
        (["export", "latest", "--screenshot", "x.gif"], "'x.gif' is neither .svg nor .png"),
    ],
)
def test_a_command_line_that_is_off_costs_one_line_and_exit_2(words: list[str], says: str, cli: Cli) -> None:
    shown = cli(*words, code=2)
    assert shown.out == ""
    assert says in shown.err
    assert shown.err.count("\n") == 1
    assert "hermes-inspector: hermes-inspector" not in shown.err


def test_an_error_is_an_object_when_json_is_asked_for(cli: Cli) -> None:
    shown = cli(*PLAN, "/nowhere/x.json", "--json", code=3)
    assert shown.out == ""
    error = json.loads(shown.err)["error"]
    assert error["exit_code"] == 3
    assert error["where"] == "/nowhere/x.json"


def _fail(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> int:
    def dispatch(words: list[str]) -> int:
        raise error

    monkeypatch.setattr(main, "_dispatch", dispatch)
    return run([])


def test_a_bug_is_one_line_and_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HERMES_INSPECTOR_DEBUG", raising=False)
    assert _fail(RuntimeError("boom\nbang"), monkeypatch) == 1
    shown = capsys.readouterr().err
    assert "RuntimeError: boom bang" in shown
    assert shown.count("\n") == 1


def test_the_traceback_is_there_for_those_who_ask(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HERMES_INSPECTOR_DEBUG", "1")
    assert _fail(RuntimeError("boom"), monkeypatch) == 1
    assert "Traceback" in capsys.readouterr().err


def test_an_error_cannot_act_on_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _fail(NotFoundError("no session \x1b]52;c;aGk=\x07"), monkeypatch) == 3
    assert not set(capsys.readouterr().err) & {"\x1b", "\x07"}


def test_ctrl_c_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert _fail(KeyboardInterrupt(), monkeypatch) == 130
    assert capsys.readouterr().err == ""


BUFFERED = {"PYTHONUNBUFFERED": ""}
"""As users run it: what could not be written shows only at the last flush."""


def _process(
    *words: str, stdout: int | None = subprocess.PIPE, **env: str
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "inspector", *words]
    return subprocess.run(
        command, stdout=stdout, stderr=subprocess.PIPE, env={**os.environ, **BUFFERED, **env}, check=False
    )


def test_a_reader_that_goes_away_is_not_an_error() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = _process("--help", stdout=write_end)
    finally:
        os.close(write_end)
    assert done.returncode == 141
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = _process("--help", stdout=full.fileno())
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr


def test_closed_streams_are_no_error(tmp_path: Path) -> None:
    command = f'exec "{sys.executable}" -m inspector plan --messages "$1" --json <&- >&- 2>&-'
    path = tmp_path / "one.json"
    path.write_text('[{"role": "user", "content": "hello"}]')
    assert subprocess.run(["sh", "-c", command, "sh", str(path)], check=False).returncode == 0


def test_an_ascii_terminal_gets_what_it_can_show(tmp_path: Path) -> None:
    done = _process(*PLAN, str(tmp_path / "résumé.json"), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 3
    assert b"Traceback" not in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_a_command_after_demo_answers_for_the_samples(
    cli: Cli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = tmp_path / "hermes-inspector" / "demo-1"
    samples.parent.mkdir()
    samples.symlink_to(home)
    monkeypatch.setattr("sample_sessions.demo.demo_home", lambda: samples)
    on_samples = cli("demo", "sessions", "--limit", "2", "--json").json
    assert on_samples == cli("sessions", "--limit", "2", "--json", "--home", samples).json
    assert cli("demo", "--path").out == f"{samples}\n"
    assert cli("demo", "sessions", "--profile", "work", "--json").json["total"] < on_samples["total"]
    assert "`hermes-inspector demo sessions` lists them" in cli("demo", "why", "no-such", code=3).err
    assert "`hermes-inspector demo plugin install`" in cli("demo", "plugin", "status").out


def test_commands_that_are_advised_ask_the_same_database(
    cli: Cli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    elsewhere = tmp_path / "my hermes"
    elsewhere.symlink_to(home)
    named = f"hermes-inspector --home '{elsewhere}'"
    assert f"`{named} sessions` lists them" in cli("why", "no-such", "--home", elsewhere, code=3).err
    assert f"`{named} plugin install`" in cli("--home", elsewhere, "plugin", "status").out
    found = cli("findings", "--home", elsewhere, "--json").json["findings"]
    advised = [one["remedy"] for one in found if "hermes-inspector" in one["remedy"]]
    assert advised
    assert all(named in remedy for remedy in advised)
