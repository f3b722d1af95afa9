"""`show` prints a conversation without what was masked in any spelling."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.cli.main import run
from tests.core.store.database import SessionDatabase


@pytest.mark.parametrize("form", [[], ["--full"], ["--json"]])
def test_a_credential_spelled_in_escaped_letters_of_a_call_is_masked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: list[str]
) -> None:
    with SessionDatabase(tmp_path / "state.db") as made:
        made.session("a")
        call = ("c", "terminal", json.dumps({"command": "密码：HarborAmber4558"}))
        made.message("a", "assistant", "ok", calls=[call])
    assert run(["show", "a", *form, "--home", str(tmp_path)]) == 0
    assert "HarborAmber4558" not in capsys.readouterr().out
