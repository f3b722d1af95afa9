from __future__ import annotations

import time
from dataclasses import replace

import pytest

from core.explain.events import explain
from core.explain.turns.checks import SIZE, Check, Decision, Standing, Turn, decision_of
from core.explain.turns.replay import replay_turns
from core.explain.turns.sentences import decision_sentence, outcome, turn_sentence
from core.explain.turns.size_checks import WAITING, TurnDraft
from core.model.compaction.event import Trigger
from core.model.finding import Source
from core.model.transcript.message import Message
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG, Home, compacted, explained
from tests.core.store.database import SUMMARY


def turns(home: Home) -> tuple[Turn, ...]:
    with home.store() as store:
        explanation = explain(store, "S")
        return replay_turns(explanation.context, explanation.events)


def last(home: Home, trigger: Trigger) -> Decision:
    return [d for turn in turns(home) for d in turn.decisions if d.trigger is trigger][-1]


def test_each_turn_shows_the_checks_its_release_makes(begun: MakeHome) -> None:
    home = begun()
    home.talk(3)
    found = turns(home)
    assert [turn.index for turn in found] == [1, 2, 3]
    assert [d.trigger for d in found[0].decisions] == [
        Trigger.PREFLIGHT,
        Trigger.PRE_API,
        Trigger.POST_RESPONSE,
        Trigger.PRE_API,
    ]


def test_an_older_release_has_no_check_before_a_call(begun: MakeHome) -> None:
    home = begun("0.16")
    home.talk(1)
    (turn,) = turns(home)
    assert [decision.trigger for decision in turn.decisions] == [Trigger.PREFLIGHT, Trigger.POST_RESPONSE]


def test_too_few_messages_stop_the_check_at_the_start_of_a_turn(begun: MakeHome) -> None:
    home = begun()
    home.talk(2)
    assert "messages" in last(home, Trigger.PREFLIGHT).blocked_by
    home.talk(6)
    assert "messages" not in last(home, Trigger.PREFLIGHT).blocked_by


def test_few_but_huge_messages_pass_the_count(begun: MakeHome) -> None:
    home = begun()
    home.talk(2, size=250_000)
    found = last(home, Trigger.PREFLIGHT)
    assert "messages" not in found.blocked_by
    counted = next(check for check in found.checks if check.name == "messages")
    assert counted.had.endswith(", few but huge"), "13 passes no `> 24` unless it says why"


def test_a_real_prompt_size_takes_the_place_of_the_estimate(begun: MakeHome) -> None:
    home = begun()
    home.turn()
    home.talk(1)
    home.call(1, 51_000)
    home.call(2, 60_000)
    decision = last(home, Trigger.POST_RESPONSE)
    assert (decision.tokens, decision.real) == (51_000, True)
    assert "size" in decision.blocked_by


def test_a_number_a_line_states_takes_the_place_of_the_estimate(begun: MakeHome) -> None:
    """The estimate is next to it; without the line the check would be undecided."""
    home = begun()
    home.turn()
    home.talk(7)
    home.call(1, 50_000)
    home.pre_api(54_828)
    stated = [d for d in turns(home)[-1].decisions if d.where is not None and d.trigger is Trigger.PRE_API][
        -1
    ]
    assert (stated.tokens, stated.real) == (54_828, False)
    assert stated.estimate is not None
    assert stated.estimate < 54_400
    assert next(check for check in stated.checks if check.name == "size").passed is True
    assert f"{stated.where}, ~{stated.estimate:,} by its rows" in decision_sentence(stated)


def test_what_is_not_on_record_leaves_a_decision_open(begun: MakeHome) -> None:
    home = begun()
    home.talk(3, size=250_000)
    first = turns(home)[1].decisions[-1]
    assert first.fires is None
    assert any(check.passed is None and check.had == "not on record" for check in first.checks)


def test_a_disabled_compressor_never_fires(begun: MakeHome) -> None:
    home = begun(config=CONFIG + "compression:\n  enabled: false\n")
    home.talk(3, size=100_000)
    assert all(d.fires is False for turn in turns(home) for d in turn.decisions)


def test_a_line_that_says_it_was_passed_over_is_quoted(begun: MakeHome) -> None:
    home = begun()
    home.turn()
    home.talk(1)
    home.turn(history=4)
    home.line(
        "Skipping preflight compression: same-session cooldown active (~55 seconds remaining, session S)"
    )
    home.talk(1)
    first, second = turns(home)
    assert "passed over" in second.decisions[0].blocked_by
    assert "cooldown" in second.decisions[0].checks[-1].had
    assert "passed over" not in first.decisions[0].blocked_by


