from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.explain.events import explain
from core.explain.explanation import Explanation
from core.model.conversation import BoundaryMode
from core.model.event import CompressionEvent, SummaryStatus, Trigger
from core.model.evidence import Source, Verdict
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG, Home


def explained(home: Home, session: str = "S", **kwargs: str) -> Explanation:
    with home.store() as store:
        return explain(store, session, **kwargs)


def only(home: Home) -> CompressionEvent:
    (event,) = explained(home).events
    return event


def compacted(home: Home, *, before: int = 28) -> None:
    """Lines of an attempt around an in-place compaction of seven turns."""
    home.compact()
    home.done(before, 8, 4_000)


@pytest.fixture
def home(make_home: MakeHome) -> Home:
    home = make_home()
    home.db.session("S")
    home.turn(history=24)
    home.talk(7)
    return home


def test_a_check_before_a_call_is_proved_by_its_line(home: Home) -> None:
    home.call(6, 52_000)
    home.pre_api(54_828)
    home.started(54_828, 28)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict) == (Trigger.PRE_API, Verdict.PROVED)
    assert (event.tokens, event.threshold, event.window) == (54_828, 54_400, 64_000)
    assert (event.messages_before, event.messages_after, event.tokens_after) == (28, 8, 4_000)
    assert event.mode is BoundaryMode.IN_PLACE
    assert event.summary.status is SummaryStatus.MODEL
    assert "54,828 >= 54,400" in event.arithmetic
    assert next(e.where for e in event.evidence if e.source is Source.LOG).startswith("agent.log:")


def test_an_answered_call_of_the_same_size_proves_the_check_behind_it(home: Home) -> None:
    home.call(6, 60_000)
    home.started(60_000, 28)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict, event.tokens) == (Trigger.POST_RESPONSE, Verdict.PROVED, 60_000)
    assert event.threshold == 54_400


def test_an_answered_call_of_another_size_proves_nothing(home: Home) -> None:
    home.call(6, 60_000)
    home.started(31_000, 28)
    compacted(home)
    assert only(home).verdict is Verdict.SUSPECTED


@pytest.mark.parametrize(
    ("error", "trigger"),
    [
        ("HTTP 400: This model's maximum context length is 30000 tokens.", Trigger.OVERFLOW),
        ("HTTP 413: Request Entity Too Large", Trigger.PAYLOAD_TOO_LARGE),
        ("HTTP 429: Extra usage is required for long context requests.", Trigger.LONG_CONTEXT_TIER),
        ("HTTP 400: error", Trigger.OVERFLOW),
        ("server disconnected without sending a response", Trigger.OVERFLOW),
    ],
)
def test_a_refused_call_is_the_cause(home: Home, error: str, trigger: Trigger) -> None:
    home.call(6, 29_000)
    home.refused(error)
    home.started(30_805, 28)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict) == (trigger, Verdict.PROVED)


def test_calls_missing_from_the_log_take_the_proof_away(home: Home) -> None:
    home.call(3, 29_000)
    home.refused("HTTP 413: Request Entity Too Large")
    home.started(30_805, 28)
    compacted(home)
    home.call(9, 20_000)
    assert only(home).verdict is Verdict.SUSPECTED


def test_a_topic_proves_a_command(home: Home) -> None:
    home.call(7, 30_000)
    home.turn_ended()
    home.started(28_511, 28, focus="auth module", tag=None)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict, event.focus) == (Trigger.MANUAL, Verdict.PROVED, "auth module")


def test_outside_a_turn_it_was_a_command(home: Home) -> None:
    home.call(7, 30_000)
    home.turn_ended()
    home.started(28_511, 28, tag=None)
    compacted(home)
    assert (only(home).trigger, only(home).verdict) == (Trigger.MANUAL, Verdict.PROVED)


