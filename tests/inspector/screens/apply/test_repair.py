"""From the finding that a partial compression lost turns to the turns put back, and away again."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.store.database.locate import Location
from core.store.store import Store
from inspector.app import InspectorApp
from inspector.screens.apply.model import Stage
from inspector.screens.apply.screen import ApplyScreen
from inspector.screens.apply.work import short_id
from inspector.screens.findings.screen import FindingsScreen
from inspector.widgets.panes.text_pane import TextPane
from tests.core.apply.material import compress_here, dump
from tests.core.store.database import SessionDatabase
from tests.inspector.driving import front
from tests.inspector.screens.conftest import answer, drawn, press, settle


@pytest.fixture
def lost(tmp_path: Path) -> Location:
    """A database in which session `s` lost two turns, and `whole` none."""
    with SessionDatabase(tmp_path / "state.db", "0.19") as database:
        compress_here(database)
        compress_here(database, "whole", loses=False)
    return Location(tmp_path / "state.db")


def findings_of(location: Location, session: str) -> tuple[InspectorApp, FindingsScreen]:
    app = InspectorApp([location], session=session)
    return app, FindingsScreen([location], session=session)


def stage(screen: ApplyScreen) -> Stage:
    return screen.stage


async def test_lost_turns_are_put_back_from_their_finding_and_taken_away_again(lost: Location) -> None:
    before = dump(lost.db)
    app, findings = findings_of(lost, "s")
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(findings)
        await settle(pilot)
        assert "put back" in drawn(pilot)
        await press(pilot, "R")
        screen = front(app, ApplyScreen)
        text = screen.query_one(TextPane)
        assert stage(screen) is Stage.REVIEW, text.text
        assert "· put the lost turns back · review" in drawn(pilot)
        assert "8 written" in text.text
        await press(pilot, "W")
        await answer(pilot, short_id("s"))
        assert stage(screen) is Stage.APPLIED, text.text
        with Store(lost) as store:
            assert store.lost_tail("s") == ((), ())
        await press(pilot, "U", "U")
        assert stage(screen) is Stage.UNDONE, text.text
    assert dump(lost.db) == before


async def test_once_put_back_the_finding_is_gone(lost: Location) -> None:
    app, findings = findings_of(lost, "s")
    async with app.run_test(size=(120, 40)) as pilot:
        await app.push_screen(findings)
        await settle(pilot)
        await press(pilot, "R")
        await press(pilot, "W")
        await answer(pilot, short_id("s"))
        await press(pilot, "escape")
        assert isinstance(app.screen, FindingsScreen)
        assert "put back" not in drawn(pilot)
        assert "archived them with the rest" not in drawn(pilot)


async def test_where_nothing_was_lost_there_is_no_such_key(lost: Location) -> None:
    app, findings = findings_of(lost, "whole")
    async with app.run_test(size=(120, 40)) as pilot:
        await app.push_screen(findings)
        await settle(pilot)
        assert "put back" not in drawn(pilot)
        await press(pilot, "R")
        assert isinstance(app.screen, FindingsScreen)
