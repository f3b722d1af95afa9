from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import pytest

from core.errors import ConfigError, NotFoundError
from core.explain.context.generation import Closed, GenerationContext, generation_context
from core.explain.context.usage_anchor import anchored_rows, anchored_tokens, read_anchor
from core.hermes.policy.policy import load_policy
from core.model.finding import Verdict
from core.model.transcript.message import Message
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home


def of(home: Home, **kwargs: object) -> GenerationContext:
    with home.store() as store:
        return generation_context(store, "S", **kwargs)  # type: ignore[arg-type]


@pytest.fixture
def home(begun: MakeHome) -> Home:
    home = begun(system_prompt="s" * 400)
    home.talk(7)
    return home


def test_everything_a_plan_needs_is_gathered(home: Home) -> None:
    found = of(home)
    assert (found.context.release.release, found.context.window.tokens, found.settings.window) == (
        "0.19",
        64_000,
        64_000,
    )
    assert len(found.messages) == 28
    assert found.settings.current_tokens is None
    assert found.policy.release == "0.19"


def test_the_last_call_gives_the_real_prompt_until_a_compaction(home: Home) -> None:
    home.call(3, 41_000)
    assert of(home).settings.current_tokens == 41_000
    home.started(41_000, 28)
    home.compact()
    home.done(28, 8, 9_000)
    assert of(home).settings.current_tokens is None


@pytest.mark.parametrize(("head", "warm"), [(0, True), (1, True), (3, False)])
def test_a_compaction_that_kept_less_head_than_configured_was_run_by_a_process_that_had_compacted_before(
    home: Home, head: int, warm: bool
) -> None:
    """The first may keep none: 0.22 puts the request of a long turn behind the summary.

    Run with 0.19.0: a process that keeps none puts the only request back, before the summary.
    """
    home.compact(head=head)
    home.talk(4)
    home.compact(head=head, summary="## Goal\nland")
    assert [of(home, generation=one).settings.warm for one in (1, 2, 3)] == [False, warm, False]


def test_a_size_from_before_a_compaction_that_left_no_line_is_none(home: Home) -> None:
    home.call(3, 41_000)
    home.compact()
    assert of(home).settings.current_tokens is None
    home.talk(1)
    home.call(4, 9_000)
    assert of(home).settings.current_tokens == 9_000


def test_an_older_generation_can_be_looked_at_and_has_no_current_size(home: Home) -> None:
    home.compact()
    home.call(3, 41_000)
    found = of(home, generation=1)
    assert (len(found.messages), found.settings.current_tokens) == (28, None)
    assert len(of(home).messages) == 8


def test_an_older_generation_has_the_size_its_own_line_states(begun: MakeHome) -> None:
    home = begun()
    home.turn()
    home.talk(7)
    home.started(54_828, 28)
    home.compact()
    home.done(28, 8, 4_000)
    home.talk(1)
    assert of(home, generation=1).settings.current_tokens == 54_828
    home.started(60_000, 28)
    assert of(home, generation=1).settings.current_tokens is None


def test_rows_of_the_running_turn_that_a_later_session_holds_belong_to_it(begun: MakeHome) -> None:
    home = begun("0.13", api_call_count=6 + 3)
    home.talk(3)
    home.db.rotate("S", "S2", 3, 0, "## Goal\nship")
    home.db.message("S2", "user", "go on")
    for number in range(5):
        home.db.message("S2", "assistant", "", calls=[(f"n{number}", "terminal", "{}")])
        home.db.message("S2", "tool", "out", tool_call_id=f"n{number}", tool_name="terminal")
    whole = of(home, generation=1).messages
    assert len(whole) == 12 + 1 + 2 * 3
    assert (whole[12].text, whole[-1].role) == ("go on", "tool")
    assert of(home, generation=2).messages == of(home).messages


def test_a_generation_that_does_not_exist_is_not_found(home: Home) -> None:
    with pytest.raises(NotFoundError):
        of(home, generation=9)