def test_the_gateways_own_line_names_hygiene(home: Home) -> None:
    text = "Session hygiene: 28 messages, ~55,000 tokens (actual) — auto-compressing"
    home.turn_ended()
    home.line(f"{text} (threshold: 85% of 64,000 = 54,400 tokens)", tag=None, logger="gateway.run")
    home.started(55_000, 28, tag=None)
    compacted(home)
    event = only(home)
    assert (event.trigger, event.verdict, event.threshold) == (Trigger.HYGIENE, Verdict.PROVED, 54_400)


def test_an_attempt_without_a_commit_is_told_as_aborted(home: Home) -> None:
    home.pre_api(54_828)
    home.started(54_828, 28)
    home.line("Summary generation failed with a network/connection error — aborting compression. 20 kept")
    event = only(home)
    assert (event.completed, event.summary.status, event.mode) == (False, SummaryStatus.ABORTED, None)
    assert (event.messages_before, event.messages_after, event.generation) == (28, None, None)


def test_a_fallback_is_known_by_its_own_words(home: Home) -> None:
    home.pre_api(54_828)
    home.started(54_828, 28)
    home.compact(summary="Summary generation was unavailable. 21 message(s) were removed")
    home.done(28, 8, 4_000)
    assert only(home).summary.status is SummaryStatus.FALLBACK


def test_telemetry_names_cause_and_numbers(make_home: MakeHome) -> None:
    home = make_home("0.22")
    home.db.session("S")
    home.turn(history=24)
    home.talk(7)
    home.call(6, 53_838)
    home.started(56_288, 28, tag=None)
    home.compact()
    home.done(28, 8, 16_836, tag=None)
    home.telemetry(
        trigger_source="post_tool",
        current_estimated_tokens=56_288,
        effective_threshold=54_400,
        main_context_limit=64_000,
        messages_before=28,
        messages_after=8,
        commit_status="committed",
        method="llm_summary",
        aux_model="small",
        total_duration_ms=412,
    )
    event = only(home)
    assert (event.trigger, event.verdict, event.tokens) == (Trigger.POST_RESPONSE, Verdict.PROVED, 56_288)
    assert (event.threshold, event.duration, event.summary.model) == (54_400, 0.412, "small")


def test_rotation_is_followed_into_the_new_session(make_home: MakeHome) -> None:
    home = make_home("0.17")
    home.db.session("S")
    home.turn(history=24)
    home.talk(7)
    home.call(6, 65_000)
    home.started(65_000, 28)
    home.stamp(home.db.rotate("S", "S2", 3, 4, "## Goal\nship"))
    home.done(28, 8, 4_000, session="S2")
    event = only(home)
    assert (event.mode, event.session, event.to_session) == (BoundaryMode.ROTATION, "S", "S2")
    assert (event.trigger, event.threshold) == (Trigger.POST_RESPONSE, 64_000)


@pytest.mark.parametrize("hours", [-8, 5.5, 9])
def test_a_log_from_another_time_zone_is_set_right(make_home: MakeHome, hours: float) -> None:
    home = make_home()
    home.shift = timedelta(hours=hours)
    home.db.session("S")
    home.turn()
    home.talk(7)
    home.pre_api(54_828)
    home.started(54_828, 28)
    compacted(home)
    explanation = explained(home)
    assert len(explanation.events) == 1
    event = explanation.events[0]
    assert event.at is not None
    assert abs(event.at.timestamp() - home.db.tick(0)) < 5
    assert event.verdict is Verdict.PROVED


def test_without_a_log_counts_stay_and_nothing_is_proved(home: Home) -> None:
    home.call(6, 60_000)
    home.started(60_000, 28)
    compacted(home)
    shutil.rmtree(home.path / "logs")
    explanation = explained(home)
    (event,) = explanation.events
    assert (event.messages_before, event.messages_after, event.mode) == (28, 8, BoundaryMode.IN_PLACE)
    assert event.verdict is not Verdict.PROVED
    assert any("no log line" in note for note in explanation.notes)


