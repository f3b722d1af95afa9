"""Whole conversations explained from log and rows, or from what is left of them."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.explain.events import explain
from core.explain.turns.replay import replay_turns
from core.hermes.markers.markers import SummaryMatch, find_summary
from core.model.compaction.event import Trigger
from core.model.finding import Verdict
from core.model.transcript.conversation import BoundaryMode
from core.support.own_files import cache_directory
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG, Home, compacted, explained, only
from tests.core.store.database import LONG_SUMMARY

TRUTH = {54828: Trigger.PRE_API, 40000: Trigger.PAYLOAD_TOO_LARGE, 28511: Trigger.MANUAL}


def _story(home: Home) -> None:
    """Two compactions, one before a call and one by a refusal, and a command."""
    home.db.session("S")
    home.turn()
    home.talk(7)
    home.call(6, 52_000)
    home.pre_api(54_828)
    home.started(54_828, 28)
    compacted(home)
    home.call(7, 20_000)
    home.talk(4)
    home.refused("HTTP 413: Request Entity Too Large")
    home.started(40_000, 24)
    home.compact()
    home.done(24, 8, 4_000)
    home.call(8, 20_000)
    home.turn_ended()
    home.talk(4)
    home.started(28_511, 24, focus="auth", tag=None)
    home.compact()
    home.done(24, 8, 4_000, tag=None)


@pytest.fixture
def story(make_home: MakeHome) -> Home:
    home = make_home()
    _story(home)
    return home


def test_the_whole_story_is_reported(story: Home) -> None:
    events = explained(story).events
    assert [(event.tokens, event.trigger) for event in events] == list(TRUTH.items())
    assert all(event.verdict is Verdict.PROVED for event in events)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_log_never_proves_what_is_false(story: Home, data: st.DataObject) -> None:
    log = story.path / "logs" / "agent.log"
    whole = log.with_suffix(".whole")
    if not whole.exists():
        log.rename(whole)
    lines = whole.read_text("utf-8").splitlines()
    damage = data.draw(st.sampled_from(["drop", "tear", "double", "shuffle", "split", "join"]))
    picks = data.draw(st.lists(st.integers(0, len(lines) - 1), min_size=1, max_size=8, unique=True))
    log.write_text("\n".join(_damaged(lines, damage, picks, data)) + "\n", "utf-8")
    # What was kept of the log damaged otherwise is of another file.
    rmtree(cache_directory() / "logs", ignore_errors=True)
    events = explained(story).events
    assert sum(event.completed for event in events) == 3
    for event in events:
        if event.verdict is Verdict.PROVED and event.tokens in TRUTH:
            assert event.trigger is TRUTH[event.tokens]


def _damaged(lines: list[str], damage: str, picks: list[int], data: st.DataObject) -> list[str]:
    if damage == "drop":
        return [line for i, line in enumerate(lines) if i not in picks]
    if damage == "tear":
        cut = data.draw(st.integers(1, 120))
        return [line[:cut] if i in picks else line for i, line in enumerate(lines)]
    if damage == "double":
        return [line for i, line in enumerate(lines) for _ in range(2 if i in picks else 1)]
    if damage == "split":
        return lines[picks[0] :] + lines[: picks[0]]
    if damage == "join":
        return [
            line + (lines[i + 1] if i in picks and i + 1 < len(lines) else "") for i, line in enumerate(lines)
        ]
    return data.draw(st.permutations(lines))


@pytest.mark.shared
def test_real_homes_are_reported_as_their_labels_say(tmp_path: Path) -> None:
    import json
    import tarfile

    from core.store.database.locate import locate
    from core.store.store import Store
    from tests.shared import shared

    labels = json.loads(shared("truth/labels.json").read_text("utf-8"))
    with tarfile.open(shared("truth/runs.tar.xz")) as archive:
        archive.extractall(tmp_path, filter="data")
    checked = 0
    for key, label in labels.items():
        found = next(iter(sorted(tmp_path.rglob(f"{key}/home"))), None)
        if found is None:
            continue
        with Store(locate(home=found)[0]) as store:
            events = explain(store, label["events"][0]["session"]).events
        told = [(e.trigger.value, e.tokens, e.messages_before, e.messages_after, e.completed) for e in events]
        truth = [
            (e["trigger"], e["tokens"], e["messages_before"], e["messages_after"], e["done"])
            for e in label["events"]
        ]
        assert told == truth, key
        checked += 1
    assert checked == len(labels)


def test_a_gateway_that_went_by_the_number_of_messages_says_so(home: Home) -> None:
    text = "Session hygiene: 46 messages, ~13,000 tokens (actual) — auto-compressing"
    home.line(f"{text} (threshold: 85% of 64,000 = 54,400 tokens)", tag=None, logger="gateway.run")
    home.started(13_000, 28, tag=None)
    compacted(home)
    event = only(home)
    assert event.explanation.startswith("The gateway found too many messages")
    assert event.explanation.endswith(": 46, with about 13,000 tokens.")
    assert "the gateway steps in at 85% of 64,000 = 54,400" in event.arithmetic
    assert "13,000 < 54,400, so the number of messages decided" in event.arithmetic
    assert any(step.startswith("46 messages < 5,000") for step in event.arithmetic)


def test_a_rewrite_whose_rows_a_later_one_destroyed_is_not_a_contradiction(home: Home) -> None:
    home.db.mark(home.db.live("S")[:1], content=f"{LONG_SUMMARY} two\n## Goal\nship")
    home.started(60_000, 28)
    home.done(28, 8, 4_000)
    home.db.tick(3600)
    home.db.mark(home.db.live("S")[:1], timestamp=home.db.tick(1))
    events = explained(home).events
    assert [event.mode for event in events] == [BoundaryMode.REWRITE] * 2
    told = [words for event in events for words in event.disagreements]
    assert not any("reports a new transcript" in words for words in told)
    texts = [one.text for event in events for one in event.evidence]
    assert any("the rows it replaced are gone" in text for text in texts)


def test_rows_alone_say_that_the_threshold_at_the_time_is_lost_when_config_was_changed(home: Home) -> None:
    (home.path / "logs" / "agent.log").unlink()
    home.compact()
    edited = home.db.tick(5)
    os.utime(home.path / "config.yaml", (edited, edited))
    home.db.tick(60)
    home.db.turn("S", "later")
    event = only(home)
    assert (event.window, event.threshold) == (None, None)


@pytest.mark.parametrize(("in_place", "release"), [("true", "0.17"), ("false", "0.18")])
def test_a_rotation_where_rows_are_replaced_in_place_was_the_work_of_an_older_release(
    begun: MakeHome, monkeypatch: pytest.MonkeyPatch, in_place: str, release: str
) -> None:
    def written_by_either(text: str) -> SummaryMatch | None:
        match = find_summary(text)
        return replace(match, releases=("0.17", "0.18")) if match is not None else None

    monkeypatch.setattr("core.explain.context.rows.boundary_rows.find_summary", written_by_either)
    home = begun("0.18", config=f"{CONFIG}compression:\n  in_place: {in_place}\n")
    home.talk(7)
    home.db.rotate("S", "S2", 3, 4, "x")
    assert only(home).release == release


def test_where_the_clock_was_set_back_rows_and_lines_are_reported_in_their_own_order(
    make_home: MakeHome,
) -> None:
    home = make_home()
    home.db.session("S")
    for pause in (0, -7200, 7200):
        home.db.tick(pause)
        home.turn()
        home.talk(7)
        home.call(1, 52_000)
        home.pre_api(54_828)
        live = len(home.db.live("S"))
        home.started(54_828, live)
        compacted(home, before=live)
        home.talk(1)
    found = explained(home)
    assert [event.verdict for event in found.events] == [Verdict.PROVED] * 3
    assert [event.generation for event in found.events] == [1, 2, 3]
    assert any("the clock was set back" in note for note in found.notes)


def test_a_compaction_in_a_turn_during_which_the_clock_was_set_back_belongs_to_that_turn(
    make_home: MakeHome,
) -> None:
    home = make_home()
    home.db.session("S")
    for pause in (0, -3600):
        home.turn()
        home.talk(7)
        home.call(1, 55_000)
        home.db.tick(pause)
        live = len(home.db.live("S"))
        home.started(55_000, live)
        compacted(home, before=live)
        home.talk(1)
    with home.store() as store:
        found = explain(store, "S")
        turns = replay_turns(found.context, found.events)
    assert sorted(event for turn in turns for event in turn.events) == [0, 1]


def test_an_exchange_absorbed_after_a_turn_is_reported_by_its_line(make_home: MakeHome) -> None:
    home = make_home("0.22", f"{CONFIG}compression:\n  micro_compact: true\n")
    home.db.session("S")
    home.turn()
    home.talk(7)
    home.compact()
    values = {"messages_before": 28, "messages_after": 8, "outcome": "absorbed", "session_id": "S"}
    record = {
        **values,
        "aux_model": "",
        "threshold_tokens": 54_400,
        "tokens_after": 900,
        "tokens_before": 4_800,
    }
    home.line(f"micro compaction telemetry: {json.dumps(record, sort_keys=True, separators=(',', ':'))}")
    event = only(home)
    assert (event.trigger, event.verdict, event.tokens) == (Trigger.MICRO, Verdict.PROVED, 4_800)
    assert (event.messages_before, event.messages_after, event.tokens_after) == (28, 8, 900)
    (home.path / "logs" / "agent.log").unlink()
    assert (only(home).trigger, only(home).verdict) == (Trigger.MICRO, Verdict.SUSPECTED)


@pytest.mark.parametrize("prunes", [0, 15_000])
def test_results_shortened_without_a_summary_are_no_compaction_of_a_refused_request(
    make_home: MakeHome, prunes: int
) -> None:
    home = make_home("0.22", f"{CONFIG}compression:\n  proactive_prune_tokens: {prunes}\n")
    home.db.session("S")
    home.turn()
    home.talk(7)
    home.started(54_828, before=28)
    compacted(home)
    home.db.turn("S", "more")
    live = home.db.live("S")
    home.db.mark(live, active=0, compacted=1)
    for row in live:
        home.db.copy(row)
    home.db.turn("S", "later")
    first, second = explained(home).events
    assert first.tokens == 54_828
    assert (second.trigger is Trigger.PRUNE) == bool(prunes)
    assert not prunes or second.messages_before == second.messages_after


def test_lines_of_the_second_of_two_compactions_soon_after_each_other_are_not_given_to_the_first(
    home: Home,
) -> None:
    compact(home, tail=4)
    home.talk(1)
    live = len(home.db.live("S"))
    home.started(55_000, live)
    home.compact(tail=5)
    home.done(live, 9, 4_000)
    first, second = explained(home).events
    assert (first.tokens, second.tokens) != (55_000, None)
    assert (second.tokens, second.disagreements) == (55_000, ())


def compact(home: Home, tail: int) -> None:
    """A compaction without a log line."""
    home.compact(tail=tail)
    home.db.tick(1)


def test_after_a_pause_what_was_compared_is_a_floor_and_no_threshold(begun: MakeHome) -> None:
    """Run with 0.20.6."""
    home = begun("0.22", config=f"{CONFIG}compression:\n  threshold: 0.9\n")
    home.turn()
    home.talk(7)
    home.call(3, 40_000)
    home.line("Idle compaction: 26s idle >= 12s, ~40,868 tokens > 10,880 floor (session S)")
    home.started(40_868, 28)
    compacted(home)
    home.call(4, 5_000)
    event = only(home)
    assert (event.trigger, event.verdict, event.tokens) == (Trigger.IDLE, Verdict.PROVED, 40_868)
    assert event.threshold == 57_600
    assert event.disagreements == ()
    assert event.headline.sentence.startswith("Compressed after a pause (compression.idle_compact")
