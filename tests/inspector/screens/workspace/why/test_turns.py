"""The turns: each with its outcome, and every check of the one under the cursor."""

from __future__ import annotations

import pytest

from core.explain.events import explain
from core.explain.explanation import Explanation
from core.explain.turns.checks import Check, Decision, Standing, Turn
from core.model.compaction.event import Trigger
from core.store.database.locate import Location
from core.store.store import Store
from inspector.screens.workspace.screen import WorkspaceScreen
from inspector.screens.workspace.why.turns import TurnList, TurnsScreen, card, rest
from inspector.screens.workspace.why.view import WhyView
from inspector.widgets.bars.answer_and_keys import AnswerBar
from inspector.widgets.lists.line_view import ListRows
from tests.conftest import NOW
from tests.inspector.driving import front, settle, settled
from tests.inspector.screens.conftest import INK, drawn, open_app, plain, press
from tests.inspector.widgets.alone import Alone

TITLE = "Refactor the auth module"


def turn(*checks: Check) -> Turn:
    decision = Decision(Trigger.PREFLIGHT, 12, 60_000, real=False, checks=checks)
    return Turn(3, 1, 12, (decision,), text="go on")


def text(one: Turn, width: int = 100) -> str:
    return plain((*card(one, width, INK), *rest(one, width, INK)))


def test_a_card_says_what_was_needed_and_what_was_there() -> None:
    shown = text(
        turn(Check("size", ">= 54,400 tokens", "60,000", True), Check("failed attempts", "< 2", "2", False))
    )
    assert shown.startswith("Large enough, 60,000 of 54,400 tokens, but blocked: failed attempts 2")
    assert "× failed attempts" in shown
    assert "✓ size" in shown
    assert "go on" in shown


@pytest.mark.parametrize("width", [24, 60, 100])
def test_a_card_fits_its_pane(width: int) -> None:
    checks = (
        Check("size", ">= 54,400 tokens", "60,000", True),
        Check("failed attempts", "< 2", "not on record", None),
    )
    assert max(map(len, text(turn(*checks), width).split("\n"))) <= width


async def test_t_opens_the_turn_of_the_compaction_under_the_cursor(samples: Location) -> None:
    async with settled(app := open_app(samples, TITLE, "why"), 120, 40) as pilot:
        await press(pilot, "left_curly_bracket")
        on_why = app.screen.query_one(WhyView).query_one(AnswerBar).answer
        await press(pilot, "t")
        screen = front(app, TurnsScreen)
        current = screen.turns.current
        assert current is not None
        assert current.events[0] == 0
        assert current.standing is Standing.FIRED
        shown = drawn(pilot)
        assert f"Turns · {TITLE}" in shown
        assert "(event 1)" in shown
        answer = screen.query_one(AnswerBar).answer
        assert answer.sentence in " ".join(shown.split())
        assert "of what matters" in answer.sentence
        assert answer.severity is on_why.severity
        await press(pilot, "escape")
        assert isinstance(app.screen, WorkspaceScreen)


async def test_read_again_it_stays_at_the_newest_turn_whichever_compaction_it_was_opened_at(
    samples: Location,
) -> None:
    async with settled(app := open_app(samples, TITLE, "why"), 120, 40) as pilot:
        await press(pilot, "left_curly_bracket", "t", "G")
        screen = front(app, TurnsScreen)
        newest = screen.turns.cursor
        await press(pilot, "r")
        assert screen.turns.cursor == newest == screen.turns.rows.count - 1


async def test_a_wait_that_the_log_does_not_tell_of_is_no_wait(samples: Location) -> None:
    async with settled(open_app(samples, "Webhooks are delivered twice", "why"), 200, 60) as pilot:
        await press(pilot, "t")
        told = " ".join(" ".join(line.rpartition("│")[2] for line in drawn(pilot).splitlines()).split())
        assert "waiting for the provider's count: required no, actual no, by the log" in told


async def test_braces_walk_the_turns_that_were_large(samples: Location) -> None:
    async with settled(app := open_app(samples, TITLE, "why"), 100, 30) as pilot:
        await press(pilot, "t", "g", "right_curly_bracket")
        screen = front(app, TurnsScreen)
        assert screen.turns.current is not None
        assert screen.turns.current.standing is not Standing.BELOW


async def test_it_fits_a_small_terminal(samples: Location) -> None:
    async with settled(app := open_app(samples, "Nightly triage", "why"), 60, 20) as pilot:
        await press(pilot, "t")
        assert isinstance(app.screen, TurnsScreen)
        assert "Turns" in drawn(pilot)


async def test_the_numbers_of_several_attempts_do_not_touch_the_time() -> None:
    tried = Turn(1, 1, None, (), events=(0, 1, 2), failed=(0, 1, 2), at=NOW)
    async with settled(app := Alone(TurnList()), 100, 10) as pilot:
        app.widget.show(ListRows((tried,)))
        await settle(pilot)
        assert "①②③ " in drawn(pilot)


async def test_the_compactions_are_explained_once_for_turns_and_answer(
    samples: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()

    def noted(store: Store, session: str) -> Explanation:
        asked.append(session)
        return explain(store, session)

    monkeypatch.setattr("inspector.screens.workspace.why.turns.explain", noted)
    async with settled(app := open_app(samples, TITLE, "why"), 120, 40) as pilot:
        await press(pilot, "t")
        assert "Lost:" in front(app, TurnsScreen).answer.answer.sentence
    assert len(asked) == 1
