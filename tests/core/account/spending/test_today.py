"""What was spent today: sessions that began today, and a sign when more is hidden."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

from core.account.spending.budget import Today, spent_lately, spent_today
from core.account.spending.ledger import collect
from core.store.store import Store
from tests.core.store.database import SessionDatabase

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def today(
    tmp_path: Path,
    *sessions: tuple[datetime, float | None, datetime | None],
    zone: str = "UTC",
    asked: Callable[..., Today] = spent_today,
) -> Today:
    """Of a store with sessions that began, cost, and were written to at some moments."""
    path = tmp_path / "state.db"
    with SessionDatabase(path) as database:
        for number, (began, usd, spoke) in enumerate(sessions):
            name = database.session(
                f"s{number}",
                started_at=began.timestamp(),
                model="nobody/knows-this",
                input_tokens=100,
                estimated_cost_usd=usd,
            )
            if spoke is not None:
                database.message(name, "assistant", "hi", timestamp=spoke.timestamp())
    with Store(path) as store:
        return asked([store], now=NOON, zone=ZoneInfo(zone))


def test_only_sessions_that_began_today_count(tmp_path: Path) -> None:
    found = today(tmp_path, (NOON, 1.25, None), (NOON - timedelta(days=1), 4.0, None))
    assert (found.usd, found.at_least) == (Decimal("1.25"), False)


def test_a_day_begins_at_midnight_where_the_user_is(tmp_path: Path) -> None:
    late = NOON.replace(hour=0, minute=30)  # half past one in Berlin, the evening before in New York
    assert today(tmp_path, (late, 2.0, None)).usd == 2
    (tmp_path / "b").mkdir()
    found = today(tmp_path / "b", (late, 2.0, None), zone="America/New_York")
    assert (found.usd, found.since) == (Decimal(0), datetime(2026, 11, 21, 5, 0, tzinfo=UTC))


def test_what_has_no_price_makes_it_a_lower_bound(tmp_path: Path) -> None:
    found = today(tmp_path, (NOON, 1.0, None), (NOON, None, None))
    assert (found.usd, found.at_least) == (Decimal(1), True)


def test_where_nothing_has_a_price_the_money_is_unknown_and_not_nothing(tmp_path: Path) -> None:
    assert today(tmp_path, (NOON, None, None)).known is None
    (tmp_path / "b").mkdir()
    assert today(tmp_path / "b", (NOON - timedelta(days=1), 4.0, None)).known == 0


def test_the_largest_is_found_among_recorded_and_computed_costs_and_named_as_in_lists(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with SessionDatabase(path) as database:
        at = NOON.timestamp()
        database.session("cheap", started_at=at, model="gpt-5.2", input_tokens=100, estimated_cost_usd=0.5)
        database.session(
            "dear", started_at=at, model="gpt-5.2", billing_provider="openai", input_tokens=9_000_000
        )
        database.message("dear", "user", "Read every file")
    with Store(path) as store:
        found = spent_today([store], now=NOON, zone=ZoneInfo("UTC"))
    assert found.usd > 1
    assert found.largest == ("Read every file", found.usd - Decimal("0.5"))


def test_a_session_of_yesterday_that_continues_makes_it_a_lower_bound(tmp_path: Path) -> None:
    yesterday = NOON - timedelta(days=1)
    assert today(tmp_path, (yesterday, 1.0, NOON)).at_least is True
    (tmp_path / "b").mkdir()
    assert today(tmp_path / "b", (yesterday, 1.0, yesterday)).at_least is False


def test_where_all_that_runs_today_began_yesterday_what_was_spent_since_then_is_told(tmp_path: Path) -> None:
    yesterday = NOON - timedelta(days=1)
    found = today(tmp_path, (yesterday, 1.0, NOON), asked=spent_lately)
    assert (found.usd, found.at_least, found.since) == (Decimal(1), False, datetime(2026, 11, 20, tzinfo=UTC))
    assert found.since_yesterday
    (tmp_path / "b").mkdir()
    begun = today(tmp_path / "b", (yesterday, 1.0, NOON), (NOON, 2.0, None), asked=spent_lately)
    assert (begun.usd, begun.at_least, begun.since_yesterday) == (Decimal(2), True, False)
    (tmp_path / "c").mkdir()
    old = today(tmp_path / "c", (NOON - timedelta(days=9), 1.0, NOON), asked=spent_lately)
    assert (old.known, old.since_yesterday) == (None, False)


def test_a_ledger_of_the_day_has_the_same_lower_bound_and_says_why(tmp_path: Path) -> None:
    today(tmp_path, (NOON - timedelta(days=1), 1.0, NOON), (NOON, 2.0, None))
    with Store(tmp_path / "state.db") as store:
        found = collect([store], since=NOON - timedelta(hours=12), zone=UTC).ledger()
        whole = collect([store]).ledger()
    assert (found.lower_bound, whole.lower_bound) == (True, False)
    assert found.notes[0].startswith("1 session began before this period and went on; ")