def test_the_curve_sets_the_estimate_next_to_the_real_prompt(begun: MakeHome) -> None:
    home = begun(system_prompt="s" * 400)
    home.turn()
    home.talk(1)
    home.call(1, 1_000)
    home.call(2, 2_000)
    with home.store() as store:
        found = explain(store, "S")
        points = [point for turn in replay_turns(found.context, found.events) for point in turn.calls]
    assert [point.real for point in points] == [1_000, 2_000]
    assert points[0].system == 100
    assert points[0].tools is None
    assert points[1].messages is not None
    assert points[0].messages is not None
    assert points[1].messages > points[0].messages
    assert points[1].estimate == 100 + points[1].messages


def test_without_a_log_there_is_no_curve(begun: MakeHome) -> None:
    home = begun()
    home.talk(1)
    assert [turn.calls for turn in turns(home)] == [()]


def test_a_compaction_belongs_to_the_turn_and_the_check_it_came_from(begun: MakeHome) -> None:
    home = begun()
    home.turn()
    rows = home.talk(7, size=40_000)
    home.db.message("S", "user", "the next task")
    home.turn(history=len(rows))
    home.preflight(70_000)
    home.started(70_000, before=29)
    home.compact()
    home.done(29, 9, 9_000)
    home.db.message("S", "assistant", "done")
    found = turns(home)
    fired = [(turn.index, d.trigger, d.tokens) for turn in found for d in turn.decisions if d.event == 0]
    assert fired == [(8, Trigger.PREFLIGHT, 70_000)]
    assert [turn.standing for turn in found].count(Standing.FIRED) == 1
    assert [turn.index for turn in found] == list(range(1, len(found) + 1))
    assert turn_sentence(found[7]) == "compressed before your message, 70,000 of 54,400 tokens (event 1)"


def _gateway_fires(home: Home, rows: int) -> None:
    text = f"Session hygiene: {rows} messages, ~60,000 tokens (actual) — auto-compressing"
    home.line(f"{text} (threshold: 85% of 64,000 = 54,400 tokens)", tag=None, logger="gateway.run")
    home.started(60_000, rows, tag=None)


def _message(home: Home, text: str) -> None:
    home.turn()
    home.db.message("S", "user", text)
    home.db.message("S", "assistant", "done")
    home.turn_ended()


def test_what_the_gateway_compressed_belongs_to_the_message_it_looked_before(begun: MakeHome) -> None:
    home = begun(source="telegram")
    home.talk(7)
    _gateway_fires(home, 28)
    home.compact()
    home.done(28, 8, 4_000, tag=None)
    _message(home, "what next?")
    *_, turn = turns(home)
    assert turn.text == "what next?"
    assert turn_sentence(turn) == "compressed by the gateway, 60,000 of 54,400 tokens (event 1)"


def test_a_turn_quotes_what_was_typed_not_the_skill_around_it() -> None:
    skill = '[IMPORTANT: The user has invoked the "tidy" skill, as below.]\n\nNever touch main.'
    request = Message({"role": "user", "content": skill})
    assert TurnDraft(1, request, None, None).freeze(1, (), enabled=True).text == "/tidy"


def test_a_failed_attempt_is_never_reported_as_a_compaction(begun: MakeHome) -> None:
    home = begun(source="telegram")
    home.talk(7)
    _gateway_fires(home, 28)
    home.line("Compression made no progress (session=S) — skipping boundary rewrite.", tag=None)
    _message(home, "what next?")
    *_, turn = turns(home)
    assert (turn.text, turn.standing) == ("what next?", Standing.FAILED)
    assert turn_sentence(turn) == "failed (by the gateway), 60,000 of 54,400 tokens (event 1)"


def test_a_turn_with_a_failed_attempt_and_a_compaction_says_both(begun: MakeHome) -> None:
    home = begun()
    home.turn()
    home.talk(7)
    home.started(60_000, 28)
    home.line("Compression made no progress (session=S) — skipping boundary rewrite.")
    home.started(60_000, 28)
    compacted(home)
    *_, turn = turns(home)
    assert turn.standing is Standing.FIRED
    assert turn_sentence(turn).endswith("(events 1, 2; 1 failed)")


