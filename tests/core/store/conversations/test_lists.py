from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from core.errors import NotFoundError, UsageError
from core.model.accounting.amounts import Buckets
from core.model.transcript.session import Kind, ListQuery
from core.store.conversations.sort_order import SORTS
from core.store.store import Store
from tests.core.store.database import RELEASES, SessionDatabase

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]


def some(make: Make) -> SessionDatabase:
    database = make("0.19")
    database.session(
        "alpha", title="Fix the build", model="m-1", source="cli", input_tokens=10, output_tokens=1
    )
    database.session(
        "beta", title="Write docs", model="m-2", source="telegram", input_tokens=500, output_tokens=9
    )
    database.session(
        "gamma", ended_at=database.tick(), end_reason="compression", input_tokens=7, cache_read_tokens=1
    )
    database.session(
        "gamma2",
        parent_session_id="gamma",
        title="Long talk",
        input_tokens=5,
        estimated_cost_usd=0.1,
        message_count=3,
    )
    database.session(
        "helper", parent_session_id="beta", model_config='{"_delegate_from": "beta"}', source="cli"
    )
    return database


def roots(store: Store, **query: Any) -> list[str]:
    return [row.root.id for row in store.conversations(ListQuery(**query)).rows]


def test_one_row_a_conversation_newest_first(make: Make, opened: Opened) -> None:
    page = opened(some(make)).conversations()
    assert [row.root.id for row in page.rows] == ["helper", "gamma", "beta", "alpha"]
    assert page.total == 4
    talk = page.rows[1]
    assert [session.id for session in talk.sessions] == ["gamma", "gamma2"]
    assert talk.title == "Long talk"
    assert talk.tokens == Buckets(input=12, cache_read=1, cache_write=0, output=0, reasoning=0)
    assert talk.cost.usd == Decimal("0.1")
    assert page.rows[2].delegates == 1


def test_pages_filters_and_kinds(make: Make, opened: Opened) -> None:
    store = opened(some(make))
    assert roots(store, limit=2, offset=1) == ["gamma", "beta"]
    assert store.conversations(ListQuery(limit=2)).total == 4
    assert roots(store, source="telegram") == ["beta"]
    assert roots(store, text="BUILD") == ["alpha"]
    assert roots(store, text="gamma2") == ["gamma"]
    assert roots(store, text="'; DROP TABLE sessions") == []
    assert roots(store, kinds=[Kind.DELEGATE]) == ["helper"]
    newest = max(row.tip.last_active for row in store.conversations().rows if row.tip.last_active)
    assert roots(store, since=newest) == ["helper"]
    assert roots(store, since=datetime.now(UTC) + timedelta(days=9999)) == []


def test_capitals_of_any_script_are_found_and_sorted(make: Make, opened: Opened) -> None:
    database = make("0.19")
    for one, title in (("t", "Ölpreis"), ("u", "ölpreis morgen"), ("v", "Über den Ölpreis")):
        database.session(one, title=title)
    store = opened(database)
    for text in ("Öl", "öl"):
        assert store.sessions(ListQuery(text=text, sort="title")).total == 3
    assert [row.session.id for row in store.sessions(ListQuery(sort="title")).rows] == ["t", "u", "v"]
    assert store.resolve("öLPREIS").id == "t"
    assert store.resolve("über").id == "v"


def test_lists_are_sorted_by_what_is_asked(make: Make, opened: Opened) -> None:
    store = opened(some(make))
    assert roots(store, sort="tokens")[:2] == ["beta", "gamma"]
    assert roots(store, sort="title")[:3] == ["alpha", "gamma", "beta"]
    for sort in SORTS:
        assert store.conversations(ListQuery(sort=sort)).total == 4
        assert store.sessions(ListQuery(sort=sort)).total == 5
    with pytest.raises(UsageError, match="sort"):
        store.conversations(ListQuery(sort="colour"))


def test_the_hit_rate_of_a_conversation_is_that_of_its_sessions_together(make: Make, opened: Opened) -> None:
    database = make()
    usage = {"started_at": 1.0, "input_tokens": 10, "cache_write_tokens": 0}
    database.session("half", cache_read_tokens=10, **usage)
    database.session("none", cache_read_tokens=0, **usage)
    database.session("first", cache_read_tokens=90, ended_at=2.0, end_reason="compression", **usage)
    database.session("second", parent_session_id="first", cache_read_tokens=0, **{**usage, "started_at": 3.0})
    database.session("negative", cache_read_tokens=-5, **usage)
    database.session("unknown", started_at=1.0)
    page = opened(database).conversations(ListQuery(sort="hit"))
    rates = [row.tokens.hit_rate for row in page.rows]
    assert [row.root.id for row in page.rows] == ["first", "half", "none", "negative", "unknown"]
    assert rates == [90 / 110, 0.5, 0.0, None, None]
    listed = opened(database).sessions(ListQuery(sort="hit"))
    assert [entry.session.id for entry in listed.rows][:2] == ["first", "half"]
    assert listed.rows[-1].session.id == "unknown"


