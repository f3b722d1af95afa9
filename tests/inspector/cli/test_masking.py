"""What a script reads is masked like what people see; a caller's own file comes back as it was."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.cli.main import run

KEY = "sk-ant-api03-" + "Ab3dEf9hJk" * 8
TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
AUTH = "Refactor the auth module"


@pytest.fixture
def planted(home: Path, tmp_path: Path) -> Path:
    """The samples with credentials in a title, contents, calls and reasoning."""
    target = shutil.copytree(home, tmp_path / "home")
    with closing(sqlite3.connect(target / "state.db")) as connection:
        connection.execute("UPDATE sessions SET title = title || ' ' || ? WHERE title = ?", (TOKEN, AUTH))
        connection.execute("UPDATE messages SET content = content || ' ' || ? WHERE role = 'user'", (KEY,))
        connection.execute(
            "UPDATE messages SET tool_calls = replace(tool_calls, 'pytest', ?) WHERE tool_calls IS NOT NULL",
            (f"GH={TOKEN} pytest",),
        )
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
    ("export", AUTH, "--format", "jsonl"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_no_command_prints_a_credential(
    words: tuple[str, ...], planted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = tuple(f"{word} {TOKEN}" if word == AUTH else word for word in words)
    as_json = [] if words[0] == "export" else ["--json"]
    assert run([*words, "--home", str(planted), *as_json]) == 0
    printed = capsys.readouterr().out
    assert KEY not in printed
    assert TOKEN not in printed


def test_masking_leaves_ids_and_times_alone(planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sessions", "--home", str(planted), "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["sessions"][0]
    assert "redacted" not in row["id"]
    assert row["started_at"].endswith("Z")


def test_a_file_of_messages_comes_back_as_it_was_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    messages = [{"role": "user", "content": f"{turn}: {KEY}"} for turn in range(12)]
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(messages))
    assert run(["compress", "--messages", str(path), "--window", "64000", "--json"]) == 0
    after = json.loads(capsys.readouterr().out)["after"]
    assert after[0] == messages[0]