def test_a_gateway_that_found_another_compression_running_says_so_of_the_next_turn(
    begun: MakeHome,
) -> None:
    home = begun("0.22", source="telegram")
    home.talk(3, size=30_000)
    text = "Session hygiene: skipping compression for S; another compression is already in flight"
    home.line(text, tag=None, logger="gateway.run")
    _message(home, "what next?")
    *_, turn = turns(home)
    (looked,) = (decision for decision in turn.decisions if decision.trigger is Trigger.HYGIENE)
    assert looked.blocked_by == ("passed over",)
    assert turn_sentence(turn) == (
        "large enough, ~22,815 tokens, 12 rows; required: >= 54,400 tokens, or >= 5,000 rows, "
        "but blocked: passed over agent.log:1: another compression is already in flight"
    )


def test_a_size_without_a_known_limit_is_said_once_with_its_unit(begun: MakeHome) -> None:
    home = begun(source="telegram", config=CONFIG.replace("  context_length: 64000\n", ""))
    home.talk(2)
    by_agent, by_both = turns(home)
    (gateway,) = [one for one in by_both.decisions if one.trigger is Trigger.HYGIENE]
    assert turn_sentence(by_agent).endswith("tokens; required: a known limit")
    assert turn_sentence(replace(by_both, decisions=(gateway,))).endswith(
        " tokens, 4 rows; required: a known window"
    )


def test_rows_a_compaction_copied_are_not_decided_about_again(begun: MakeHome) -> None:
    home = begun()
    home.talk(4)
    home.compact()
    home.talk(1)
    found = turns(home)
    rows = [(d.trigger, d.row) for turn in found for d in turn.decisions]
    assert len(rows) == len(set(rows))
    assert [turn.text for turn in found] == ["ask 0_0", "ask 4_1", "ask 8_2", "ask 12_3", "ask 8_0"]


def test_a_pause_of_the_past_held_a_later_turn_back(begun: MakeHome) -> None:
    home = begun()
    home.turn()
    home.talk(1)
    home.started(60_000, before=4)
    home.line("Failed to generate context summary: down. Further summary attempts paused for 60 seconds.")
    home.turn(history=4)
    home.talk(1, size=250_000)
    home.turn(history=8)
    home.talk(1)
    second = turns(home)[1]
    assert second.standing is Standing.HELD
    assert "summary model pause until" in turn_sentence(second)
    assert "agent.log:" in turn_sentence(second)


@pytest.mark.parametrize(("deadline", "passed"), [(1.0, True), (4e9, False)], ids=["past", "to come"])
def test_failed_attempts_hold_back_until_the_time_at_which_hermes_tries_once_more(
    begun: MakeHome, deadline: float, passed: bool
) -> None:
    """The plan says the same, from the same columns of the session."""
    home = begun("0.22", compression_ineffective_count=2, compression_recovery_deadline=deadline)
    home.talk(2, size=250_000)
    home.db.message("S", "user", "go on")
    (gate,) = [check for check in last(home, Trigger.PRE_API).checks if check.name == "failed attempts"]
    assert gate.passed is passed
    with home.store() as store:
        now = explain(store, "S").now
    assert now is not None
    assert any("did not help" in block for block in now.blocked_by) is not passed


@pytest.mark.parametrize(("until", "held"), [(1.0, False), (4e9, True)], ids=["run out", "held"])
def test_a_compaction_that_another_process_makes_holds_the_newest_turn_back(
    begun: MakeHome, until: float, held: bool
) -> None:
    """The plan says the same, from the same lock."""
    home = begun("0.22")
    home.talk(2, size=250_000)
    home.db.message("S", "user", "go on")
    insert = "INSERT INTO compression_locks (session_id, holder, acquired_at, expires_at) VALUES (?, ?, ?, ?)"
    home.db.connection.execute(insert, ("S", "pid=1:x", 0.5, until))
    home.db.connection.commit()
    sentence = turn_sentence(turns(home)[-1])
    assert ("blocked: a process holds the compression lock of this session (pid=1)" in sentence) is held
    with home.store() as store:
        now = explain(store, "S").now
    assert now is not None
    assert any("compression lock" in block for block in now.blocked_by) is held


def test_a_large_turn_nothing_held_back_says_so(begun: MakeHome) -> None:
    home = begun("0.16")
    home.turn()
    home.talk(1)
    home.call(1, 90_000)
    home.turn(history=4)
    home.talk(1)
    first = turns(home)[0]
    assert first.standing is Standing.DUE
    assert turn_sentence(first).endswith(
        "it did not fire: another window or threshold may have been in force"
    )


