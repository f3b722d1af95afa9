"""The card below the list, about the row under the cursor."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from core.account.pricing.paid import NO_BILL
from core.explain.events import explain
from core.model.finding import Severity
from core.preview.past import with_loss
from core.store.database.locate import Location
from core.store.store import Store
from inspector.app import InspectorApp
from inspector.screens.sessions.alert_line import AlertLine
from inspector.screens.sessions.card import SessionCard
from inspector.screens.sessions.data.columns import mark_of
from inspector.screens.sessions.list_view import SessionsList
from inspector.widgets.bars.answer_and_keys import AnswerBar
from inspector.widgets.charts.curve_chart import CurveChart
from tests.conftest import NOW
from tests.core.explain.home import refused_early
from tests.inspector.driving import at_sizes, settle, settled
from tests.inspector.screens.conftest import drawn, press


async def test_a_high_screen_shows_the_answer_and_the_curve_of_the_row_under_the_cursor(
    samples: Location,
) -> None:
    async with settled(app := InspectorApp([samples], now=lambda: NOW)) as pilot:
        card = app.screen.query_one(SessionCard)
        chart, answer = card.query_one(CurveChart), card.query_one(AnswerBar)
        async for _ in at_sizes(pilot, (200, 32), (200, 60)):
            high = app.size.height == 60
            assert (chart.display, answer.display) == (high, high)
        listing = app.screen.listing  # type: ignore[attr-defined]
        for _ in range(3):
            extra = listing.extras[listing.current.key]
            assert chart.values == extra.curve.values
            await press(pilot, "down")


async def test_few_conversations_leave_a_low_screen_to_the_card_and_are_all_in_sight(
    samples: Location,
) -> None:
    async with settled(app := InspectorApp([samples], now=lambda: NOW)) as pilot:
        listing, card = app.screen.query_one(SessionsList), app.screen.query_one(SessionCard)
        before = card.display
        await press(pilot, "slash", *"deploy", "enter")
        assert (before, card.display, card.query_one(CurveChart).display) == (False, True, True)
        assert len(listing.in_sight) == listing.rows.count == 1
        assert listing.size.height == SessionsList.HEADER_LINES + listing.rows.count


async def test_the_card_does_not_repeat_the_alert_above_the_list(samples: Location) -> None:
    async with settled(app := InspectorApp([samples], now=lambda: NOW), 200, 60) as pilot:
        listing = app.screen.listing  # type: ignore[attr-defined]
        answer = app.screen.query_one(SessionCard).query_one(AnswerBar)
        shown = [answer.display]
        while listing.current.title != "Why is the deploy slow":
            await press(pilot, "down")
        shown.append(answer.display)
        await press(pilot, "n")
        assert [*shown, answer.display] == [True, False, True]


async def test_an_alert_above_the_only_conversation_does_not_hide_it_and_is_not_repeated_below(
    sample_home: Path, tmp_path: Path
) -> None:
    alone = tmp_path / "state.db"
    shutil.copy(sample_home / "profiles" / "laptop" / "state.db", alone)
    with closing(sqlite3.connect(alone)) as connection, connection:
        connection.execute("DELETE FROM sessions WHERE title NOT LIKE 'Cut the drone film%'")
    (tmp_path / "logs").mkdir()
    for log in (sample_home / "profiles" / "laptop" / "logs").iterdir():
        shutil.copy(log, tmp_path / "logs")
    app = InspectorApp([Location(alone, tmp_path)], now=lambda: NOW)
    async with settled(app, 80, 24) as pilot:
        listing = app.screen.query_one(SessionsList)
        alert, card = app.screen.query_one(AlertLine), app.screen.query_one(SessionCard)
        alert.remove_class("-shown")
        await settle(pilot)
        alert.tell(listing)  # it appears after everything else is laid out
        await settle(pilot)
        assert listing.rows.count == len(listing.in_sight) == 1
        assert alert.shown is not None
        card.tell(listing, replace(alert.shown))  # read again, and the same
        await settle(pilot)
        assert not card.query_one(AnswerBar).display
        assert " ".join(drawn(pilot).split()).count("the provider refused the request") == 1


async def test_the_card_gives_the_answer_of_why_with_what_the_summary_lost(samples: Location) -> None:
    async with settled(app := InspectorApp([samples], now=lambda: NOW), 200, 60) as pilot:
        listing = app.screen.listing  # type: ignore[attr-defined]
        while listing.current.title != "Refactor the auth module":
            await press(pilot, "down")
        await settle(pilot)
        answer = app.screen.query_one(SessionCard).query_one(AnswerBar).answer
        with Store(samples) as store:
            found, kept = with_loss(explain(store, listing.current.row.tip.id))
        assert kept is not None
        assert answer == found.headline
        assert "of what matters" in answer.sentence
        assert answer.severity is Severity.WARNING


async def test_a_refusal_that_was_dealt_with_is_told_with_what_its_summary_lost(
    sample_home: Path, tmp_path: Path
) -> None:
    home = shutil.copytree(sample_home / "profiles" / "server", tmp_path / "server")
    with closing(sqlite3.connect(home / "state.db")) as connection, connection:
        empty = "[CONTEXT SUMMARY]:\n## Goal\nG"
        connection.execute("UPDATE messages SET content = ? WHERE content GLOB '?CONTEXT SUM*'", (empty,))
    location = Location(home / "state.db", home)
    async with settled(app := InspectorApp([location], now=lambda: NOW), 120, 40):
        listing = app.screen.query_one(SessionsList)
        row = next(one for one in listing.conversations if one.title == "Compare the two dashboards")
        with Store(location) as store:
            found, kept = with_loss(explain(store, row.row.tip.id))
        assert kept is not None
        assert kept.lost_share == 1
        assert listing.extras[row.key].told == found.headline
        assert mark_of(row, listing.cell_source(row)) is Severity.WARNING


async def test_the_sign_of_a_row_is_that_of_its_alert_and_of_the_sentence_below_the_list(
    samples: Location,
) -> None:
    async with settled(app := InspectorApp([samples], now=lambda: NOW), 200, 60) as pilot:
        listing, alert = app.screen.query_one(SessionsList), app.screen.query_one(AlertLine)
        answer = app.screen.query_one(SessionCard).query_one(AnswerBar)
        marks = {
            row.title: mark_of(row, listing.cell_source(row)) for row in listing.conversations if row.title
        }
        assert marks["Refactor the auth module"] is Severity.WARNING  # its summary lost half, see Why
        assert {name for name, _ in alert.alerts} >= {name for name, mark in marks.items() if mark}
        for _ in range(12):
            row = listing.current
            assert row is not None
            mark = mark_of(row, listing.cell_source(row))
            loud = answer.answer.severity if answer.answer.severity is not Severity.INFO else None
            assert mark == (answer.answer.severity if mark else loud), row.title
            await press(pilot, "down")
            await settle(pilot)


async def test_the_card_says_of_a_server_of_ones_own_that_nobody_bills_it_as_the_row_does(
    samples: Location,
) -> None:
    async with settled(app := InspectorApp([samples], now=lambda: NOW)) as pilot:
        listing = app.screen.listing  # type: ignore[attr-defined]
        async for _ in at_sizes(pilot, (120, 40)):
            while listing.current.title != "Sort the photo archive":
                await press(pilot, "down")
            assert NO_BILL in drawn(pilot)
            while listing.current.title != "Résumé du journal":
                await press(pilot, "up")
            assert "no cost recorded" in drawn(pilot)


async def test_what_a_provider_refuses_is_not_still_to_go_and_marks_the_row(tmp_path: Path) -> None:
    refused_early(tmp_path)
    async with settled(app := InspectorApp([Location(tmp_path / "state.db", tmp_path)]), 120, 40) as pilot:
        listing, card = app.screen.query_one(SessionsList), app.screen.query_one(SessionCard)
        assert listing.current is not None
        key = listing.current.key
        assert listing.extras[key].severity is Severity.WARNING
        text = drawn(pilot)
        assert "the provider refuses beyond 40,000, before the limit of 54,400" in text
        assert "to go" not in text
        assert "/40K" in text
        listing.extras[key] = replace(listing.extras[key], refused_at="", state=None)
        card.tell(listing)  # figures of an earlier run do not tell what a provider said
        assert "limit 54,400" in drawn(pilot)
        assert "to go" not in drawn(pilot)


async def test_the_rows_below_a_short_list_show_its_curve_also_under_a_long_alert(tmp_path: Path) -> None:
    refused_early(tmp_path)
    async with settled(InspectorApp([Location(tmp_path / "state.db", tmp_path)]), 80, 23) as pilot:
        assert "40K ── the provider refuses ──" in drawn(pilot)


async def test_on_a_narrow_card_what_a_provider_refuses_is_told_whole(tmp_path: Path) -> None:
    refused_early(tmp_path)
    async with settled(InspectorApp([Location(tmp_path / "state.db", tmp_path)]), 80, 24) as pilot:
        assert "the provider refuses beyond 40,000" in drawn(pilot)
