"""What becomes of a tool result: its edges, and what no size may change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.compress.tool_results.arrival import Arriving, arrive
from core.compress.tool_results.replacement import (
    Storage,
    file_name,
    preview_of,
    result_sizes,
    storage,
    unwrapped,
)
from core.hermes.policy.policy import load_policy, releases

PLACE = Storage("/tmp/hermes-results")


@given(st.sampled_from(releases()), st.lists(st.integers(0, 120_000), max_size=6))
def test_a_turn_that_fits_is_left_alone_and_one_that_does_not_gets_no_longer_than_it_was(
    release: str, lengths: list[int]
) -> None:
    sizes = result_sizes(load_policy(release).results, None)
    turn = arrive([Arriving(str(i), "terminal", "a" * n) for i, n in enumerate(lengths)], sizes, PLACE)
    if turn.before <= turn.budget:
        assert turn.after == turn.before
    assert turn.after <= turn.before


def test_a_file_that_was_read_is_spared_alone_but_not_in_a_turn_too_long() -> None:
    sizes = result_sizes(load_policy("0.19").results, None)
    (alone,) = arrive([Arriving("a", "read_file", "x" * 150_000)], sizes, PLACE).results
    (turn,) = arrive([Arriving("a", "read_file", "x" * 250_000)], sizes, PLACE).results
    assert (alone.outcome, turn.outcome, turn.layer) == ("kept", "persisted", "turn")


def test_without_a_terminal_the_rest_is_lost_up_to_0_19_and_saved_in_0_22() -> None:
    outcomes = {}
    for release in ("0.19", "0.22"):
        rules = load_policy(release).results
        place = storage(rules, "none", home="/home/u/.hermes")
        (one,) = arrive([Arriving("a", "terminal", "x" * 150_000)], result_sizes(rules, None), place).results
        outcomes[release] = (one.outcome, one.path)
    assert outcomes == {
        "0.19": ("truncated", None),
        "0.22": ("persisted", "/home/u/.hermes/cache/spillover/a.txt"),
    }


def test_a_call_id_could_leave_the_folder_until_0_18() -> None:
    assert file_name(load_policy("0.17").results, "../../etc/passwd") == "../../etc/passwd.txt"
    assert "/" not in file_name(load_policy("0.18").results, "../../etc/passwd")


def test_a_preview_ends_at_a_line_only_in_its_second_half() -> None:
    text = "a" * 750 + "\n" + "a" * 5_000
    assert len(preview_of(text, 1_500)[0]) == 1_500
    assert len(preview_of("a" + text, 1_500)[0]) == 752


def test_only_an_envelope_of_mcp_is_unwrapped() -> None:
    assert unwrapped('{"result": "two\\nlines"}') == "two\nlines"
    assert unwrapped('{"result": "a", "other": 1}') == '{"result": "a", "other": 1}'
    assert unwrapped('{"result": "a", "_meta": {"z": 1}}').startswith("a\n\n<")
