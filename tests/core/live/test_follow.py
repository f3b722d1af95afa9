"""Following a store: every event once, whatever becomes of its files."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from datetime import timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.live.alerts import Limits
from core.live.event import LiveEvent, LiveKind
from core.live.follow import Follower
from core.store.database.locate import Location
from tests.core.live.writer import FIRST, Writer


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    found = Writer(tmp_path / "home")
    yield found
    found.database.connection.close()


def begun(writer: Writer, limits: Limits | None = None) -> Follower:
    follower = Follower(Location(writer.home / "state.db", writer.home), limits or Limits())
    follower.begin()
    return follower


def rows(events: list[LiveEvent]) -> list[int]:
    return [event.facts["row"] for event in events if event.kind is LiveKind.MESSAGE]


def prompts(events: list[LiveEvent]) -> list[int]:
    return [event.facts["prompt"] for event in events if event.kind is LiveKind.CALL]


def test_what_was_there_before_is_not_reported(writer: Writer) -> None:
    writer.message()
    writer.call()
    follower = begun(writer)
    assert follower.look() == ()
    writer.message()
    assert rows(list(follower.look())) == writer.wrote[1:]
    assert follower.look() == ()


def test_a_message_of_no_time_at_all_is_reported_as_the_rest_are(writer: Writer) -> None:
    follower = begun(writer)
    writer.database.message("s1", "user", "hello", timestamp=1e20)
    (found,) = follower.look()
    assert (found.kind, found.at) == (LiveKind.MESSAGE, None)
    writer.message()
    assert rows(list(follower.look())) == writer.wrote


def test_a_row_without_a_number_for_an_id_keeps_no_other_from_being_reported(writer: Writer) -> None:
    writer.message()
    writer.database.loosen("id = 'x7'")
    follower = begun(writer)
    writer.database.connection.execute(
        "INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (5, 's1', 'user', 'on', 1.0)"
    )
    assert rows(list(follower.look())) == [5]


def test_nothing_is_opened_while_no_file_changes(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    writer.message()
    follower = begun(writer)
    follower.look()
    monkeypatch.setattr("core.live.follow.Store", lambda *_: pytest.fail("the database was opened"))
    assert follower.look() == ()


STEPS = (
    *("message", "call", "rotate", "rotate_by_copy", "checkpoint", "vacuum", "replace"),
    *("away", "look", "resume"),
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(st.sampled_from(STEPS), min_size=3, max_size=25))
def test_every_row_and_line_is_reported_once_whatever_happens_to_the_files(
    steps: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    writer = Writer(tmp_path_factory.mktemp("followed") / "home")
    writer.message()
    writer.call()
    told, calls = len(writer.wrote), len(writer.called)
    follower = begun(writer)
    found: list[LiveEvent] = []
    rotations = 0
    for step in steps:
        if step in ("look", "resume"):
            found += follower.look()
            rotations = 0
        if step == "away":
            away = writer.home.rename(writer.home.with_name("away"))
            assert follower.look() == ()
            away.rename(writer.home)
        elif step == "resume":
            state = follower.saved()
            follower = Follower(follower.place)
            follower.restore(state)
        elif step.startswith("rotate"):
            if writer.log.exists() and writer.log.stat().st_size and rotations < 1:
                getattr(writer, step)()
                rotations += 1  # what is rotated out of sight between two looks is lost to anybody
        elif step != "look":
            getattr(writer, step)()
    found += follower.look()
    writer.database.connection.close()
    assert rows(found) == writer.wrote[told:]
    assert prompts(found) == writer.called[calls:]
    assert len({one.key for one in found}) == len(found)


def test_a_backup_that_is_put_back_doubles_nothing_and_loses_nothing(writer: Writer) -> None:
    writer.message("one")
    follower = begun(writer)
    writer.message("two")
    copy = writer.back_up()
    writer.message("gone")
    told = rows(list(follower.look()))
    writer.restore(copy)
    writer.message("in its place")
    again = follower.look()
    assert told == [2, 3]
    assert rows(list(again)) == [3]
    assert follower.look() == ()


def test_another_store_in_its_place_says_what_is_written_from_then_on(writer: Writer, tmp_path: Path) -> None:
    for _ in range(5):
        writer.message()
    follower = begun(writer)
    other = Writer(tmp_path / "other")
    other.message("older than all that was told")
    other.database.tick(100)
    other.message("new")
    copy = other.back_up()
    other.database.connection.close()
    writer.restore(copy)
    assert rows(list(follower.look())) == [2]
    assert follower.look() == ()


def test_a_home_that_goes_and_comes_back_loses_nothing(writer: Writer) -> None:
    follower = begun(writer)
    writer.message()
    writer.call()
    writer.checkpoint()
    away = writer.home.with_name("away")
    writer.home.rename(away)
    assert follower.look() == ()
    assert "no such database" in follower.problem
    away.rename(writer.home)
    found = list(follower.look())
    assert (rows(found), prompts(found), follower.problem) == (writer.wrote, writer.called, "")


def test_a_line_the_gateway_repeats_is_reported_once(writer: Writer) -> None:
    follower = begun(writer)
    writer.call()
    shutil.copy(writer.log, writer.log.with_name("gateway.log"))
    assert prompts(list(follower.look())) == writer.called


def test_half_a_line_waits_for_its_end(writer: Writer) -> None:
    writer.call()
    follower = begun(writer)
    writer.call()
    whole = writer.log.read_bytes()
    writer.log.write_bytes(whole[:-20])
    assert follower.look() == ()
    writer.log.write_bytes(whole)
    assert prompts(list(follower.look())) == writer.called[1:]


def test_a_log_whose_first_line_is_very_long_is_followed(writer: Writer) -> None:
    writer.line(f"agent.conversation_loop: {'an error in many words ' * 400}")
    follower = begun(writer)
    writer.call()
    assert prompts(list(follower.look())) == writer.called


@pytest.mark.parametrize("logged", [True, False])
def test_a_compaction_is_reported_once_by_its_rows_and_its_line(logged: bool, writer: Writer) -> None:
    for number in range(4):
        writer.database.turn("s1", str(number))
    follower = begun(writer)
    writer.database.compact("s1", head=2, tail=4, summary="all that was done")
    found = list(follower.look())
    if logged:
        writer.line(
            "agent.conversation_compression: context compression done: session=s1 messages=16->7 tokens=~900"
        )
        found += follower.look()
    found += (*follower.look(), *follower.rest())
    assert [one.kind for one in found] == [LiveKind.COMPACTION]
    assert found[0].facts["mode"] == "in_place"
    assert found[0].facts["headline"]


def test_a_compaction_only_the_log_describes_is_reported_after_a_while(writer: Writer) -> None:
    follower = begun(writer)
    writer.line(
        "agent.conversation_compression: context compression done: session=s1 messages=16->7 tokens=~900"
    )
    assert follower.look() == ()
    state = follower.saved()
    follower.restore(state)
    (found,) = follower.rest()
    assert (found.kind, found.facts["messages_before"]) == (LiveKind.COMPACTION, 16)
    assert follower.rest() == ()


def test_a_rotation_of_the_session_is_a_compaction(writer: Writer) -> None:
    for number in range(4):
        writer.database.turn("s1", str(number))
    follower = begun(writer)
    writer.database.rotate("s1", "s2", head=2, tail=4, summary="all that was done")
    found = follower.look()
    assert [(one.kind, one.session) for one in found] == [(LiveKind.COMPACTION, "s2")]


def test_a_cache_that_is_lost_is_reported_with_the_call_that_missed_it(writer: Writer) -> None:
    writer.message()
    for _ in range(3):
        writer.call(50_000, 49_000)
    follower = begun(writer)
    writer.call(50_100, 49_900)
    writer.call(50_200, 0)
    found = follower.look()
    breaks = [one for one in found if one.kind is LiveKind.CACHE_BREAK]
    assert prompts(list(found)) == [50_100, 50_200]
    assert [one.facts["tokens_lost"] > 40_000 for one in breaks] == [True]


def test_a_cache_that_is_lost_is_reported_where_a_log_is_of_another_zone(writer: Writer) -> None:
    """As where Hermes runs in a container, whose clock is UTC."""
    there = FIRST.replace(tzinfo=timezone(timedelta(hours=-9, minutes=-30)))
    for _ in range(3):
        writer.database.message("s1", "user", "hello", timestamp=there.timestamp())
        writer.call(50_000, 49_000)
    follower = begun(writer)
    writer.call(50_200, 0)
    breaks = [one for one in follower.look() if one.kind is LiveKind.CACHE_BREAK]
    assert [one.at and abs(one.at - there) < timedelta(seconds=1) for one in breaks] == [True]


def test_what_a_log_of_another_zone_tells_has_the_times_of_the_rows_beside_it(writer: Writer) -> None:
    there = FIRST.replace(tzinfo=timezone(timedelta(hours=-9, minutes=-30)))
    for _ in range(3):
        writer.database.message("s1", "user", "hello", timestamp=there.timestamp())
        writer.call()
    follower = begun(writer)
    writer.call()
    writer.line("agent.context_compressor: Summary generation failed - aborting compression", "WARNING")
    writer.database.message("s1", "assistant", "hello", timestamp=there.timestamp())
    found = follower.look()
    assert len(found) == 3
    assert [one.kind for one in found if one.at is None or abs(one.at - there) > timedelta(seconds=1)] == []


def test_a_failed_summary_is_a_failure(writer: Writer) -> None:
    follower = begun(writer)
    writer.line("agent.context_compressor: Summary generation failed - aborting compression", "WARNING")
    (found,) = follower.look()
    assert (found.kind, found.facts["what"]) == (LiveKind.FAILURE, "compaction")


def test_a_summary_that_fell_back_is_one_failure_though_two_lines_say_so(writer: Writer) -> None:
    follower = begun(writer)
    said = (
        "Summary generation failed — inserting deterministic fallback context summary",
        "Compaction completed with a deterministic fallback summary. fallback_compression_streak=1",
    )
    for text in said:
        writer.line(f"agent.context_compressor: {text}", "WARNING")
    (found,) = follower.look()
    assert (found.kind, found.facts["what"]) == (LiveKind.FAILURE, "summary")


def test_a_budget_is_reported_once_a_day(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.live.alerts.PAUSE", 0.0)
    follower = begun(writer, Limits(budget=Decimal(1)))
    writer.database.session("s9", model="x/y", started_at=time.time(), input_tokens=5, estimated_cost_usd=2.5)
    writer.message()
    writer.message()
    first = [one for one in follower.look() if one.kind is LiveKind.BUDGET]
    writer.message()
    again = [one for one in follower.look() if one.kind is LiveKind.BUDGET]
    assert [one.facts["spent_usd"] for one in first] == [Decimal("2.5")]
    assert again == []


def test_a_share_is_reported_when_it_is_passed(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.live.alerts.PAUSE", 0.0)
    (writer.home / "config.yaml").write_text("model:\n  default: gpt-5.2\n  context_length: 64000\n")
    follower = begun(writer, Limits(share=0.5))
    writer.message("x" * 400_000)
    (found,) = [one for one in follower.look() if one.kind is LiveKind.ALERT]
    assert found.facts["share"] >= 0.5
    writer.message("more")
    assert [one for one in follower.look() if one.kind is LiveKind.ALERT] == []


def test_a_share_of_a_limit_that_another_engine_did_not_name_is_not_reported(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.live.alerts.PAUSE", 0.0)
    (writer.home / "config.yaml").write_text(
        "model:\n  default: gpt-5.2\n  context_length: 64000\ncontext:\n  engine: lcm\n"
    )
    follower = begun(writer, Limits(share=0.5))
    writer.message("x" * 400_000)
    assert [one for one in follower.look() if one.kind is LiveKind.ALERT] == []