def test_without_a_log_size_and_last_message_tell_the_trigger(make_home: MakeHome) -> None:
    home = make_home()
    home.db.session("S")
    home.talk(6, size=40_000)
    home.db.message("S", "user", "and now?")
    home.compact(tail=5)
    event = only(home)
    assert (event.trigger, event.verdict) == (Trigger.PREFLIGHT, Verdict.DERIVED)
    assert event.tokens is not None
    assert event.tokens > 54_400


def test_without_a_log_a_small_transcript_inside_a_turn_was_refused(make_home: MakeHome) -> None:
    home = make_home()
    home.db.session("S")
    home.talk(6)
    home.db.message("S", "user", "go on")
    home.db.message("S", "assistant", "", calls=[("c", "terminal", "{}")])
    home.db.message("S", "tool", "out", tool_call_id="c", tool_name="terminal")
    home.compact(tail=5)
    assert (only(home).trigger, only(home).verdict) == (Trigger.OVERFLOW, Verdict.SUSPECTED)


def test_where_it_stands_counts_down_to_the_threshold(home: Home) -> None:
    home.call(7, 50_000)
    now = explained(home).now
    assert (now.tokens, now.threshold, now.window, now.headroom) == (50_000, 54_400, 64_000, 4_400)
    assert now.blocked_by == ()


def test_what_blocks_is_named(make_home: MakeHome) -> None:
    home = make_home(config=CONFIG + "compression:\n  enabled: false\n")
    home.db.session("S")
    home.talk(2)
    assert "compression.enabled is false" in explained(home).now.blocked_by


def test_a_foreign_engine_is_said_not_to_obey_the_threshold(make_home: MakeHome) -> None:
    home = make_home(config=CONFIG + "context:\n  engine: lcm\n")
    home.db.session("S")
    home.talk(2)
    assert any("lcm" in note for note in explained(home).notes)


def test_another_release_can_be_asked_for(home: Home) -> None:
    assert explained(home, release="0.13").now.threshold == 64_000


def test_a_conversation_without_messages_has_no_events(make_home: MakeHome) -> None:
    home = make_home()
    home.db.session("S")
    explanation = explained(home)
    assert explanation.events == ()
    assert explanation.now.tokens is None


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


TRUTH = {54_828: Trigger.PRE_API, 40_000: Trigger.PAYLOAD_TOO_LARGE, 28_511: Trigger.MANUAL}


@pytest.fixture
def story(make_home: MakeHome) -> Home:
    home = make_home()
    _story(home)
    return home


def test_the_whole_story_is_told(story: Home) -> None:
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
def test_real_homes_are_told_as_their_labels_say(tmp_path: Path) -> None:
    import json
    import tarfile

    from core.store.locate import locate
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


def test_a_compaction_that_left_no_rows_is_said_to_have_left_none(home: Home) -> None:
    home.turn_ended()
    home.started(28_511, 28, tag=None)
    home.done(28, 8, 4_000, tag=None)
    event = only(home)
    assert (event.completed, event.mode) == (True, None)
    assert any("no row shows" in words for words in event.disagreements)


def test_two_counts_that_differ_are_both_told(home: Home) -> None:
    home.pre_api(54_828)
    home.started(54_828, 26)
    home.compact()
    home.done(26, 8, 4_000)
    event = only(home)
    assert event.messages_before == 26
    assert any("26 messages before" in words and "28" in words for words in event.disagreements)


def test_a_threshold_of_an_older_config_is_told_beside_todays(home: Home) -> None:
    home.pre_api(40_000, threshold=32_000)
    home.started(40_000, 28)
    home.compact()
    home.done(28, 8, 4_000)
    event = only(home)
    assert event.threshold == 32_000
    assert any("32,000" in words and "54,400" in words for words in event.disagreements)


