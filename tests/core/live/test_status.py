"""How fast the newest session goes, and what its last hour cost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from core.account.pricing.price_book import open_book
from core.errors import NotFoundError
from core.explain.events import explain
from core.live.status import pace_of
from core.model.accounting.amounts import Buckets
from core.store.database.locate import LATEST, Location
from core.store.store import Store, resolve_in
from tests.core.live.writer import FIRST, Writer
from tests.core.store.database import SessionDatabase


def test_the_last_hour_counts_the_calls_of_that_hour_alone(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "home")
    writer.message()
    for prompt in (10_000, 12_000, 14_000):
        writer.call(prompt=prompt)
    now = FIRST.astimezone(UTC) + timedelta(minutes=1)
    with Store(Location(writer.home / "state.db", writer.home)) as store:
        ((_, session),), _ = resolve_in([store], LATEST)
        told = explain(store, session.id)
    soon, late = pace_of(told, now=now), pace_of(told, now=now + timedelta(hours=2))
    assert soon.hour is not None
    assert soon.hour.calls == 3
    assert soon.hour.usd is not None
    assert soon.hour.usd > 0
    assert late.hour is not None
    assert (late.hour.calls, late.hour.usd) == (0, Decimal(0))
    assert "at this pace" in soon.standing.sentence


def test_a_profile_without_sessions_has_no_say_in_which_is_the_newest(tmp_path: Path) -> None:
    writer, empty = Writer(tmp_path / "home"), tmp_path / "empty.db"
    writer.message()
    SessionDatabase(empty)
    with Store(Location(empty)) as none, Store(Location(writer.home / "state.db")) as one:
        found, errors = resolve_in([none, one], LATEST)
        assert found == [(one, one.resolve("s1"))]
        assert [type(error) for error in errors] == [NotFoundError]


def test_without_a_log_the_last_hour_is_unknown_and_not_free(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "home")
    writer.message()
    with Store(Location(writer.home / "state.db", writer.home)) as store:
        assert pace_of(explain(store, "s1"), now=datetime.now(UTC)).hour is None


def test_a_call_to_another_provider_is_not_priced_by_the_endpoint_of_the_session(tmp_path: Path) -> None:
    """A call answered by the user's own server costs nothing that the session's endpoint would charge."""
    writer = Writer(tmp_path / "home")
    columns = {"billing_provider": "openai", "billing_base_url": "https://api.openai.com/v1"}
    for name, value in columns.items():
        writer.database.connection.execute(f"UPDATE sessions SET {name} = ?", (value,))
    writer.message()
    counted = "in=9000 out=5 total=9005 latency=1.0s"
    writer.line(f"agent.conversation_loop: API call #1: model=gpt-5.2 provider=custom {counted}")
    with Store(Location(writer.home / "state.db", writer.home)) as store:
        told = explain(store, "s1")
    hour = pace_of(told, now=FIRST.astimezone(UTC) + timedelta(minutes=1)).hour
    assert hour is not None
    assert (hour.calls, hour.usd, hour.at_least) == (1, None, True)


def test_a_call_costs_what_its_hour_of_the_day_costs(tmp_path: Path) -> None:
    """DeepSeek's chat model was cheaper at night."""
    writer = Writer(tmp_path / "home")
    writer.message()
    writer.line(
        "agent.conversation_loop: API call #1: model=deepseek-chat provider=deepseek in=1000000 out=0 "
        "total=1000000 latency=1.0s"
    )
    with Store(Location(writer.home / "state.db", writer.home)) as store:
        told = explain(store, "s1")
    at = FIRST.astimezone(UTC)
    hour = pace_of(told, now=at + timedelta(minutes=1)).hour
    assert hour is not None
    cost = open_book().price(Buckets(1_000_000, 0, 0, 0), "deepseek-chat", "deepseek", at=at)
    assert cost is not None
    assert hour.usd == cost
