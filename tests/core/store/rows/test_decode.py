"""How stored values are read, and which do not count."""

from __future__ import annotations

import json
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from core.store.rows.decode import JSON_PREFIX, moment
from inspector.cli.main import run
from tests.core.store.database import SessionDatabase


@pytest.mark.parametrize("value", [-62135596800, 253402300799, 1e300, float("nan"), float("inf"), "1", None])
def test_what_lies_at_the_ends_of_the_calendar_is_no_time(value: object) -> None:
    assert moment(value) is None


@pytest.mark.parametrize("value", [0, -62100000000, 253370764799])
def test_the_time_of_any_other_year_has_one_in_every_zone(value: int) -> None:
    found = moment(value)
    assert found is not None
    assert found.astimezone(timezone(timedelta(hours=14))) == found
    assert found.astimezone(timezone(timedelta(hours=-12))) == found


@pytest.mark.parametrize("depth", [150, 300, 600, 900, 5_000])
def test_commands_read_lists_and_mappings_however_deep_they_are_in_one_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], depth: int
) -> None:
    listed, mapped = "[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth
    with SessionDatabase(tmp_path / "state.db") as database:
        database.session("s1")
        call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": mapped}}
        database.message("s1", "assistant", "", tool_calls=json.dumps([call]))
        for content in (JSON_PREFIX + listed, JSON_PREFIX + mapped, mapped):
            database.message("s1", "user", content)
    for command in ("show", "plan", "compress", "why"):
        assert run([command, "latest", "--home", str(tmp_path), "--json"]) == 0, command
        assert not capsys.readouterr().err
