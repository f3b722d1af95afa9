"""`repair`: what a partial compression lost comes back, and goes again."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.store.store import Store
from inspector.cli.main import run
from tests.core.apply.material import compress_here, dump
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    """A database in which session `s` lost two turns, and `whole` none."""
    with SessionDatabase(tmp_path / "state.db", "0.19") as database:
        compress_here(database)
        compress_here(database, "whole", loses=False)
    return tmp_path / "state.db"


def test_lost_turns_come_back_and_undo_takes_them_away_again(lost: Path, cli: Cli) -> None:
    before = dump(lost)
    applied = cli("repair", "s", "--db", lost, "--yes", "--json").json
    assert applied["rows_written"] == 8
    with Store(lost) as store:
        assert store.lost_tail("s") == ((), ())
    assert run(["undo", applied["undo_id"]]) == 0
    assert dump(lost) == before


def test_findings_name_the_repair(lost: Path, cli: Cli) -> None:
    advised = " ".join(cli("findings", "s", "--db", lost).out.split())
    assert f"hermes-inspector --db {lost} repair s" in advised


def test_a_session_that_lost_nothing_is_left_alone(lost: Path, cli: Cli) -> None:
    before = dump(lost)
    assert "lost anything" in cli("repair", "whole", "--db", lost, "--yes", code=2).err
    assert dump(lost) == before
