"""The list of trajectories and one of them from both sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.trajectory.compress.plan import Settings
from core.trajectory.input.sources import find_input
from core.trajectory.shards.job import Job
from core.trajectory.summaries.base import SummarySpec
from inspector.app import InspectorApp
from inspector.screens.trajectories.one import ROOMIER, TrajectoryScreen
from inspector.screens.trajectories.screen import TrajectoriesScreen
from tests.core.trajectory import sets
from tests.hostile import HOSTILE
from tests.inspector.driving import press, settled
from tests.inspector.screens.conftest import drawn


def opened(path: Path, target: int = 900) -> InspectorApp:
    settings = Settings(release="0.22", target=target, summary_target=60)
    job = Job(find_input(str(path)).sources, settings, SummarySpec(), "", dry=True)
    return InspectorApp((), home=lambda: TrajectoriesScreen(job))


async def test_the_list_says_what_would_happen_and_keeps_what_is_asked_for(tmp_path: Path) -> None:
    path = sets.written(tmp_path / "in.jsonl", [*sets.entries(1, 12), "no json"])
    before = path.read_bytes(), path.stat().st_mtime_ns
    running = opened(path)
    async with settled(running, 120, 24) as pilot:
        shown = drawn(pilot)
        assert "in.jsonl · 13 trajectories" in shown
        assert "become one summary" in shown
        assert "Fix: / lists those that failed" in shown
        await press(pilot, "slash")
        assert " · failed: 1 " in drawn(pilot)
        assert "not JSON" in drawn(pilot)
        for words in ("still over the limit", "over the limit"):
            await press(pilot, "slash")
            assert f" · {words}: " in drawn(pilot)
        await press(pilot, "slash")
        assert "in.jsonl · 13 trajectories  " in drawn(pilot)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


async def test_one_is_shown_before_and_after_with_its_region(tmp_path: Path) -> None:
    running = opened(sets.written(tmp_path / "in.jsonl", sets.entries(1, 12)))
    async with settled(running, 120, 24) as pilot:
        await press(pilot, "slash")
        assert "still over the limit: " in drawn(pilot), "none failed, so nothing is listed as failed"
        await press(pilot, "slash", "enter")
        assert isinstance(running.screen, TrajectoryScreen)
        shown = drawn(pilot)
        assert "middle" in shown
        assert "introduction text (18 characters)" in shown
        assert "in.jsonl · line 3 " in shown
        assert "target 900" in shown
        assert " messages become one summary: " in shown
        assert "facts kept" in shown
        await press(pilot, "enter")
        await press(pilot, "escape", "d")
        assert "→ one summary" in drawn(pilot)
        await press(pilot, "escape", "x")
        assert "outcome" in drawn(pilot)
        assert "says “[CONTEXT SUMMARY]" not in drawn(pilot)
        await press(pilot, "escape", "escape")
        assert "12 trajectories" in drawn(pilot)


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ((), "It is left as it is: It has no turns."),
        (("Hi.", "Hello."), "It fits: 4 of 900 tokens, so nothing is cut."),
        (("word " * 5_000, "Done."), "tokens are over the target, and every turn is protected. "),
    ],
)
async def test_a_trajectory_that_is_not_cut_says_why(
    tmp_path: Path, turns: tuple[str, ...], said: str
) -> None:
    spoken = [{"from": role, "value": text} for role, text in zip(("human", "gpt"), turns, strict=False)]
    async with settled(
        opened(sets.written(tmp_path / "in.jsonl", [{"conversations": spoken}])), 80, 24
    ) as pilot:
        await press(pilot, "enter")
        assert said in " ".join(drawn(pilot).split()) + " "
        assert ("Fix: A higher --target" in drawn(pilot)) is ("over" in said)


async def test_at_eighty_columns_no_count_is_left_out(tmp_path: Path) -> None:
    # One turn of 5,000 words is protected, so that its trajectory stays too long.
    long = [{"from": "human", "value": "word " * 5_000}, {"from": "gpt", "value": "Done."}]
    entries = [*sets.entries(1, 12), "no json", {"conversations": long}, {"conversations": []}]
    running = opened(sets.written(tmp_path / "in.jsonl", entries))
    async with settled(running, 80, 24) as pilot:
        shown = " ".join(drawn(pilot).split())
        assert "of 15 trajectories" in shown
        for words in (
            "still over: nothing to cut",
            "are over 900 tokens",
            "cutting saves ~",
            "2 would still be longer",
            "1 could not be read",
            "1 without",
            "not JSON: Expecting value at column 1",
        ):
            assert words in shown


async def test_a_wide_terminal_shows_each_first_request_without_its_credentials(tmp_path: Path) -> None:
    said = "Mend the login of the shop, the token is ghp_" + "a1B2c3D4e5" * 4
    turns = [{"from": "system", "value": "Be brief."}, {"from": "human", "value": said}]
    running = opened(sets.written(tmp_path / "in.jsonl", [{"conversations": turns}]))
    async with settled(running, 200, 24) as pilot:
        shown = drawn(pilot)
        assert "first request" in shown
        assert "Mend the login of the shop" in shown
        assert "ghp_" not in shown


async def test_a_summary_that_loses_much_is_told_with_what_helps(tmp_path: Path) -> None:
    turns = [{"from": "system", "value": "Be brief."}]
    for number in range(60):
        rule = f"Task {number}: fix src/m{number}.py, never touch the port 54{number}."
        turns += [
            {"from": "human", "value": rule},
            {"from": "gpt", "value": f"Done {number}. " + "so " * 300},
        ]
    running = opened(sets.written(tmp_path / "in.jsonl", [{"conversations": turns}]), target=4_000)
    async with settled(running, 120, 30) as pilot:
        await press(pilot, "enter")
        told = " ".join(drawn(pilot).split())
        assert "▲ " in told
        assert f"Fix: {ROOMIER}" in told


async def test_hostile_turns_reach_no_terminal(tmp_path: Path) -> None:
    turns = [{"from": "human", "value": text} for text in HOSTILE] * 8
    running = opened(sets.written(tmp_path / "in.jsonl", [{"conversations": turns}]))
    async with settled(running, 80, 24) as pilot:
        await press(pilot, "enter")
        assert "\x1b" not in drawn(pilot)
        await press(pilot, "enter")
        assert "\x1b" not in drawn(pilot)