def test_a_refusal_that_names_a_limit_lowers_the_window_from_then_on(make_home: MakeHome) -> None:
    home = make_home("0.19", config="model:\n  default: mock-model\n  context_length: 200000\n")
    home.db.session("S")
    home.turn()
    home.talk(7)
    home.refused("HTTP 400: prompt is too long: 46954 tokens > 45000 maximum")
    home.started(45_509, before=28)
    home.compact()
    home.done(28, 8, 18_000)
    home.call(1, 39_000)
    home.started(39_000, before=8)
    home.done(8, 7, 9_000)
    with home.store() as store:
        first, second = explain(store, "S").events
    assert (first.trigger, first.window, first.threshold) == (Trigger.OVERFLOW, 45_000, 38_250)
    assert (second.trigger, second.window, second.threshold) == (Trigger.POST_RESPONSE, 45_000, 38_250)
    assert any("45,000" in evidence.text for evidence in second.evidence)


def test_a_size_below_the_threshold_of_today_claims_no_threshold(make_home: MakeHome) -> None:
    home = make_home("0.19", config="model:\n  default: mock-model\n  context_length: 200000\n")
    home.db.session("S")
    home.turn()
    home.talk(7)
    home.call(1, 60_000)
    home.started(60_000, before=28)
    home.compact()
    home.done(28, 8, 18_000)
    with home.store() as store:
        (event,) = explain(store, "S").events
    assert (event.trigger, event.tokens) == (Trigger.POST_RESPONSE, 60_000)
    assert (event.window, event.threshold) == (None, None)
    assert any("another window or threshold" in words for words in event.disagreements)


def test_a_model_that_took_over_brings_its_own_window(make_home: MakeHome) -> None:
    home = make_home("0.19", config="model:\n  default: mock-model\n  context_length: 64000\n")
    home.db.session("S", model="mock-b")
    home.turn()
    home.talk(7)
    home.line("Cached context length mock-b@http://h/v1/ -> 128,000 tokens", tag=None)
    home.line("Fallback activated: mock-model → mock-b (custom)", tag=None)
    home.call(1, 97_000)
    home.line("context compression started: session=S messages=28 tokens=~97,000 model=mock-b focus=None")
    home.compact()
    home.done(28, 8, 18_000)
    with home.store() as store:
        (event,) = explain(store, "S").events
    assert (event.window, event.threshold) == (128_000, 96_000)


def test_a_second_refusal_with_the_same_limit_lowers_the_window_as_the_first_did(make_home: MakeHome) -> None:
    home = make_home("0.19", config="model:\n  default: mock-model\n  context_length: 200000\n")
    home.db.session("S")
    for before in (28, 8):
        home.turn()
        home.refused("HTTP 400: prompt is too long: 46954 tokens > 45000 maximum")
        home.started(45_509, before=before)
        home.done(before, 7, 18_000)
    with home.store() as store:
        assert [event.window for event in explain(store, "S").events] == [45_000, 45_000]


def test_a_threshold_lowered_for_the_summary_model_is_the_one_shown(home: Home) -> None:
    """The line names both; the configuration alone would give 54,400."""
    home.line(
        "Auxiliary compression model mini has 40,000 token context, below the main model's compression "
        "threshold of 54,400 tokens — auto-lowered session threshold to 40,000 to keep compression working.",
        tag=None,
    )
    home.call(6, 41_000)
    home.started(41_000, 28)
    compacted(home)
    found = explained(home)
    (event,) = found.events
    assert (event.threshold, event.window, found.now.threshold) == (40_000, 64_000, 40_000)
    assert "41,000 >= 40,000" in event.arithmetic
    assert any("auto-lowered" in one.text for one in event.evidence)


def test_a_call_for_a_summary_that_did_not_fail_wrote_it(home: Home) -> None:
    """Where the rows are gone again, the lines still tell who wrote the summary."""
    home.started(30_000, 28, focus="the parser")
    home.line("Auxiliary compression: using auto (mini) at http://h/v1/")
    home.done(28, 8, 4_000)
    event = only(home)
    assert (event.summary.status, event.summary.model) == (SummaryStatus.MODEL, "mini")