def test_a_size_close_to_the_threshold_without_the_tools_is_left_open(begun: MakeHome) -> None:
    home = begun("0.16")
    home.talk(2, size=244_000)
    first = turns(home)[0]
    assert first.standing is Standing.OPEN
    assert turn_sentence(first).startswith("may have been large enough: ~")
    assert "(tools not counted)" in turn_sentence(first)


def test_a_check_whose_log_tells_of_no_waiting_did_not_wait_however_large_the_request_was(
    begun: MakeHome,
) -> None:
    home = begun()
    home.turn()
    home.talk(1, size=215_000)
    decision = last(home, Trigger.PRE_API)
    size, waiting = (next(one for one in decision.checks if one.name == name) for name in (SIZE, WAITING))
    assert (size.passed, waiting.had, waiting.passed) == (None, "no, by the log", True)


def test_what_ran_had_passed_and_was_not_looked_at_once_more(home: Home) -> None:
    home.call(7, 66_000)
    home.started(66_000, before=28)
    compacted(home)
    decisions = [decision for turn in turns(home) for decision in turn.decisions]
    (fired,) = [decision for decision in decisions if decision.event == 0]
    assert (fired.trigger, {check.passed for check in fired.checks}) == (Trigger.POST_RESPONSE, {True})
    behind = decisions[decisions.index(fired) + 1 :]
    assert all(decision.generation != fired.generation for decision in behind)


def test_the_pause_an_attempt_began_did_not_hold_that_attempt_back(home: Home) -> None:
    home.call(7, 66_000)
    home.started(66_000, before=28)
    compacted(home)
    with home.store() as store:
        (event,) = explain(store, "S").events
    fired = last(home, event.trigger)
    paused = Check("summary model pause", "none, or ended", "until 10:01:00 (agent.log:7)", passed=False)
    (gate,) = decision_of(replace(fired, checks=(paused,)), replace(event, tokens=None), 0).checks
    assert (gate.passed, gate.had) == (True, "none when it ran")


@pytest.mark.parametrize("first", [1, 3, 40], ids=["a new agent", "numbered on", "the log begins late"])
def test_calls_belong_to_their_turn_however_far_the_agent_had_counted(begun: MakeHome, first: int) -> None:
    home = begun()
    if first == 3:
        home.turn()
        home.talk(1)
        home.call(1, 10_000)
        home.call(2, 11_000)
    home.turn(history=4)
    home.talk(1)
    home.call(first, 20_000)
    home.call(first + 1, 21_000)
    assert [call.real for call in turns(home)[-1].calls] == [20_000, 21_000]
    assert last(home, Trigger.POST_RESPONSE).tokens == 20_000


def test_right_after_a_compaction_a_size_no_provider_counted_leaves_it_open(home: Home) -> None:
    home.pre_api(66_000)
    home.started(66_000, before=28)
    compacted(home)
    home.turn(history=8)
    home.talk(2, size=244_000)
    assert WAITING in last(home, Trigger.PRE_API).open
    assert last(home, Trigger.POST_RESPONSE).fires is None


def test_a_window_of_the_summary_model_lowers_nothing_before_it_was_looked_at(begun: MakeHome) -> None:
    home = begun(config=CONFIG + "auxiliary:\n  compression:\n    context_length: 40000\n")
    home.turn()
    home.talk(7)
    home.call(1, 45_000)
    home.call(2, 55_000)
    home.lowered()
    home.started(55_000, before=28, tag=None)
    compacted(home)
    home.turn(history=8)
    home.talk(1)
    home.call(3, 41_000)
    home.call(4, 41_500)
    sizes = [check.needed for turn in turns(home) for d in turn.decisions for check in d.checks[1:2]]
    assert list(dict.fromkeys(sizes)) == [">= 54,400 tokens", ">= 40,000 tokens"]


@pytest.mark.parametrize(("release", "limit"), [("0.19", 150_000), ("0.22", 70_000)])
@pytest.mark.parametrize("configured", ["", "auxiliary:\n  compression:\n    context_length: 70000\n"])
def test_a_process_that_has_not_looked_at_the_summary_model_keeps_the_limit_configured(
    begun: MakeHome, release: str, limit: int, configured: str
) -> None:
    home = begun(release, config=CONFIG.replace("64000", "200000") + configured)
    home.turn()
    home.talk(7)
    home.call(1, 155_000)
    home.lowered(150_000, 70_000)
    home.started(155_000, before=28)
    compacted(home)
    home.call(2, 20_000)
    assert explained(home).now.threshold == 70_000
    home.turn(history=8)
    home.talk(1)
    home.call(1, 21_000)
    assert explained(home).now.threshold == limit
    last = turns(home)[-1].decisions[-1].checks
    assert f">= {limit:,} tokens" in [check.needed for check in last]