def test_a_release_can_be_chosen(home: Home) -> None:
    found = of(home, release="0.16")
    assert (found.context.release.release, found.context.release.verdict, found.policy.group) == (
        "0.16",
        Verdict.PROVED,
        "A",
    )
    with pytest.raises(ConfigError):
        of(home, release="newest")


def test_an_unknown_session_is_not_found(home: Home) -> None:
    with home.store() as store, pytest.raises(NotFoundError):
        generation_context(store, "nobody")


def test_a_config_that_cannot_be_read_is_an_error_of_its_own(home: Home) -> None:
    (home.path / "config.yaml").write_text("a: [", "utf-8")
    with pytest.raises(ConfigError):
        of(home)


def test_a_lock_and_a_pause_reach_the_gate(begun: MakeHome) -> None:
    home = begun(compression_failure_cooldown_until=4e9, compression_fallback_streak=1)
    home.talk(1)
    home.db.connection.execute("INSERT INTO compression_locks VALUES ('S', 'pid=7', 1.0, 4e9)")
    gate = of(home).gate
    assert (gate.lock_holder, gate.fallback_streak) == ("pid=7", 1)
    assert gate.cooldown_until is not None


def test_a_pause_of_the_gateway_does_not_hold_for_the_agent(make_home: MakeHome) -> None:
    home = make_home()
    error = "session hygiene compression timed out"
    home.db.session("S", compression_failure_cooldown_until=4e9, compression_failure_error=error)
    home.talk(1)
    assert of(home).gate.cooldown_until is None


def test_the_window_comes_from_the_log_when_nothing_else_says(begun: MakeHome) -> None:
    home = begun(config="", model="nobody-knows")
    home.talk(1)
    assert of(home).context.window.tokens is None
    home.line("Preflight compression: ~9 tokens >= 8 threshold (model nobody-knows, ctx 70,000)")
    found = of(home).context.window
    assert (found.tokens, found.source) == (70_000, "log")


def _anchored(messages: list[Message]) -> str:
    """The anchor 0.22 would store after an answer to these messages."""

    def digest(value: object) -> str:
        return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    prints = [(m.role, digest(dict(m.wire))) for m in messages]
    whole = hashlib.sha256(json.dumps(prints, separators=(",", ":")).encode()).hexdigest()
    return json.dumps(
        {
            "_usage_anchor": {
                "prompt_tokens": 50_000,
                "completion_tokens": 90,
                "base_count": len(messages),
                "base_last_role": messages[-1].role,
                "base_last_fp": prints[-1][1],
                "base_prefix_fp": whole,
            }
        }
    )


def test_an_anchor_counts_what_came_since_and_nothing_twice() -> None:
    policy = load_policy("0.22")
    priced = [Message({"role": "user", "content": "ask"})]
    answer = Message({"role": "assistant", "content": "a" * 4_000})
    result = Message({"role": "tool", "content": "r" * 4_000})
    config = _anchored(priced)
    assert anchored_tokens(config, [*priced, answer], policy) == 50_090
    grown = anchored_tokens(config, [*priced, answer, result], policy)
    assert grown is not None
    assert 51_090 < grown < 51_130


def test_an_anchor_of_another_transcript_is_passed_over() -> None:
    config = _anchored([Message({"role": "user", "content": "ask"})])
    assert (
        anchored_tokens(config, [Message({"role": "user", "content": "else"})], load_policy("0.22")) is None
    )
    assert anchored_tokens(config, [], load_policy("0.22")) is None


