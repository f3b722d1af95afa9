from __future__ import annotations

from core.model.settings import Settings
from core.store.locate import Location
from inspector.screens.other_settings import (
    RATIOS,
    SHARES,
    OtherSettingsScreen,
    settings_to_try,
    tails_to_try,
)
from inspector.screens.workspace import WorkspaceScreen
from tests.inspector.screens.conftest import drawn, open_app, press, settle


def test_the_setting_in_force_is_among_those_tried_and_they_rise() -> None:
    actual = Settings(window=200_000, threshold=0.42)
    tried = settings_to_try(actual)
    assert actual in tried
    assert [one.threshold for one in tried] == sorted({*SHARES, 0.42})
    assert {one.window for one in tried} == {200_000}


def test_the_tails_tried_are_others_than_the_one_in_force() -> None:
    actual = Settings(window=200_000, threshold=0.42, target_ratio=RATIOS[0])
    tried = tails_to_try(actual)
    assert [one.target_ratio for one in tried] == list(RATIOS[1:])
    assert {(one.window, one.threshold) for one in tried} == {(200_000, 0.42)}


async def test_c_shows_the_same_history_under_other_thresholds(samples: Location) -> None:
    app = open_app(samples, "Refactor the auth module", "why")
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "c")
        text = drawn(pilot)
        assert "Other thresholds · Refactor the auth module" in text
        assert "in force" in text
        assert text.count("◀ cheapest") == 1
        assert "~$" in text
        assert "0.90" in text
        assert "tail 0.40" in text
        await press(pilot, "escape")
        assert isinstance(app.screen, WorkspaceScreen)


async def test_the_verdict_fits_eighty_columns(samples: Location) -> None:
    app = open_app(samples, "Refactor the auth module", "why")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "c")
        assert any("$" in line and "◀ cheapest" in line for line in drawn(pilot).splitlines())


async def test_it_fits_a_small_terminal(samples: Location) -> None:
    app = open_app(samples, "Nightly triage", "why")
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "c")
        assert isinstance(app.screen, OtherSettingsScreen)
        assert all(len(line) == 60 for line in drawn(pilot).splitlines())