def test_a_turn_that_only_asked_for_less_output_says_so_and_that_it_was_given_up(home: Home) -> None:
    text = (
        "HTTP 400: max_tokens: 32000 > context_window: 64000 - input_tokens: 61000 = available_tokens: 3000"
    )
    home.turn()
    home.talk(1)
    home.refused(text)
    home.call(1, 21_000)
    for _ in range(3):
        home.refused(text)
    home.line("Context compression failed after 3 attempts.", level="ERROR")
    turn = turns(home)[-1]
    told = (
        "the output asked for was refused and lowered to at most 2,936 tokens, attempt 3 of 3, then given up"
    )
    assert turn_sentence(turn).endswith(told)
    assert [attempt.end for attempt in turn.attempts] == ["fits", "refused", "exhausted"]


CUT = "Connection error."
TIER = "HTTP 429: Extra usage is required for long context requests."


@pytest.mark.parametrize(
    ("said", "means"),
    [("HTTP 400: error", "unknown"), (CUT, "disconnect"), (TIER, "long_context_tier")],
)
def test_a_turn_that_ends_with_a_failed_call_says_that_no_answer_came(
    home: Home, said: str, means: str
) -> None:
    home.turn()
    home.talk(1)
    home.call(1, 21_000)
    for _ in range(3):
        home.refused(said)
    turn = turns(home)[-1]
    assert turn_sentence(turn).endswith(f"; no answer came, as the last call failed: {said}")
    assert outcome(turn) == "no answer: the call failed; not large enough"
    assert turn.unanswered is not None
    assert turn.unanswered.means == means
    with home.store() as store:
        headline = explain(store, "S").headline
    assert headline.sentence.startswith("The newest turn got no answer: ")
    assert headline.remedy == turn.unanswered.helps


@pytest.mark.parametrize("answered", ["call", "end"])
def test_a_failed_call_that_was_answered_in_the_end_is_not_a_failure(home: Home, answered: str) -> None:
    home.turn()
    home.talk(1)
    home.refused(CUT)
    if answered == "call":
        home.call(1, 21_000)
    else:
        home.turn_ended()  # a provider that reports no usage leaves no line of the call
    assert turns(home)[-1].unanswered is None
    with home.store() as store:
        assert "no answer" not in explain(store, "S").headline.sentence


def test_a_compaction_that_gave_the_turn_up_says_why_no_answer_came(home: Home) -> None:
    home.turn()
    home.talk(1)
    home.call(1, 29_000)
    for number in range(2):
        home.refused("HTTP 400: prompt is too long: 31000 tokens > 30000 maximum")
        home.started(31_000, 28 - number)
        compacted(home)
    home.line("Context length exceeded: 31,000 tokens. Cannot compress further.", level="ERROR")
    with home.store() as store:
        assert "no answer" not in explain(store, "S").headline.sentence


def test_a_check_whose_line_stands_alone_ended_the_turn(home: Home) -> None:
    """0.19 refuses a summary model that reads too little, and writes no line about that."""
    home.turn()
    home.talk(1)
    home.call(1, 50_000)
    home.db.message("S", "assistant", "", calls=[("t", "terminal", "{}")])
    home.db.message("S", "tool", "result", tool_call_id="t", tool_name="terminal")
    home.pre_api(55_000)
    turn = turns(home)[-1]
    assert turn.standing is Standing.FAILED
    assert outcome(turn) == "failed (before a model call)"


def test_a_compaction_belongs_to_the_turn_it_ran_in_though_its_request_is_saved_behind_it(
    begun: MakeHome,
) -> None:
    """Until 0.16 the request of the running turn is saved into the continuation, not before it."""
    home = begun("0.16")
    home.turn()
    home.talk(7)
    home.call(1, 20_000)
    home.turn_ended()
    home.turn(history=28)
    home.refused("HTTP 413: Request Entity Too Large")
    home.started(30_000, 29)
    home.db.rotate("S", "S2", 3, 4, "## Goal\nship")
    home.done(29, 9, 9_000, session="S2")
    home.db.message("S2", "user", "go")
    home.db.message("S2", "assistant", "done")
    found = turns(home)
    assert [(turn.text, turn.events) for turn in found][-2:] == [(found[-2].text, ()), ("go", (0,))]


