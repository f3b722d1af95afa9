"""Many machines at once: what each says, in one document or table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.cli.main import run
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli

Run = Callable[..., int]


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        with SessionDatabase(tmp_path / name / "state.db") as made:
            made.session("s", title=f"Of {name}", input_tokens=100, output_tokens=10)
            made.turn("s", "1")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "state.db").write_text("nothing of the kind")
    return tmp_path


@pytest.mark.parametrize("command", ["usage", "findings", "doctor"])
def test_each_machine_has_its_own_answer_and_a_broken_one_says_why(
    command: str, fleet: Path, cli: Cli
) -> None:
    told = cli(command, "--fleet", fleet / "*", "--fleet-jobs", "1")
    document = json.loads(told.out)
    assert [Path(one["machine"]).name for one in document["machines"]] == ["a", "b", "broken"]
    assert [one["error"] is None for one in document["machines"]] == [True, True, False]
    assert (document["totals"]["machines"], document["totals"]["failed"]) == (3, 1)
    assert "not a SQLite database" in told.err


def test_usage_is_added_up_over_machines_and_says_what_is_partial(fleet: Path, cli: Cli) -> None:
    document = cli("usage", "--fleet", fleet / "*", "--fleet-jobs", "2", "--no-prices", code=None).json
    alone = [one["result"]["totals"]["tokens"]["output"] for one in document["machines"] if one["result"]]
    assert document["totals"]["tokens"]["output"] == sum(alone)
    assert document["totals"]["partial"] is True


def test_a_list_names_machines_and_a_table_has_a_row_for_each_session(fleet: Path) -> None:
    (fleet / "list.txt").write_text("# ours\na\n\nb/state.db\ngone\n")
    out = fleet / "out.csv"
    assert run(["usage", "--no-prices", "--fleet", str(fleet / "list.txt"), "--fleet-out", str(out)]) == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8"))))
    assert [(Path(row["machine"]).name, row["key"]) for row in rows[:2]] == [("a", "s"), ("state.db", "s")]
    assert rows[2]["error"]


def test_a_fleet_of_nobody_is_one_clear_line(tmp_path: Path, cli: Cli) -> None:
    assert "no home or state.db found" in cli("usage", "--fleet", tmp_path / "none*", code=3).err
