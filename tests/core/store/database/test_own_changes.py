from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from core.store.database.own_changes import undo_command


def test_the_command_that_undoes_a_change_names_a_path_with_blanks_as_a_shell_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "my cache"))
    database = tmp_path / "my cache" / "hermes-inspector" / "demo-1" / "state.db"
    words = shlex.split(undo_command("261130-ab12", database))
    assert words == ["hermes-inspector", "undo", "261130-ab12", "--db", str(database)]