def test_what_a_later_turn_compressed_is_not_of_one_whose_request_was_never_saved(begun: MakeHome) -> None:
    """Run with 0.13.0: a turn that is compressed again leaves no row of its first requests."""
    home = begun("0.13")
    home.turn()
    home.started(70_000, 30)
    home.db.rotate("S", "S2", 0, 0, "## Goal\nship")
    home.done(30, 9, 9_000, session="S2")
    home.db.message("S2", "assistant", "done")
    home.turn(session="S2", history=9)
    home.started(70_000, 30, session="S2", tag="S2")
    home.db.rotate("S2", "S3", 0, 0, "## Goal\nship more")
    home.done(30, 9, 9_000, session="S3", tag="S2")
    home.db.message("S3", "user", "go")
    first, second = turns(home)
    assert (first.request, first.events) == (None, (0,))
    assert (second.text, second.events) == ("go", (1,))


def test_a_turn_by_another_model_is_compared_with_that_models_threshold(begun: MakeHome) -> None:
    """Larger than what the model allows that compressed later, and rightly not compressed."""
    home = begun(config="model:\n  default: mock-model\n", model="mock-big")
    made = "Context compressor initialized: model={} context_length={} threshold={} (75%) tail_budget=9"
    home.line(made.format("mock-big", 200_000, 150_000))
    home.line(
        "conversation turn: session=S model=mock-big provider=custom platform=cli history=0 msg='ask 0_0'"
    )
    home.talk(1)
    home.line("API call #1: model=mock-big provider=custom in=90000 out=60 total=90060 latency=0.2s")
    home.turn_ended()
    home.line(made.format("mock-model", 64_000, 54_400))
    home.line(
        "conversation turn: session=S model=mock-model provider=custom platform=cli history=4 msg='ask 4_0'"
    )
    home.talk(6)
    home.call(1, 91_000)
    home.started(91_000, 28)
    compacted(home)
    first = turns(home)[0]
    assert first.standing is Standing.BELOW
    assert "90,000 of 150,000" in turn_sentence(first)


def test_a_call_that_failed_this_moment_may_be_tried_again(home: Home) -> None:
    home.db.tick(time.time() - 5 - home.db.tick(0))
    home.turn()
    home.talk(1)
    home.refused(CUT)
    with home.store() as store:
        assert "no answer" not in explain(store, "S").headline.sentence


def test_compactions_that_overwrote_their_turns_are_reported_before_the_first_request_left(
    begun: MakeHome,
) -> None:
    home = begun("0.16", source="telegram")
    home.turn()
    home.started(700, 10, tag=None)
    home.done(10, 3, 400, tag=None)
    home.db.message("S", "assistant", "look")
    home.db.message("S", "user", f"{SUMMARY} so far")
    home.db.message("S", "assistant", "done")
    home.turn(history=3)
    home.db.message("S", "user", "what next?")
    first, second = turns(home)
    assert (turn_sentence(first), first.request) == ("compressed (event 1)", None)
    assert "event" not in turn_sentence(second)
    assert turn_sentence(replace(first, events=())) == "its rows are gone, so it is unknown"


@pytest.mark.parametrize(("counted", "passed"), [(True, True), (False, None)])
def test_an_answer_without_a_count_leaves_a_size_close_to_the_threshold_open(
    begun: MakeHome, counted: bool, passed: bool | None
) -> None:
    home = begun("0.22")
    home.turn()
    home.talk(1, size=20_000)
    home.call(1, 50_000)
    usage = (
        "in=20000 out=60 total=20060 latency=0.2s"
        if counted
        else "in=? out=? total=? latency=0.2s usage=unavailable"
    )
    home.line(f"API call #2: model=mock-model provider=custom {usage}")
    assert [one.passed for one in last(home, Trigger.POST_RESPONSE).checks if one.name == SIZE] == [passed]


def test_what_hermes_asks_when_a_turn_has_no_calls_left_begins_no_turn(begun: MakeHome) -> None:
    home = begun("0.18")
    home.turn()
    home.talk(1)
    home.db.message(
        "S", "user", "You've reached the maximum number of tool-calling iterations allowed. Sum up."
    )
    home.db.message("S", "assistant", "so far")
    assert len(turns(home)) == 1


