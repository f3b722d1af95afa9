"""The bars of a conversation that lived for a day or two: calls of its log, or words alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.explain.events import explain
from core.store.database.locate import Location
from core.store.store import Store
from inspector.app import InspectorApp
from inspector.screens.workspace.usage.bars import bars_of
from inspector.screens.workspace.usage.days import Day
from inspector.screens.workspace.usage.model import UsageAnswer, answer
from inspector.screens.workspace.usage.question import Question
from inspector.screens.workspace.why.curve import curve_of
from inspector.widgets.charts.day_bars import DayBars
from tests.conftest import NOW
from tests.core.explain.home import Home
from tests.inspector.screens.conftest import drawn, settle


def asked(samples: Location, title: str) -> UsageAnswer:
    with Store(samples) as store:
        root = store.conversation(store.resolve(title).id).root
    return answer((samples,), Question(by="model", session=root.id), NOW)


def test_a_conversation_of_one_day_is_drawn_call_by_call(samples: Location) -> None:
    found = asked(samples, "Refactor the auth module")
    assert len(found.days) == 1
    bars = bars_of(found)
    assert bars.values == tuple(float(call.tokens) for call in found.calls)
    assert bars.unit == "calls"
    assert f"{len(found.calls)} prompts in the log, peak" in bars.caption + bars.more


def test_the_calls_of_processes_in_two_zones_have_the_times_that_why_gives_them(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.db.session("S")
    for number, zone in enumerate((0, 9), 1):
        home.shift = timedelta(hours=zone)
        home.turn(history=24)
        home.talk(5)
        home.call(1, 60_000 + number)
        home.db.tick(30)
    with home.store() as store:
        known = curve_of(explain(store, "S")).samples
        found = answer((store.location,), Question(by="model", session="S"), NOW).calls
    home.db.connection.close()
    assert [one.tokens for one in known] == [60_001, 60_002]
    assert [(one.tokens, one.at) for one in found] == [(one.tokens, one.at) for one in known]


def test_a_call_that_names_no_session_may_be_of_another_conversation(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.db.session("S")
    home.turn(history=24)
    home.talk(5)
    for number, tag in enumerate(("S", None, "S"), 1):
        counts = f"in={60_000 + number} out=5 total={60_005 + number} latency=1.0s"
        home.line(f"API call #{number}: model=mock-model provider=custom {counts}", tag=tag)
    with home.store() as store:
        known = curve_of(explain(store, "S")).samples
    home.db.connection.close()
    assert [one.tokens for one in known] == [60_001, 60_003]


def test_without_a_log_a_day_alone_is_reported_in_words(samples: Location) -> None:
    bars = bars_of(replace(asked(samples, "Refactor the auth module"), calls=()))
    assert bars.values == ()
    assert "peak" in bars.caption


def test_a_conversation_of_many_days_is_drawn_by_day(samples: Location) -> None:
    days = tuple(Day(date(2026, 11, number), Decimal(number)) for number in range(1, 5))
    bars = bars_of(replace(asked(samples, "Refactor the auth module"), days=days))
    assert (bars.values, bars.unit) == ((1.0, 2.0, 3.0, 4.0), "days")
    assert bars.first == "Nov 1"


@pytest.mark.parametrize(("size", "height"), [((80, 24), 3), ((120, 40), 14), ((200, 60), 31)])
async def test_the_calls_fill_the_width_at_every_size(
    samples: Location, size: tuple[int, int], height: int
) -> None:
    found = asked(samples, "Refactor the auth module")
    session = found.question.session
    app = InspectorApp([samples], session=session, view="usage", now=lambda: NOW)
    async with app.run_test(size=size) as pilot:
        widget = await _bars(pilot)
        assert widget.size.height == height
        assert len(_row(widget, height - 2).rstrip()) > widget.size.width // 3
        begins = re.match(r" *0 \d\d:\d\d", _row(widget, height - 1))
        assert begins is not None or height == 3, "the scale begins at nothing"
        assert re.search(r"111 prompts in the log, peak 144K at \d\d:\d\d", drawn(pilot))


@pytest.mark.parametrize("width", range(60, 130, 7))
async def test_the_peak_is_told_whole_or_not_at_all(samples: Location, width: int) -> None:
    session = asked(samples, "Refactor the auth module").question.session
    app = InspectorApp([samples], session=session, view="usage", now=lambda: NOW)
    async with app.run_test(size=(width, 40)) as pilot:
        widget = await _bars(pilot)
        below = _row(widget, widget.size.height - 1)
        assert "111 prompts in the" in below
        assert ("peak" in below) == bool(re.search(r"peak 144K at \d\d:\d\d", below))


async def _bars(pilot: Pilot[None]) -> DayBars:
    await settle(pilot)
    return pilot.app.screen.query_one(DayBars)


def _row(widget: DayBars, y: int) -> str:
    segments: Sequence[object] = list(widget.render_line(y))
    return "".join(str(getattr(segment, "text", "")) for segment in segments)
