"""What a row of the list is marked with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.model.finding import NO_HEADLINE, Headline, Severity
from core.store.database.locate import Location
from inspector.screens.sessions.data.extras import measure, previews
from inspector.screens.sessions.data.order import Order
from inspector.screens.sessions.data.session_line import Extra
from inspector.screens.sessions.data.source import read_page
from inspector.widgets.charts.context_bar import ContextUse
from tests.core.store.database import SessionDatabase

_LATER = 4e9
_NEAR, _FAR = ContextUse(140_000, 150_000, 200_000), ContextUse(10, 150_000, 200_000)
_GATEWAYS_OWN = "hygiene compression deferred: turn-hold budget expired"


def measured(home: Path, database: SessionDatabase, **guards: Any) -> Extra:
    """What is computed for the conversation `plain` while its session stores these guards."""
    for column, value in guards.items():
        database.connection.execute(f"UPDATE sessions SET {column} = ? WHERE id = 'plain'", (value,))
    lines = read_page([Location(home / "state.db", home)], Order(), 0, 10).rows
    (line,) = (one for one in lines if one.row.tip.id == "plain")
    return dict(measure([line], lambda: False))[line.key]


@pytest.mark.parametrize(
    ("extra", "view"),
    [
        (Extra(_NEAR, severity=Severity.WARNING), "map"),
        (Extra(_NEAR, severity=Severity.CRITICAL), "why"),
        (Extra(_NEAR, severity=Severity.WARNING, happened=True), "why"),
        (Extra(_FAR, severity=Severity.WARNING), "why"),
        (Extra(_FAR, said=Headline("It lost 80% of the facts.", "Repeat them.", Severity.WARNING)), "why"),
        (Extra(_FAR, said=Headline("Compressed.")), None),
        (Extra(_FAR), None),
    ],
)
def test_a_row_opens_where_what_is_wrong_is_told(extra: Extra, view: str | None) -> None:
    assert extra.view_of_problem == view


@pytest.mark.parametrize(
    ("guards", "told"),
    [
        ({"compression_failure_cooldown_until": _LATER}, "paused until"),
        ({"compression_fallback_streak": 2}, "the last 2 summaries were fallbacks"),
    ],
)
def test_a_row_whose_next_compaction_is_refused_is_marked_and_says_so(
    home: Path, database: SessionDatabase, guards: dict[str, Any], told: str
) -> None:
    found = measured(home, database, **guards)
    assert found.severity is Severity.WARNING
    assert told in found.answer.sentence


@pytest.mark.parametrize(
    "guards",
    [
        {"compression_fallback_streak": 1},
        {"compression_failure_cooldown_until": _LATER, "compression_failure_error": _GATEWAYS_OWN},
        {"compression_failure_cooldown_until": 1.0},
    ],
)
def test_a_row_that_its_release_would_compress_is_not_marked(
    home: Path, database: SessionDatabase, guards: dict[str, Any]
) -> None:
    found = measured(home, database, **guards)
    assert (found.severity, found.answer) == (None, NO_HEADLINE)


def test_compression_that_is_switched_off_is_no_failure_of_a_row(
    home: Path, database: SessionDatabase
) -> None:
    with (home / "config.yaml").open("a") as config:
        config.write("compression:\n  enabled: false\n")
    assert measured(home, database).severity is None


def test_a_conversation_whose_first_session_holds_no_words_goes_by_those_of_the_newest(
    tmp_path: Path,
) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.16") as database:
        database.session("first", end_reason="compression", ended_at=2.0)
        database.session("second", parent_session_id="first", started_at=3.0)
        database.message("second", "user", "Why is the build slow?")
    lines = read_page([Location(tmp_path / "state.db", tmp_path)], Order(), 0, 10).rows
    assert list(previews(lines, lambda: False).values()) == ["Why is the build slow?"]