def test_rows_stored_a_second_time_behind_a_compaction_begin_no_turn_and_count_when_resumed(
    begun: MakeHome,
) -> None:
    home = begun("0.22")
    home.turn()
    home.talk(7)
    old = home.db.live("S")[:8]
    home.compact()
    for row in old:
        home.db.copy(row)
    home.turn(history=8)
    home.talk(1)
    home.call(1, 9_000)
    told = turns(home)
    assert len(told) == len({turn.text for turn in told}) == 8
    with home.store() as store:
        found = explain(store, "S")
    assert any("stored a second time" in note for note in found.notes)
    assert found.now.evidence[0].source is Source.DERIVED


def test_rows_of_two_processes_in_one_session_make_no_size_that_should_have_fired(begun: MakeHome) -> None:
    home = begun("0.16")
    home.turn()
    home.turn()
    home.talk(1)
    home.call(1, 90_000)
    home.turn_ended()
    home.turn_ended()
    home.turn(history=4)
    home.talk(1)
    assert Standing.DUE not in {turn.standing for turn in turns(home)}


def test_a_compaction_that_ran_before_a_turn_began_is_not_of_that_turn(begun: MakeHome) -> None:
    """Another process had saved its turn in the session that was closed."""
    home = begun("0.18")
    for number in range(2):
        home.line(
            f"conversation turn: session=S model=m provider=p platform=cli history={4 * number}"
            f" msg='ask {4 * number}_0'"
        )
        home.talk(1)
        if not number:
            home.call(1, 66_000)
            home.started(66_000, 4)
            home.done(4, 3, 900)
    home.compact(head=1, tail=1)
    first, second = turns(home)
    assert (first.events, second.events) == ((0,), ())


def test_what_a_gateway_compressed_before_a_turn_that_is_gone_is_not_reported_for_a_later_one(
    begun: MakeHome,
) -> None:
    """Run with 0.16.0: a gateway's next compression replaces the rows the one before it left."""
    home = begun("0.16", source="telegram")
    home.talk(7)
    _gateway_fires(home, 28)
    home.done(28, 8, 4_000, tag=None)
    home.turn()
    home.turn_ended()
    _message(home, "what next?")
    *_, before, newest = turns(home)
    assert (newest.text, newest.events) == ("what next?", ())
    assert before.events == (0,)


def test_a_gateway_does_not_compare_a_count_from_before_compress_was_typed(begun: MakeHome) -> None:
    """Run with 0.15.0 and 0.16.0: `/compress` in a chat replaces the rows and resets the last count."""
    home = begun("0.16", source="telegram")
    home.turn()
    home.talk(1)
    home.call(1, 53_188)
    home.call(2, 59_490)
    home.turn_ended()
    home.started(1_099, before=17, tag=None)
    home.done(17, 8, 1_867, tag=None)
    home.turn(history=8)
    _message(home, "what next?")
    newest = turns(home)[-1]
    assert newest.text == "what next?"
    assert turn_sentence(newest).startswith("not large enough")


def test_turns_that_compress_here_archived_and_the_process_held_on_to_are_reported_once(
    begun: MakeHome,
) -> None:
    """Run with 0.19.0: what was to stay is archived, and the next compression of that process keeps it."""
    home = begun()
    home.talk(6)
    old = home.db.live("S")
    home.db.mark(old, active=0, compacted=1)
    _written_back(home, old[:4], "one", old[12:16])
    asked = home.talk(1)
    home.db.mark(home.db.live("S"), active=0, compacted=1)
    _written_back(home, [], "two", [*old[16:], *asked])
    told = [turn.text for turn in turns(home)]
    assert len(told) == len(set(told)) == 7


def _written_back(home: Home, head: list[int], summary: str, tail: list[int]) -> None:
    for row in head:
        home.db.copy(row)
    home.db.message("S", "user", f"{SUMMARY} {summary}")
    for row in tail:
        home.db.copy(row)


def test_a_refusal_that_hermes_does_not_believe_says_why_it_did_not_compress(home: Home) -> None:
    """Run with 0.22.2: a server of one's own refuses what is far below the window Hermes knows."""
    home.turn()
    home.talk(1)
    said = "HTTP 400: Your input exceeds the context window of this model."
    home.refused(said)
    doubted = "Provider context rejection not explained by request size (~31,656 of 64,000 tokens)"
    home.line(f"{doubted}; skipping compression: {said.lower()}", level="ERROR")
    failure = turns(home)[-1].unanswered
    assert failure is not None
    assert failure.text == said
    assert "counted only 31,656 of 64,000 tokens and did not compress" in failure.says
    assert "model.context_length" in failure.helps