def test_of_messages_that_an_anchor_was_found_to_price_none_is_read_again() -> None:
    stored = [Message({"role": "user", "content": f"ask {number}"}) for number in range(9)]
    asked: list[int] = []

    def read(rows: Sequence[int]) -> tuple[Message, ...]:
        asked.extend(rows)
        return tuple(stored[row] for row in rows)

    def tokens(priced: int, rows: int) -> int | None:
        config = _anchored(stored[:priced])
        return anchored_rows("grows", config, range(rows), read, load_policy("0.22"))

    def whole(priced: int, rows: int) -> int | None:
        return anchored_tokens(_anchored(stored[:priced]), stored[:rows], load_policy("0.22"))

    assert tokens(5, 6) == whole(5, 6)
    assert asked == [0, 1, 2, 3, 4, 5]
    asked.clear()
    assert tokens(7, 9) == whole(7, 9)
    assert asked == [5, 6, 7, 8]


def test_an_anchor_of_a_file_put_back_is_compared_with_its_own_messages() -> None:
    policy = load_policy("0.22")
    before = [Message({"role": "user", "content": text}) for text in ("one", "two", "three")]
    after = [Message({"role": "user", "content": text}) for text in ("one", "other", "three")]

    def tokens(stored: list[Message]) -> int | None:
        return anchored_rows(
            "replaced", _anchored(stored), range(3), lambda rows: tuple(stored[row] for row in rows), policy
        )

    assert tokens(before) == tokens(after) == 50_090


@pytest.mark.parametrize(
    "config", [None, "", "[", "[]", "{}", '{"_usage_anchor": 3}', '{"_usage_anchor": {}}']
)
def test_a_malformed_anchor_is_none(config: str | None) -> None:
    assert read_anchor(config) is None


def closed(home: Home, generation: int) -> Closed:
    with home.store() as store:
        return generation_context(store, "S", generation=generation).closed


def test_a_list_the_log_counts_alike_needs_no_word(begun: MakeHome) -> None:
    home = begun()
    home.talk(7)
    home.started(54_828, 28)
    home.compact()
    home.done(28, 8, 4_000)
    assert (closed(home, 1).incomplete, closed(home, 1).notes) == (False, ())
    assert len(closed(home, 1).messages) == 28


def test_messages_only_the_log_counts_make_the_list_a_part_of_it(begun: MakeHome) -> None:
    home = begun()
    home.talk(7)
    home.started(54_828, 40)
    home.compact()
    found = closed(home, 1)
    assert found.incomplete
    assert found.notes == ("the database kept only 28 of the messages it was given: the log counts 40",)


def test_what_a_session_never_written_to_was_given_is_not_known(begun: MakeHome) -> None:
    home = begun("0.13", api_call_count=6)
    home.talk(3)
    home.db.rotate("S", "S2", 3, 0, "## Goal\nship")
    home.db.connection.execute("DELETE FROM messages WHERE session_id = 'S2'")
    home.db.rotate("S2", "S3", 0, 0, "## Goal\nship")
    assert not closed(home, 1).incomplete
    found = closed(home, 2)
    assert (found.incomplete, found.messages) == (True, ())
    assert "kept only 0" in found.notes[0]


def test_the_newest_a_partial_compression_kept_are_named(begun: MakeHome) -> None:
    home = begun("0.16", api_call_count=10)
    home.talk(5)
    home.started(42_131, 12)
    home.db.rotate("S", "S2", 3, 8, "## Goal\nship")
    home.done(12, 4, 4_000, "S2")
    found = closed(home, 1)
    assert (len(found.messages), found.incomplete) == (20, False)
    assert "the first 12 of these 20" in found.notes[0]
    assert "kept the other 8" in found.notes[0]


def test_a_result_that_only_the_next_session_holds_may_be_shortened(begun: MakeHome) -> None:
    home = begun("0.13", api_call_count=6 + 1)
    home.talk(3)
    home.db.rotate("S", "S2", 3, 0, "## Goal\nship")
    home.db.message("S2", "user", "go on")
    home.db.message("S2", "assistant", "", calls=[("n", "terminal", "{}")])
    stub = home.db.message("S2", "tool", "whole", tool_call_id="n", tool_name="terminal")
    assert closed(home, 1).notes == ()
    home.db.mark([stub], content="[terminal] ran `ls` -> exit 0, 87 lines output")
    assert "already shortened" in closed(home, 1).notes[0]
