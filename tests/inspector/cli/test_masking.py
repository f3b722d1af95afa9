"""What a script reads is masked like what people see; so is a caller's own file, unless asked not to be."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.inspector.cli.conftest import Cli

KEY = "sk-ant-api03-" + "Ab3dEf9hJk" * 8
TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
AUTH = "Refactor the auth module"


@pytest.fixture(scope="module")
def planted(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples with credentials in titles, names, contents, calls and reasoning."""
    target = shutil.copytree(home, tmp_path_factory.mktemp("masking") / "home")
    with closing(sqlite3.connect(target / "state.db")) as connection:
        connection.execute("UPDATE sessions SET title = title || ' ' || ? WHERE title = ?", (TOKEN, AUTH))
        connection.execute("UPDATE messages SET content = content || ' ' || ? WHERE role = 'user'", (KEY,))
        connection.execute(
            "UPDATE messages SET tool_calls = replace(tool_calls, 'pytest', ?) WHERE tool_calls IS NOT NULL",
            (f"GH={TOKEN} pytest",),
        )
        for name in ("model", "source", "billing_provider", "cost_status"):
            connection.execute(f"UPDATE sessions SET {name} = {name} || ' ' || ?", (TOKEN,))
        connection.execute("UPDATE messages SET reasoning = ? WHERE role = 'assistant'", (f"use {KEY}",))
        connection.commit()
    return target