def test_what_hermes_asks_after_an_empty_answer_begins_no_turn(home: Home) -> None:
    """Run with 0.13.0, which saves its question like a user's: one turn was told as two."""
    before = len(turns(home))
    told = "session=S model=mock-model provider=custom platform=cli history=10"
    home.line(f"conversation turn: {told} msg='look at it'", logger="agent.turn_context")
    home.db.message("S", "user", "look at it")
    home.db.message("S", "assistant", "", calls=[("c1", "terminal", "{}")])
    home.db.message("S", "tool", "seen", tool_call_id="c1", tool_name="terminal")
    home.db.message("S", "user", "You just executed tool calls but returned an empty response. Please go on.")
    home.db.message("S", "assistant", "Done.")
    assert [turn.text for turn in turns(home)[before:]] == ["look at it"]


def test_requests_that_were_joined_belong_to_the_turn_of_the_last_of_them(home: Home) -> None:
    """Run with 0.16.0: what nobody answered is joined with what is asked next."""
    before = len(turns(home))
    for text, stored in (("ask one", "ask one"), ("and two", "ask one\nand two"), ("a third", "a third")):
        told = "session=S model=mock-model provider=custom platform=cli history=0"
        home.line(f"conversation turn: {told} msg={text!r}", logger="agent.turn_context")
        home.db.message("S", "user", stored)
        home.refused(f"HTTP 400: {text}")
    ended = [turn.unanswered for turn in turns(home)[before:]]
    assert [call and call.text for call in ended] == [
        "HTTP 400: ask one",
        "HTTP 400: and two",
        "HTTP 400: a third",
    ]


def test_what_a_fallback_model_answered_is_compared_with_its_own_threshold(begun: MakeHome) -> None:
    """Run with 0.22.2: a turn that mock-model began and another answered, whose window is larger."""
    home = begun(config="model:\n  default: mock-model\n", model="mock-model")
    for model, window, threshold in (("mock-big", 200_000, 150_000), ("mock-model", 64_000, 54_400)):
        made = f"Context compressor initialized: model={model} context_length={window}"
        home.line(f"{made} threshold={threshold} (75%) tail_budget=9")
    home.turn()
    home.talk(1)
    home.line("API call #1: model=mock-big provider=custom in=90000 out=60 total=90060 latency=0.2s")
    newest = turns(home)[-1]
    assert newest.standing is Standing.BELOW
    assert "90,000 of 150,000" in turn_sentence(newest)


def test_what_came_before_a_fallback_model_compressed_is_compared_with_the_threshold_of_its_own(
    begun: MakeHome,
) -> None:
    """Run with 0.19.0: mock-model began both turns, and another, of a smaller window, compressed."""
    home = begun(config="model:\n  default: mock-model\n", model="mock-model")
    for model, window, threshold in (("mock-model", 200_000, 150_000), ("mock-small", 64_000, 54_400)):
        made = f"Context compressor initialized: model={model} context_length={window}"
        home.line(f"{made} threshold={threshold} (75%) tail_budget=9")
    home.talk(7)
    home.turn(history=28)
    home.talk(1)
    home.call(1, 20_000)
    home.turn(history=32)
    home.line("API call #1: model=mock-small provider=custom in=50000 out=60 total=50060 latency=0.2s")
    home.talk(1)
    home.pre_api(55_000)
    home.line("context compression started: session=S messages=36 tokens=~55,000 model=mock-small focus=None")
    home.compact()
    home.done(36, 9, 9_000)
    *_, before, fired = turns(home)
    assert "of 150,000" in turn_sentence(before)
    assert "55,000 of 54,400" in turn_sentence(fired)


def test_the_newest_turn_is_compared_with_the_threshold_that_our_own_engine_named(begun: MakeHome) -> None:
    """As Why and the map do, which ask what the next request is compared with."""
    home = begun(config=f"{CONFIG}context:\n  engine: inspector\n")
    home.line("Plugin 'inspector' registered context engine: inspector", tag=None)
    home.turn()
    home.preflight(30_000, threshold=40_000)
    home.talk(1)
    home.turn(history=4)
    home.talk(1)
    with home.store() as store:
        now = explain(store, "S").now
    assert now is not None
    assert now.threshold == 40_000
    size = next(check for check in last(home, Trigger.POST_RESPONSE).checks if check.name == SIZE)
    assert size.needed == ">= 40,000 tokens"
