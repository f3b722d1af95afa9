"""The next request has one size and one limit, whoever asks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.compress.planning.plan import plan_messages
from core.explain.context.context import open_context
from core.explain.context.generation import generation_context
from core.explain.context.next_request import next_request
from core.explain.events import explain
from core.model.finding import Verdict
from core.store.database.locate import Location
from core.store.store import Store
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import CONFIG, Home
from tests.core.live.writer import Writer


@pytest.fixture
def home(begun: MakeHome) -> Home:
    home = begun(system_prompt="s" * 400)
    home.turn()
    home.talk(7)
    return home


def told(home: Home) -> tuple[tuple[int | None, int | None], tuple[int | None, int | None]]:
    """Size and threshold by the plan and by the explanation."""
    with home.store() as store:
        here, now = generation_context(store, "S"), explain(store, "S").now
    planned = plan_messages(here.messages, here.policy, here.settings)
    return (planned.compared_tokens, planned.threshold_tokens), (now.tokens, now.threshold)


def test_the_log_describes_later_calls_than_the_gateway_noted(home: Home) -> None:
    route = json.dumps({"session_id": "S", "last_prompt_tokens": 5_900})
    home.db.connection.execute("INSERT INTO gateway_routing VALUES ('', 'k', ?, 1.0)", (route,))
    estimated = told(home)[0][0]  # without usage on record nobody counted
    home.db.connection.execute("UPDATE sessions SET input_tokens = 5900 WHERE id = 'S'")
    assert told(home)[0][0] == told(home)[1][0] == 5_900 != estimated
    home.call(3, 6_311)
    planned, explained = told(home)
    assert planned == explained == (6_311, 54_400)


def test_a_call_that_names_no_session_is_not_of_this_conversation(home: Home) -> None:
    """Such as a call of a script that uses Hermes as a library, without a turn."""
    home.call(3, 6_311)
    alone = told(home)
    stray = "API call #9: model=other provider=custom in=50000 out=60 total=50060 latency=0.2s"
    home.line(stray, tag=None)
    assert told(home) == alone == ((6_311, 54_400), (6_311, 54_400))
    with home.store() as store:
        assert not [note for note in explain(store, "S").notes if "other" in note]


def test_a_threshold_a_line_lowered_is_in_force_for_the_plan_too(begun: MakeHome) -> None:
    home = begun(config=CONFIG.replace("64000", "200000"))
    home.turn()
    home.talk(7)
    home.lowered(150_000, 70_000, tag=None)
    home.call(6, 71_000)
    planned, explained = told(home)
    assert planned == explained == (71_000, 70_000)


def test_a_summary_model_that_is_refused_lowers_no_threshold(begun: MakeHome) -> None:
    """Run with 0.15.2 to 0.22.2: the checks go on with the limit of before, and no compaction begins."""
    small = "auxiliary:\n  compression:\n    context_length: 40000\n"
    home = begun(config=CONFIG.replace("64000", "200000") + small)
    home.turn()
    home.talk(7)
    home.call(6, 151_000)
    planned, explained = told(home)
    assert planned == explained == (151_000, 150_000)
    with home.store() as store:
        now = explain(store, "S").now
    assert "compression is blocked: the summary model's window" in now.headline.sentence
    assert str(now.headline.remedy).startswith("Set auxiliary.compression.model")


def test_until_a_call_is_answered_what_a_compaction_left_counts_for_all(home: Home) -> None:
    home.started(60_000, 28)
    home.compact()
    home.done(28, 8, 20_723)
    planned, explained = told(home)
    assert planned == explained == (20_723, 54_400)


def test_what_was_written_since_is_counted_on_top(home: Home) -> None:
    home.started(60_000, 28)
    home.compact()
    home.done(28, 8, 20_723)
    home.db.message("S", "user", "w" * 4_000)
    planned, explained = told(home)
    assert planned == explained
    assert 21_700 < (planned[0] or 0) < 21_800


def test_where_nobody_counted_prompt_and_messages_are_estimated_for_all(home: Home) -> None:
    planned, explained = told(home)
    assert planned == explained
    with home.store() as store:
        here = generation_context(store, "S")
        prompt = here.context.prompt_tokens(here.conversation.tip, here.policy)
    alone = plan_messages(here.messages, here.policy, replace(here.settings, expected_tokens=None))
    # Rows of the running turn carry no timestamps yet, so the whole is a little less than the sum.
    assert prompt == 100
    assert 60 < (planned[0] or 0) - alone.compared_tokens <= 100


@pytest.mark.parametrize("release", ["0.19", "0.22"])
def test_where_a_line_says_the_size_no_message_is_read(tmp_path: Path, release: str) -> None:
    writer = Writer(tmp_path / "home")
    writer.message("ask")
    writer.call(4_321)
    with Store(Location(writer.home / "state.db", writer.home)) as store:
        context = open_context(store, "s1", release=release)
        assert next_request(context).tokens == 4_321
        assert not context.read


@pytest.mark.parametrize("resumed", [False, True])
def test_messages_saved_again_behind_a_failed_attempt_are_loaded_by_whoever_resumes(
    begun: MakeHome, resumed: bool
) -> None:
    """0.16 saves its whole list once more when a turn in which compression failed ends."""
    home = begun("0.16", system_prompt="s" * 400)
    home.turn()
    home.talk(4)
    home.call(1, 9_000)
    once = home.db.live("S")
    home.turn(history=len(once))
    home.started(9_500, len(once))
    for row in once:
        home.db.copy(row, timestamp=home.db.tick(0.01))
    home.talk(1)
    home.call(1, 10_000)
    home.turn_ended()
    if resumed:
        home.turn(history=len(home.db.live("S")))
        home.db.message("S", "user", "and now")
        home.call(1, 19_000)
        home.db.message("S", "assistant", "done")
    (planned, _), (tokens, _) = told(home)
    assert planned == tokens
    with home.store() as store:
        explanation = explain(store, "S")
    again = f"messages {once[-1] + 1}-{2 * once[-1]}"
    assert [note for note in explanation.notes if note.startswith(again)]
    if resumed:
        assert (tokens, explanation.now.verdict) == (19_000, Verdict.PROVED)
    else:
        assert explanation.now.verdict is Verdict.DERIVED
        assert tokens not in (9_000, 10_000)
        assert [one.where for one in explanation.now.evidence][-1] == again


def test_a_process_that_began_anew_does_not_tell_what_a_resumed_session_loads(begun: MakeHome) -> None:
    """0.22 goes on with an empty list where no summary model may read a window as small as refused."""
    home = begun("0.22", system_prompt="s" * 400)
    home.turn()
    home.talk(5, size=3_000)
    home.call(1, 9_000)
    home.turn(history=0)
    home.talk(1)
    home.call(2, 700)
    home.turn_ended()
    (planned, _), (tokens, _) = told(home)
    assert planned == tokens
    assert tokens is not None
    assert tokens > 3_000
    with home.store() as store:
        explanation = explain(store, "S")
    assert [note for note in explanation.notes if "loads all 24" in note]


def test_without_a_log_the_tools_are_known_by_what_was_booked(begun: MakeHome) -> None:
    home = begun("0.19", system_prompt="s" * 400)
    home.talk(3)
    home.db.connection.execute("UPDATE sessions SET api_call_count = 6, input_tokens = 0 WHERE id = 'S'")
    alone = told(home)[0][0]
    assert alone is not None
    home.db.connection.execute("UPDATE sessions SET input_tokens = 72000 WHERE id = 'S'")
    (planned, _), (tokens, _) = told(home)
    assert planned == tokens
    assert 11_000 < (tokens or 0) - alone < 12_000
    home.db.connection.execute("UPDATE sessions SET api_call_count = 12 WHERE id = 'S'")
    assert told(home)[0][0] == alone  # half of the calls are not among the rows
    home.db.connection.execute("UPDATE sessions SET api_call_count = 6, input_tokens = 360000 WHERE id = 'S'")
    assert told(home)[0][0] == alone  # 60,000 tokens a call are more than any tools


def test_lines_of_another_conversation_are_no_log_of_this_one(begun: MakeHome) -> None:
    home = begun("0.19", system_prompt="s" * 400)
    home.talk(3)
    home.db.connection.execute("UPDATE sessions SET api_call_count = 6, input_tokens = 72000 WHERE id = 'S'")
    without = told(home)
    text = "Pre-API compression: ~61,000 request tokens >= 54,400 threshold (context=64,000, attempt=1/3)"
    home.line(text, tag="T", logger="agent.conversation_loop")
    assert told(home) == without
    with home.store() as store:
        assert (
            "no log line about this conversation is left; causes are computed from rows"
            in explain(store, "S").notes
        )


def test_answers_without_usage_count_with_what_followed_them(begun: MakeHome) -> None:
    home = begun()
    home.turn()
    home.db.message("S", "user", "Go on.")
    home.call(1, 20_000)
    home.db.message("S", "assistant", "Looking.")
    counted = told(home)
    home.db.message("S", "tool", "r" * 8_000, tool_call_id="c")
    home.db.message("S", "assistant", "Done.")
    planned, explained = told(home)
    assert counted == ((20_000, 54_400), (20_000, 54_400))
    assert planned == explained
    assert 22_000 < (explained[0] or 0) < 22_400
    with home.store() as store:
        assert next_request(open_context(store, "S")).verdict is Verdict.DERIVED


def test_where_rows_are_stored_at_the_end_of_a_turn_their_times_say_nothing(begun: MakeHome) -> None:
    home = begun("0.16")
    home.turn()
    home.call(1, 20_000)
    home.db.turn("S", "one")
    assert told(home)[1][0] == 20_000
