"""Whatever a database file may be instead: one clear line and the promised exit code, from every command."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from inspector.base.named_screens import PAGES, PLACES, VIEWS
from inspector.cli.main import run
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli

Break = Callable[[Path, Path], None]


def _sound(path: Path, home: Path) -> None:
    shutil.copy(home / "profiles" / "work" / "state.db", path)


def _text(path: Path, _: Path) -> None:
    path.write_text("this is no database\n" * 100)


def _zero(path: Path, _: Path) -> None:
    path.touch()


def _cut(path: Path, home: Path) -> None:
    _sound(path, home)
    os.truncate(path, 5_000)


def _directory(path: Path, _: Path) -> None:
    path.mkdir()


def _other_tables(path: Path, _: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE recipes (id)")
        db.commit()


@pytest.mark.parametrize(
    "words",
    [
        ["sessions", "--home", "a\0b"],
        ["plan", "--messages", "a\0b"],
        ["engines", "--home", "a\0b"],
        ["engines", "--home", f"/tmp/{'a' * 300}"],
        ["trajectory", f"/tmp/{'a' * 300}", "out.jsonl"],
    ],
)
def test_a_path_that_no_file_system_takes_is_one_line(words: list[str], cli: Cli) -> None:
    told = cli(*words, code=2).err
    assert told.count("\n") == 1
    assert "NUL character" in told or "too long" in told
    assert "unexpected" not in told


BREAKS: list[Break] = [_text, _zero, _cut, _directory, _other_tables]
COMMANDS = [
    ["sessions"],
    ["show", "latest"],
    ["plan", "latest"],
    ["chain", "latest"],
    ["search", "word"],
    ["doctor"],
    ["--screenshot", "frame.svg"],
]


@pytest.mark.parametrize("break_it", BREAKS, ids=lambda one: one.__name__.strip("_"))
@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0].strip("-"))
def test_a_file_that_is_not_a_session_database_is_exit_5_and_one_line(
    break_it: Break,
    command: list[str],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cli: Cli,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "state.db"
    break_it(path, home)
    shown = cli(*command, "--db", path, code=5)
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert str(path) in shown.err


@pytest.mark.parametrize(
    "command", [["show", "--json"], ["compress", "--json"], ["export", "--format", "jsonl"]], ids=" ".join
)
def test_numbers_json_does_not_have_are_written_as_null(
    command: list[str], home: Path, tmp_path: Path, cli: Cli
) -> None:
    path = tmp_path / "state.db"
    _sound(path, home)
    with closing(sqlite3.connect(path)) as db:
        db.execute("""UPDATE messages SET reasoning_details = '[{"score": NaN, "limit": -Infinity}]'""")
        db.commit()
    shown = cli(*command, "latest", "--db", path).out
    assert '"score":null,"limit":null' in shown
    for line in shown.splitlines():
        json.loads(line, parse_constant=pytest.fail)


@pytest.mark.parametrize("key", ["NULL", "x'ff00'"])
@pytest.mark.parametrize(
    "command",
    [["sessions"], ["sessions", "--all"], ["usage"], ["usage", "--by", "conversation"]],
    ids=" ".join,
)
def test_a_session_without_an_id_hides_no_other(
    command: list[str], key: str, home: Path, tmp_path: Path, cli: Cli
) -> None:
    path = tmp_path / "state.db"
    _sound(path, home)
    before = cli(*command, "--json", "--db", path).out
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"INSERT INTO sessions (id, source, started_at) VALUES ({key}, 'cli', 4e9)")
        db.commit()
    assert cli(*command, "--json", "--db", path).out == before


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0].strip("-"))
def test_no_database_is_exit_3(command: list[str], tmp_path: Path, cli: Cli) -> None:
    assert run([*command, "--db", str(tmp_path / "none.db")]) == 3
    shown = cli(*command, "--home", tmp_path / "none", code=3)
    assert shown.out == ""
    assert shown.err.count("\n") == 2


def test_without_any_home_the_samples_are_offered(cli: Cli) -> None:
    assert "hermes-inspector demo" in cli("sessions", code=3).err


@pytest.mark.parametrize("command", ["show", "plan", "chain"])
def test_an_unknown_session_is_exit_3(command: str, home: Path, cli: Cli) -> None:
    assert cli(command, "no-such-session", "--home", home, code=3).err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [(["show"], 3), (["search"], 0), (["sessions", "--filter"], 0), (["sessions", "--source"], 0)],
)
def test_a_word_that_is_no_text_is_looked_for_and_not_found(words: list[str], code: int, home: Path) -> None:
    assert run([*words, b"r\xe9sum\xe9".decode(errors="surrogateescape"), "--home", str(home)]) == code


def test_a_title_is_found_from_a_locale_without_its_characters(tmp_path: Path) -> None:
    with SessionDatabase(tmp_path / "state.db") as database:
        database.session("s", title="\N{CJK UNIFIED IDEOGRAPH-4FEE}")
    undecoded = "\N{CJK UNIFIED IDEOGRAPH-4FEE}".encode().decode("ascii", errors="surrogateescape")
    assert run(["show", undecoded, "--db", str(tmp_path / "state.db")]) == 0


def test_an_ambiguous_prefix_is_exit_2_and_names_the_candidates(home: Path, cli: Cli) -> None:
    assert "2026" in cli("show", "2026", "--home", home, code=2).err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_exit_5(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    _sound(path, home)
    path.chmod(0)
    assert run(["sessions", "--db", str(path)]) == 5


@pytest.mark.parametrize("screen", sorted({"sessions", *VIEWS, *PLACES, *PAGES}))
def test_no_screen_waits_for_ever_for_what_cannot_be_read(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], screen: str
) -> None:
    home = Path(shutil.copytree(home, tmp_path / "home"))
    with closing(sqlite3.connect(home / "state.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'messages'").fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    with (home / "state.db").open("r+b") as stream:
        stream.seek((page - 1) * size)
        stream.write(b"\xff" * size)
    frame = tmp_path / "frame.svg"
    code = run(["--home", str(home), "--screen", screen, "--session", "latest", "--screenshot", str(frame)])
    said = capsys.readouterr().err
    assert code in (0, 5)
    assert frame.stat().st_size > 1_000
    assert code == 5 or screen in ("sessions", "spending", "search", "help", "settings")
    assert ("damaged" in said) == (code == 5)


@pytest.mark.parametrize("asked", [("show", "--generation", "99"), ("why", "--at", "99")], ids=" ".join)
def test_a_part_that_a_conversation_lacks_is_not_found(asked: tuple[str, ...], home: Path, cli: Cli) -> None:
    command, *part = asked
    assert "The conversation has " in cli(command, "latest", *part, "--home", home, code=3).err


def test_a_port_that_cannot_be_listened_on_is_exit_2(home: Path, cli: Cli) -> None:
    pytest.importorskip("textual_serve")
    assert "port 70000" in cli("serve", "--port", "70000", "--home", home, code=2).err


def test_a_list_without_rows_says_so_instead_of_headings(home: Path, cli: Cli) -> None:
    shown = cli("sessions", "--since", "2200-01-01", "--home", home).out
    assert shown == "no sessions: Hermes has written none, or none matches the filters\n"
