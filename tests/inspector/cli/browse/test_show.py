"""`show` prints a conversation without what was masked in any spelling."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli


@pytest.mark.parametrize("form", [[], ["--full"], ["--json"]])
def test_a_credential_spelled_in_escaped_letters_of_a_call_is_masked(
    tmp_path: Path, cli: Cli, form: list[str]
) -> None:
    with SessionDatabase(tmp_path / "state.db") as made:
        made.session("a")
        call = ("c", "terminal", json.dumps({"command": "密码：HarborAmber4558"}))
        made.message("a", "assistant", "ok", calls=[call])
    assert "HarborAmber4558" not in cli("show", "a", *form, "--home", tmp_path).out


def test_a_credential_is_masked_also_where_a_text_on_a_terminal_stops(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.terminal.stdout.terminal_width", lambda: 100)
    with SessionDatabase(tmp_path / "state.db") as made:
        made.session("a")
        made.message(
            "a", "assistant", f"{'x ' * 49_970}postgres://admin:hunter2{'horse' * 20}@db.example.org/shop"
        )
    assert "hunter2" not in cli("show", "a", "--full", "--home", tmp_path).out


def test_a_line_of_a_tool_shows_its_text_without_the_escapes_of_json(tmp_path: Path, cli: Cli) -> None:
    with SessionDatabase(tmp_path / "state.db") as made:
        made.session("a")
        made.message("a", "assistant", "", calls=[("c", "terminal", json.dumps({"command": 'echo "café"'}))])
        made.message("a", "tool", json.dumps({"output": 'one\n"two"'}))
    shown = cli("show", "a", "--home", tmp_path).out
    assert 'terminal {"command": "echo "café""}' in shown
    assert '{"output": "one "two""}' in shown
