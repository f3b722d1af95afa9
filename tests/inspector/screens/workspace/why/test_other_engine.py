"""Where another context engine decides and named no limit, nothing is told by Hermes' own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.explain.events import explain
from core.explain.turns.checks import SIZE
from core.explain.turns.replay import replay_turns
from core.store.database.locate import Location, locate
from core.store.store import Store
from inspector.screens.workspace.why.curve import curve_of
from inspector.screens.workspace.why.reading import now_origins
from tests.inspector.driving import settled
from tests.inspector.screens.conftest import drawn, open_app, press

AUTH = "Refactor the auth module"


@pytest.fixture
def taken_over(sample_home: Path, tmp_path: Path) -> Location:
    """The samples in a home whose config.yaml names an engine of which nothing else is on record."""
    home = Path(shutil.copytree(sample_home, tmp_path / "home"))
    with (home / "config.yaml").open("a") as config:
        config.write("\ncontext:\n  engine: lcm\n")
    return locate(home=home, profile="default")[0]


def test_neither_the_curve_nor_the_origins_nor_the_turns_have_a_limit(taken_over: Location) -> None:
    with Store(taken_over) as store:
        found = explain(store, store.resolve(AUTH).id)
        turns = replay_turns(found.context, found.events)
    assert curve_of(found).threshold is None
    told = {one.origin.figure: one.origin for one in now_origins(found.now)}
    assert (told["threshold"].value, told["tokens to go"].value) == (None, None)
    assert "engine lcm decides" in told["threshold"].formula
    newest = [check for one in turns[-1].decisions for check in one.checks if check.name == SIZE]
    assert newest
    assert {check.passed for check in newest} == {None}


async def test_other_settings_are_those_of_hermes_own_compressor_and_say_so(taken_over: Location) -> None:
    async with settled(open_app(taken_over, AUTH, "why"), 120, 30) as pilot:
        assert "threshold ──" not in drawn(pilot)
        assert "figures are by" not in drawn(pilot)
        await press(pilot, "c")
        text = drawn(pilot)
        assert "The engine lcm decides here; Hermes' own compressor would have" in text
        assert "in force" not in text.lower()
        assert "configured" in text