COMMANDS = (
    ("sessions",),
    ("show", AUTH),
    ("plan", AUTH, "--pruned"),
    ("compress", AUTH),
    ("search", "refactor"),
    ("why", AUTH),
    ("findings", AUTH),
    ("chain", AUTH),
    ("cache", AUTH),
    ("usage", "--no-prices"),
    ("usage", "--by", "model"),
    ("usage", "--by", "provider"),
    ("usage", "--by", "source"),
    ("export", AUTH, "--format", "jsonl"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_prints_a_credential(words: tuple[str, ...], planted: Path, cli: Cli) -> None:
    words = tuple(f"{word} {TOKEN}" if word == AUTH else word for word in words)
    as_json = [] if words[0] == "export" else ["--json"]
    printed = cli(*words, "--home", planted, *as_json).out
    assert KEY not in printed
    assert TOKEN not in printed


def test_masking_leaves_ids_and_times_alone(planted: Path, cli: Cli) -> None:
    row = cli("sessions", "--home", planted, "--json").json["sessions"][0]
    assert "redacted" not in row["id"]
    assert row["started_at"].endswith("Z")


@pytest.fixture
def named(tmp_path: Path) -> str:
    """A file of messages with credentials, one of them over several lines, in text and calls."""
    lines = f"-----BEGIN RSA PRIVATE KEY-----\n{TOKEN[4:]}\n{KEY[14:]}\n-----END RSA PRIVATE KEY-----"
    call = {"id": "c1", "function": {"name": "terminal", "arguments": json.dumps({"command": f"GH={TOKEN}"})}}
    messages: list[dict[str, object]] = [{"role": "user", "content": f"{n}: {KEY}"} for n in range(4)]
    messages += [{"role": "assistant", "tool_calls": [call]}]
    messages += [{"role": "tool", "tool_call_id": "c1", "content": f"{lines} {'x' * 4_000}"}]
    messages += [{"role": "user", "content": f"{n}: {'word ' * 9_000}"} for n in range(24)]
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(messages))
    return str(path)


OF_A_FILE = (
    ("compress",),
    ("compress", "--json"),
    ("compress", "--diff"),
    ("compress", "--compare-focus", "key", "--json"),
    ("plan", "--pruned"),
    ("plan", "--pruned", "--json"),
)


@pytest.mark.parametrize("words", OF_A_FILE, ids=" ".join)
def test_what_is_printed_of_a_file_of_messages_is_masked(
    words: tuple[str, ...], named: str, cli: Cli
) -> None:
    printed = cli(*words, "--messages", named, "--window", "64000").out
    assert printed
    assert KEY[14:] not in printed
    assert TOKEN[4:] not in printed


def test_a_file_of_messages_comes_back_as_it_was_when_that_is_asked_for(named: str, cli: Cli) -> None:
    ask = ("--messages", named, "--window", "64000", "--unmasked")
    after = cli("compress", *ask, "--json").json["after"]
    assert after[0] == json.loads(Path(named).read_text())[0]
    for words in (("compress", "--diff"), ("plan", "--pruned"), ("plan", "--pruned", "--json")):
        assert TOKEN[4:] in cli(*words, *ask, "--protect-first", "6").out


def test_a_session_is_never_printed_unmasked(planted: Path, cli: Cli) -> None:
    for command in ("compress", "plan"):
        assert "--messages" in cli(command, "latest", "--unmasked", "--home", planted, code=2).err


@pytest.fixture
def given_away(tmp_path: Path) -> tuple[str, list[str]]:
    """A long file of messages in which forty values are called secrets once and occur bare elsewhere."""
    values = [f"k{n}Qz{n * 7919:x}wTr{n}v" for n in range(20)]
    values += [f"{n:02d}be{n * 104_729 + 7:08x}{n * 7_368_787 + 3:012x}" for n in range(20)]
    messages: list[dict[str, object]] = [{"role": "user", "content": "set up the services"}]
    for n, value in enumerate(values):
        command = json.dumps({"command": f"SERVICE_{n}_PASSWORD={value} start --path /srv/app{n}/main.py"})
        call = {"id": f"c{n}", "function": {"name": "terminal", "arguments": command}}
        messages += [
            {"role": "assistant", "content": f"starting {n}", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": f'{{"api_key": "{value}", "port": 80{n}}}'},
            {"role": "user", "content": f"never use {value} for anything but service {n}. {'word ' * 900}"},
        ]
    messages += [{"role": "user", "content": f"{n}: {'word ' * 4_000}"} for n in range(12)]
    path = tmp_path / "given.json"
    path.write_text(json.dumps(messages))
    return str(path), values


@pytest.mark.parametrize("release", ["0.13", "0.19", "0.22"])
@pytest.mark.parametrize(
    "words",
    [("--json",), (), ("--diff",), ("--compare-focus", "service", "--json")],
    ids=["json", "lines", "diff", "compare"],
)
def test_a_value_masked_in_one_message_is_masked_in_all_that_is_made_of_them(
    words: tuple[str, ...],
    release: str,
    given_away: tuple[str, list[str]],
    cli: Cli,
) -> None:
    path, values = given_away
    ask = ("compress", "--messages", path, "--window", "64000", "--release", release, *words)
    printed = cli(*ask).out
    assert [value for value in values if value in printed] == []


def test_a_tools_name_that_holds_a_credential_is_masked_by_every_command(
    home: Path, tmp_path: Path, cli: Cli
) -> None:
    target = shutil.copytree(home, tmp_path / "home")
    with closing(sqlite3.connect(target / "state.db")) as connection:
        connection.execute(
            "UPDATE messages SET tool_calls = replace(tool_calls, '\"terminal\"', ?)", (f'"mcp_{TOKEN}_run"',)
        )
        connection.execute("UPDATE messages SET tool_name = ? WHERE role = 'tool'", (f"mcp_{KEY}",))
        connection.commit()
    for words in (
        ("show", "--json"),
        ("show", "--full"),
        ("export", "--format", "jsonl"),
        ("cache", "--json"),
        ("cache",),
    ):
        printed = cli(words[0], AUTH, *words[1:], "--home", target).out
        assert TOKEN not in printed
        assert KEY not in printed


@pytest.mark.parametrize("command", ["plan", "why", "cache"])
def test_no_message_is_searched_for_our_own_words(
    command: str, home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[object] = []
    monkeypatch.setattr(
        "core.store.conversations.credentials._learn_rows", lambda *rows: searched.append(rows)
    )
    cli(command, "latest", "--json", "--home", home)
    assert searched == []