def test_conversations_are_found_by_any_of_their_sessions(make: Make, opened: Opened) -> None:
    store = opened(some(make))
    found = store.conversations_of(["gamma2", "nobody", "alpha", "gamma"])
    assert [row.root.id for row in found] == ["gamma", "alpha"]
    assert store.conversations_of([]) == ()


def test_every_session_knows_its_conversation(make: Make, opened: Opened) -> None:
    page = opened(some(make)).sessions(ListQuery(limit=3))
    assert page.total == 5
    places = {
        row.session.id: (row.kind.value, row.root, row.tip, row.position, row.sessions) for row in page.rows
    }
    assert places == {
        "helper": ("delegate", "helper", "helper", 0, 1),
        "gamma2": ("continuation", "gamma", "gamma2", 1, 2),
        "gamma": ("main", "gamma", "gamma2", 0, 2),
    }


def test_the_loser_of_a_fork_and_a_circle_are_listed_too(make: Make, opened: Opened) -> None:
    database = some(make)
    database.session("rival", parent_session_id="gamma", ended_at=database.tick(), end_reason="idle_timeout")
    database.session("x", parent_session_id="y", ended_at=database.tick(), end_reason="compression")
    database.session("y", parent_session_id="x", ended_at=database.tick(), end_reason="compression")
    page = opened(database).conversations()
    listed = [one.id for row in page.rows for one in row.sessions]
    assert sorted(listed) == ["alpha", "beta", "gamma", "gamma2", "helper", "rival", "x", "y"]
    assert opened(database).conversation("rival").tip.id == "rival"


@pytest.mark.parametrize("release", RELEASES)
def test_every_release_can_be_listed(make: Make, opened: Opened, release: str) -> None:
    database = make(release)
    database.session("s", title="t", input_tokens=3)
    database.turn("s", "1")
    store = opened(database)
    row = store.conversations(ListQuery(text="t", source="cli")).rows[0]
    assert row.tokens.input == 3
    assert (row.tokens.cache_read is None) == (release == "0.2")
    assert row.tip.guards.fallback_streak == (0 if release in ("0.19", "0.22") else None)
    assert store.conversation("s").generations[0].fresh == 4
    assert store.chain("s").nodes[0].generations == 1
    assert store.thread_generation_counts(["s"])[0].generations == 1
    assert store.health().schema_version is not None
    assert store.search("answer").hits


def test_damaged_session_rows_are_listed_with_their_damage(make: Make, opened: Opened) -> None:
    database = make()
    database.session("ok")
    database.session(
        "bad", model_config="{", input_tokens="many", estimated_cost_usd="much", started_at="then"
    )
    database.session("odd", started_at=float("1e18"), title=b"\xff", message_count=2.5)
    rows = {row.root.id: row.root for row in opened(database).conversations().rows}
    assert rows["ok"].damage == ()
    assert set(rows["bad"].damage) == {
        "started_at is not a time",
        "model_config is not valid JSON",
        "input_tokens is not a whole number",
        "estimated_cost_usd is not an amount",
    }
    assert len(rows["odd"].damage) == 3
    assert opened(database).health().damage["model_config is not valid JSON"] == 1


def test_a_session_without_recorded_tokens_is_a_lower_bound(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s", message_count=4)
    assert opened(database).conversations().rows[0].lower_bound


def test_a_text_names_a_session(make: Make, opened: Opened) -> None:
    store = opened(some(make))
    assert store.resolve("gamma").id == "gamma"
    assert store.resolve("gamma2").id == "gamma2"
    assert store.resolve("al").id == "alpha"
    assert store.resolve("write DOCS").id == "beta"
    assert store.resolve("latest").id == "helper"


def test_the_surest_meaning_of_a_text_that_fits_one_session_alone_counts(make: Make, opened: Opened) -> None:
    database = make()
    for name, title in (("same-1", "Deploy"), ("same-2", "DEPLOY"), ("same-3", "same"), ("deep", "gone")):
        database.session(name, title=title)
    store = opened(database)
    assert store.resolve("Deploy").id == "same-1"
    assert store.resolve("DEPLOY").id == "same-2"
    assert store.resolve("same").id == "same-3"
    with pytest.raises(UsageError, match="same-1, same-2"):
        store.resolve("deploy")


def test_a_text_that_names_nothing_gets_suggestions(make: Make, opened: Opened) -> None:
    store = opened(some(make))
    with pytest.raises(NotFoundError, match="Did you mean alpha"):
        store.resolve("alhpa")
    with pytest.raises(NotFoundError, match="alpha"):
        store.resolve("build")
    with pytest.raises(NotFoundError):
        store.resolve("")
    with pytest.raises(UsageError, match="gamma, gamma2"):
        store.resolve("ga")
    with pytest.raises(NotFoundError):
        store.resolve("%")
    with pytest.raises(NotFoundError):
        store.session("al")


def test_an_empty_store_has_no_latest(make: Make, opened: Opened) -> None:
    with pytest.raises(NotFoundError, match="no sessions yet"):
        opened(make()).resolve("latest")
