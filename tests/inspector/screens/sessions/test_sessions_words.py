"""The first line of the list, its sums and its legend."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from core.account.spending.budget import Today
from core.model.finding import Severity
from core.store.database.locate import Location
from inspector.screens.sessions.list_view import drawn_row, header, legend, summing_up
from inspector.terminal.glyphs import NO_SUMMARY
from inspector.widgets.bars.status_line import StatusLine
from tests.core.store.database import SessionDatabase
from tests.inspector.conftest import NOW, MakeApp
from tests.inspector.driving import press, settled
from tests.inspector.screens.session_list import drawn, head_right, screen


async def test_the_name_of_the_app_gives_way_to_what_it_cost(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 80, 24):
        head = screen(running).query_one("#head", StatusLine)
        named = any("Hermes Inspector" in text for _, text in head.left)
        assert named or head_right(running).startswith(("today", "nothing", "since")), head.left


async def test_the_first_line_says_what_today_cost_and_what_cost_most(app: MakeApp, home: Path) -> None:
    with closing(sqlite3.connect(home / "state.db")) as connection, connection:
        connection.execute("UPDATE sessions SET started_at = ?", (NOW.timestamp() - 60,))
        connection.execute("UPDATE sessions SET estimated_cost_usd = 1.5 WHERE id = 'plain'")
        connection.execute(
            "INSERT INTO session_model_usage (session_id, model, task, estimated_cost_usd)"
            " VALUES ('plain', 'm', 'compression', 0.25)"
        )
    async with settled(running := app(home), 160, 30):
        assert "(largest: Rename the CLI flag $1.75)" in head_right(running)
        assert "$1.75" in next(line for line in drawn(running) if "Rename" in line)


async def test_what_cost_most_today_goes_by_its_first_words_without_a_title(app: MakeApp, home: Path) -> None:
    with closing(sqlite3.connect(home / "state.db")) as connection, connection:
        connection.execute("UPDATE sessions SET started_at = ?", (NOW.timestamp() - 60,))
        connection.execute("UPDATE sessions SET estimated_cost_usd = 1.5, title = NULL WHERE id = 'plain'")
        (words,) = connection.execute(
            "SELECT content FROM messages WHERE session_id = 'plain' AND role = 'user' ORDER BY id"
        ).fetchone()
    async with settled(running := app(home), 160, 30):
        assert f"(largest: {words[:12]}" in head_right(running)


async def test_findings_are_counted_once_somebody_looked(app: MakeApp, home: Path) -> None:
    async with settled(running := app(home), 120, 30):
        key = screen(running).listing.current
        assert key is not None
        running.diagnosed[key.key] = Counter({Severity.WARNING: 2, Severity.INFO: 1})
        screen(running).on_screen_resume()
        assert head_right(running).endswith(" · 3 findings")


async def test_where_there_is_little_room_the_place_stays_and_the_sums_give_way(
    app: MakeApp, home: Path
) -> None:
    async with settled(running := app(home), 60, 24):
        head = screen(running).query_one("#head", StatusLine)
        assert "4 conversations" in head.render_line(0).text
        assert sum(len(text) for _, text in (*head.left, *head.right)) <= 56 or not head.right


@pytest.mark.parametrize(("width", "said"), [(80, "sample sessions +1 profile"), (60, "sample sessions")])
def test_the_number_of_profiles_of_the_samples_gives_way_to_what_today_cost(width: int, said: str) -> None:
    home = Path("/cache/hermes-inspector/demo-1")
    assert header([Location(home / "state.db", home)] * 2, 31, width)[0][1] == said


async def test_sessions_of_earlier_days_cost_nothing_today(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    database.connection.execute(
        "UPDATE sessions SET started_at = started_at - 31 * 86400, ended_at = started_at"
    )
    database.connection.execute("UPDATE messages SET timestamp = timestamp - 31 * 86400")
    async with settled(running := app(home), 120, 30):
        assert head_right(running) == "nothing spent today"


async def test_what_has_no_price_is_not_called_nothing(
    app: MakeApp, home: Path, database: SessionDatabase
) -> None:
    database.connection.execute(
        "UPDATE sessions SET estimated_cost_usd = NULL, actual_cost_usd = NULL, model = 'nobody/knows-this'"
    )
    async with settled(running := app(home), 120, 30):
        assert head_right(running) == "today's cost is not known"


def test_what_was_spent_since_yesterday_is_not_called_todays() -> None:
    spent = Today(datetime(2026, 11, 20, tzinfo=UTC), Decimal(8), False, ("Bills", Decimal(7)), True)
    told = "".join(text for _, text in summing_up(spent, 0, 80))
    assert told == "since yesterday $8.00 (largest: Bills $7.00)"


@pytest.mark.parametrize("room", range(0, 90, 7))
def test_no_sign_of_the_legend_stands_without_its_word(room: int) -> None:
    words = [text.strip() for _, text in legend(room)]
    assert all(words[1::3])
    assert sum(len(text) for _, text in legend(room)) <= room


def test_the_legend_names_the_signs_of_the_row_under_the_cursor_also_where_few_fit() -> None:
    def said(row: str) -> str:
        return "".join(text for _, text in legend(49, row))

    usual = "■ compression fails  ▲ near limit, refused, lossy"
    assert said("") == said("▲ 8 h  Split the tenant settings") == usual
    assert said("■ 4 h  Why is the deploy slow  0 ✗") == "■ compression fails  ✗ failed"
    assert said("1 d  ├ Pick a job queue ↳2") == "■ compression fails  ├ branch  ↳ sub-agent"


async def test_what_the_mark_beside_a_failure_means_stands_below_a_narrow_list(
    app: MakeApp, sample_home: Path
) -> None:
    async with settled(running := app(sample_home), 80, 24) as pilot:
        foot = screen(running).query_one("#foot", StatusLine)
        while NO_SUMMARY not in drawn_row(screen(running).listing):
            assert ("ink-muted", NO_SUMMARY) not in foot.left
            await press(pilot, "down")
        assert ("ink-muted", NO_SUMMARY) in foot.left


def test_where_there_is_little_room_the_home_is_called_by_its_last_folder() -> None:
    place = Location(Path("/somewhere/deep/below/hermes/state.db"), Path("/somewhere/deep/below/hermes"))
    wide, narrow = ("".join(text for _, text in header([place], 12, width)) for width in (140, 66))
    assert "/somewhere/deep/below/hermes · 12 conversations" in wide
    assert narrow == "…/hermes · 12 conversations"


async def test_conversations_that_cannot_be_read_are_not_counted_as_none(
    app: MakeApp, home: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"text, not a database" * 40)
    told = []
    for places in ((broken,), (home, broken)):
        async with settled(running := app(*places), 100, 30):
            head = screen(running).query_one("#head", StatusLine)
            told.append("".join(text for _, text in head.left))
    assert told[0].endswith(" · unreadable")
    assert re.search(r" · ≥[1-9]\d* conversations$", told[1])
