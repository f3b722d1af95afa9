from __future__ import annotations

from core.explain.what_if.scenarios import RATIOS, SHARES, WINDOWS, variations
from core.model.compaction.plan import Settings
from core.store.database.locate import Location
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.screens.workspace.why.what_if import OtherSettingsScreen
from tests.inspector.driving import settled
from tests.inspector.screens.conftest import drawn, open_app, press


def test_one_thing_at_a_time_differs_from_the_setting_in_force() -> None:
    actual = Settings(window=200_000, threshold=0.42, target_ratio=RATIOS[0])
    tried = [settings for _, settings in variations(actual)]
    assert tried.count(actual) == 1
    assert [one.threshold for one in tried if one.threshold != 0.42] == list(SHARES)
    assert [one.target_ratio for one in tried if one.target_ratio != RATIOS[0]] == list(RATIOS[1:])
    assert [one.window for one in tried if one.window != 200_000] == [
        window for window in WINDOWS.values() if window != 200_000
    ]
    assert len(tried) == 1 + len(SHARES) + len(RATIOS) - 1 + len(WINDOWS) - 1


async def test_c_shows_the_same_history_under_other_thresholds(samples: Location) -> None:
    async with settled(app := open_app(samples, "Refactor the auth module", "why"), 120, 30) as pilot:
        await press(pilot, "c")
        text = drawn(pilot)
        assert "Other settings · Refactor the auth module" in text
        assert "in force" in text
        assert text.count("◀ cheapest") == 1
        assert "~$" in text
        assert "0.90" in text
        assert "tail 0.40" in text
        assert "window 1M" in text
        assert "▇" in text
        assert text.count("The same result from") <= 1
        assert "In force is 0.50:" in text
        await press(pilot, "escape")
        assert isinstance(app.screen, WorkspaceScreen)


async def test_on_a_server_of_ones_own_tokens_are_compared_and_there_is_no_cost(samples: Location) -> None:
    async with settled(open_app(samples, "Sort the photo archive", "why"), 120, 30) as pilot:
        await press(pilot, "c")
        text = drawn(pilot)
        assert "cost" not in text
        assert "cheap" not in text


async def test_it_says_how_often_the_conversation_was_really_compacted_if_the_replay_differs(
    samples: Location,
) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "why"), 120, 30) as pilot:
        await press(pilot, "c")
        said = " ".join(drawn(pilot).split())
        assert "1 compaction, ~$" in said
        assert " (2 really ran; a replay leaves out /compress, refusals and failures)." in said


async def test_the_verdict_fits_eighty_columns(samples: Location) -> None:
    async with settled(open_app(samples, "Refactor the auth module", "why"), 80, 24) as pilot:
        await press(pilot, "c")
        assert any("$" in line and "◀ cheapest" in line for line in drawn(pilot).splitlines())


async def test_it_fits_a_small_terminal(samples: Location) -> None:
    async with settled(app := open_app(samples, "Nightly triage", "why"), 60, 20) as pilot:
        await press(pilot, "c")
        assert isinstance(app.screen, OtherSettingsScreen)
        assert all(len(line) == 60 for line in drawn(pilot).splitlines())
