"""The engines of a home, run over a conversation of it; the one chosen cuts map, preview and focus lab."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.store.database.locate import Location, locate
from inspector.screens.workspace.engines.list_view import card
from inspector.screens.workspace.engines.screen import EnginesScreen
from inspector.screens.workspace.preview.focus.screen import FocusLab
from inspector.terminal.line import Palette
from tests.core.compress.engines.builders import FIRST_TWO, engine
from tests.inspector.driving import settled
from tests.inspector.screens.conftest import drawn, open_app, press, settle

AUTH = "Refactor the auth module"
LOSES_IDS = 'return [{k: v for k, v in row.items() if k != "tool_call_id"} for row in messages[:5]]'
IDLE = "return messages"
HANGS = "while True: time.sleep(1)"


@pytest.fixture
def home(sample_home: Path, tmp_path: Path) -> Location:
    """The samples with three engines: one that works, one whose list is broken, one that does not load."""
    place = tmp_path / "home"
    shutil.copytree(sample_home, place)
    engine(place / "plugins", FIRST_TWO)
    engine(place / "plugins", LOSES_IDS, name="loser")
    engine(place / "plugins", FIRST_TWO, name="mute", before="raise RuntimeError('no voice')\n")
    return locate(home=place, profile="default")[0]


async def ran(pilot: Pilot[None]) -> EnginesScreen:
    """The screen once every engine has run."""
    for _ in range(100):
        await settle(pilot)
        screen = pilot.app.screen
        if isinstance(screen, EnginesScreen) and screen.engines.rows.count and not screen._waiting:
            return screen
        await pilot.pause(0.1)
    raise AssertionError(drawn(pilot))


async def choose(pilot: Pilot[None], name: str) -> None:
    screen = await ran(pilot)
    rows = [screen.engines.rows.row(place) for place in range(screen.engines.rows.count)]
    await press(pilot, *["j"] * [row.name for row in rows if row is not None].index(name), "enter")


@pytest.mark.parametrize("view", ["map", "preview"])
async def test_every_engine_is_run_and_a_broken_one_says_what_is_wrong(home: Location, view: str) -> None:
    async with settled(open_app(home, AUTH, view), 140, 40) as pilot:
        await press(pilot, "e")
        screen = await ran(pilot)
        rows = {row.name: row for row in map(screen.engines.rows.row, range(4)) if row is not None}
        assert list(rows) == ["builtin", "loser", "mute", "small"]
        assert rows["small"].kept == 2
        assert rows["builtin"].orphans == 0
        assert rows["loser"].orphans
        assert "without a tool_call_id" in rows["loser"].trouble
        assert "no voice" in rows["mute"].trouble
        assert "no voice" in drawn(pilot)
        assert re.search(r"facts +(\d+/\d+) kept, >?\d+% of what matters", drawn(pilot))
        assert re.search(r"builtin +~[\d.]+K +\d+/\d+ ", drawn(pilot)), "counted, like the facts of Preview"
        await pilot.resize_terminal(200, 60)
        await settle(pilot)
        assert screen.card.region.width == 200


async def test_an_unknown_price_is_said_in_words_and_ones_own_server_costs_nothing(samples: Location) -> None:
    async with settled(open_app(samples, "Sort the photo archive", "map"), 140, 40) as pilot:
        await press(pilot, "e")
        screen = await ran(pilot)
        assert "price     $0 for its summary, with the model Hermes would use" in drawn(pilot)
        builtin = screen.engines.current
        assert builtin is not None
        lines = [line.text for line in card(replace(builtin, usd=None), 140, Palette.of(screen.app))]
        assert "not known: the model that Hermes would use for its summary has none" in "".join(lines)


async def test_the_engine_chosen_cuts_map_and_preview_until_builtin_is_back(home: Location) -> None:
    async with settled(app := open_app(home, AUTH, "map"), 140, 40) as pilot:
        before = drawn(pilot)
        await press(pilot, "e")
        await choose(pilot, "small")
        assert "engine small 1.2.3" in drawn(pilot)
        await press(pilot, "3")
        assert "engine: small 1.2.3" in drawn(pilot)
        await press(pilot, "A")
        assert any("cannot be edited or written" in one.message for one in app._notifications)
        await press(pilot, "1", "e")
        await choose(pilot, "builtin")
        assert "engine small" not in drawn(pilot)
        assert before.splitlines()[1:3] == drawn(pilot).splitlines()[1:3]


@pytest.mark.parametrize(("name", "said"), [("loser", "tool_call_id"), ("mute", "no voice")])
async def test_a_broken_engine_is_reported_in_place_of_the_answer(
    home: Location, name: str, said: str
) -> None:
    async with settled(open_app(home, AUTH, "map"), 140, 40) as pilot:
        await press(pilot, "e")
        await choose(pilot, name)
        assert f"The engine {name} 1.2.3 is broken" in drawn(pilot)
        assert said in drawn(pilot)
        await press(pilot, "3")
        assert "is broken" in drawn(pilot)
        assert said in drawn(pilot)
        assert "is compacting" not in drawn(pilot)


async def test_an_engine_that_hangs_is_given_up_with_escape(home: Location) -> None:
    assert home.home is not None
    engine(home.home / "plugins", HANGS, name="hangs")
    async with settled(app := open_app(home, AUTH, "map"), 140, 40) as pilot:
        await press(pilot, "e")
        await pilot.pause(0.5)
        await press(pilot, "escape")
        assert not isinstance(app.screen, EnginesScreen)


async def test_an_engine_that_changes_nothing_is_distinguished_from_a_broken_one(home: Location) -> None:
    assert home.home is not None
    engine(home.home / "plugins", IDLE, name="idle")
    async with settled(open_app(home, AUTH, "preview"), 120, 40) as pilot:
        await press(pilot, "e")
        await ran(pilot)
        [row] = [line for line in drawn(pilot).splitlines() if line.strip().startswith("idle")]
        assert "unchanged" in row
        assert "loser is broken: " in " ".join(drawn(pilot).split())
        assert "enter use" in drawn(pilot)


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("idle", IDLE, "does not change this conversation, whatever the topic"),
        ("loser", LOSES_IDS, "is broken: "),
        ("mute", "", "is broken: RuntimeError: no voice"),
        ("small", FIRST_TWO, "facts"),
    ],
)
async def test_the_focus_lab_says_what_its_engine_did(
    home: Location, name: str, body: str, said: str
) -> None:
    assert home.home is not None
    if name == "idle":
        engine(home.home / "plugins", body, name=name)
    async with settled(app := open_app(home, AUTH, "preview"), 80, 24) as pilot:
        await press(pilot, "e")
        await choose(pilot, name)
        await settle(pilot)
        await press(pilot, "F", *"auth", "enter")
        for _ in range(50):
            await settle(pilot)
            if isinstance(app.screen, FocusLab) and "Writing" not in drawn(pilot):
                break
            await pilot.pause(0.1)
        assert f"engine {name} 1.2.3" in drawn(pilot)
        assert said in " ".join(drawn(pilot).split())
        assert "being made" not in drawn(pilot)


async def test_an_engine_that_only_the_configuration_names_is_listed_with_what_helps(home: Location) -> None:
    assert home.home is not None
    with (home.home / "config.yaml").open("a") as config:
        config.write("\ncontext:\n  engine: lcm\n")
    async with settled(app := open_app(home, AUTH, "map"), 140, 40) as pilot:
        await press(pilot, "e")
        screen = await ran(pilot)
        names = [row.name for row in map(screen.engines.rows.row, range(screen.engines.rows.count)) if row]
        assert names == ["builtin", "lcm", "loser", "mute", "small"]
        text = " ".join(drawn(pilot).split())
        assert "names the context engine 'lcm', but its code is not there" in text
        assert "the views use builtin" in text
        assert "What helps: Name its folder with --engine PATH" in text
        await choose(pilot, "lcm")
        assert any("cannot be chosen" in one.message for one in app._notifications)
        assert isinstance(app.screen, EnginesScreen)
