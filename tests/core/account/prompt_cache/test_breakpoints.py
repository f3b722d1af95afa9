"""Breakpoints are where each release of Hermes places them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.account.prompt_cache.breakpoints import MARKERS, TOOLS, place, with_prefix_tokens
from core.model.transcript.message import Message
from tests.shared import shared

RELEASES = ("0.13.0", "0.14.0", "0.15.2", "0.16.0", "0.17.0", "0.18.2", "0.19.0", "0.22.2")
EARLY, LATE = RELEASES[:5], RELEASES[5:]


def conversation(*wires: dict[str, Any]) -> list[Message]:
    return [Message(wire) for wire in wires]


CALLS = [{"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}]
EXAMPLE = conversation(
    {"role": "system", "content": "You are careful."},
    {"role": "user", "content": "Look."},
    {"role": "assistant", "content": "", "tool_calls": CALLS},
    {"role": "tool", "content": "found", "tool_call_id": "c1"},
    {"role": "assistant", "content": None},
    {"role": "tool", "content": "", "tool_call_id": "c1"},
    {"role": "user", "content": [{"type": "text", "text": "And?"}, {"type": "text", "text": "Well?"}]},
)


def places(messages: list[Message], release: str, layout: str, **options: Any) -> list[int]:
    return [point.index for point in place(messages, release, layout, **options)]


@pytest.mark.parametrize("release", RELEASES)
def test_the_native_layout_marks_the_system_message_and_the_last_three(release: str) -> None:
    assert places(EXAMPLE, release, "native") == [0, 4, 5, 6]


@pytest.mark.parametrize("release", EARLY)
def test_early_envelopes_waste_markers_on_empty_messages_and_tool_results(release: str) -> None:
    found = place(EXAMPLE, release, "envelope")
    assert [(point.index, point.where, point.honoured) for point in found] == [
        (0, "part 0", True),
        (4, "top", False),
        (6, "part 1", True),
    ]


@pytest.mark.parametrize("release", LATE)
def test_later_envelopes_skip_what_cannot_carry_a_marker(release: str) -> None:
    assert places(EXAMPLE, release, "envelope") == [0, 1, 3, 6]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("layout", ["native", "envelope"])
@pytest.mark.shared
def test_the_vectors_of_the_real_releases_are_met(release: str, layout: str) -> None:
    if release == "0.22.2":
        pytest.skip("no vector of this release")
    vectors = json.loads(shared(f"vectors/vec2_{release}.json").read_text())
    name, ttl = ("native_5m", "5m") if layout == "native" else ("envelope_1h", "1h")
    found = place(EXAMPLE, release, layout, ttl)
    assert [[p.index, p.role, p.where.replace(" ", "")] for p in found] == [
        entry[:3] for entry in vectors[name]
    ]
    assert all((p.ttl == "1h") == ("ttl" in entry[3]) for p, entry in zip(found, vectors[name], strict=True))
    without = place(EXAMPLE[1:], release, "envelope")
    assert [[p.index, p.role, p.where.replace(" ", "")] for p in without] == [v[:3] for v in vectors["nosys"]]


def test_a_static_system_prefix_takes_a_message_s_marker_from_022_on() -> None:
    found = place(EXAMPLE, "0.22", "native", system_prefix="You are")
    assert [(point.index, point.where) for point in found] == [
        (0, "part 0"),
        (0, "part 1"),
        (5, "top"),
        (6, "part 1"),
    ]
    assert places(EXAMPLE, "0.19", "native", system_prefix="You are") == [0, 4, 5, 6]


def test_a_litellm_route_never_marks_tool_results() -> None:
    assert places(EXAMPLE, "0.22", "envelope", tool_parts=False) == [0, 1, 6]


def test_straight_to_anthropic_the_tools_and_completed_exchanges_are_marked() -> None:
    answered = [
        *EXAMPLE[:4],
        Message({"role": "assistant", "content": "Done."}),
        Message({"role": "user", "content": "ok"}),
    ]
    found = place(answered, "0.22", "native", system_prefix="You are", tool_schemas=True)
    assert [point.index for point in found] == [TOOLS, 0, 4, 5]


def test_markers_of_an_earlier_pass_do_not_change_where_new_ones_go() -> None:
    marked = {"type": "text", "text": "Look.", "cache_control": {"type": "ephemeral"}}
    again = [EXAMPLE[0], Message({"role": "user", "content": [marked]}), *EXAMPLE[2:]]
    assert place(again, "0.22", "envelope") == place(EXAMPLE, "0.22", "envelope")


def test_markers_the_messages_brought_along_stay_in_the_request_until_019() -> None:
    held = {"type": "text", "text": "Look.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    again = [EXAMPLE[0], Message({"role": "user", "content": [held]}), *EXAMPLE[2:]]
    found = place(again, "0.19", "native")
    assert [(point.index, point.ttl) for point in found] == [
        (0, "5m"),
        (1, "1h"),
        (4, "5m"),
        (5, "5m"),
        (6, "5m"),
    ]


def test_any_lifetime_but_an_hour_is_five_minutes() -> None:
    assert {point.ttl for point in place(EXAMPLE, "0.19", "native", "2h")} == {"5m"}
    assert {point.ttl for point in place(EXAMPLE, "0.19", "native", "1h")} == {"1h"}


def test_a_route_without_markers_has_no_breakpoints() -> None:
    assert place(EXAMPLE, "0.19", "none") == ()
    assert place([], "0.19", "native") == ()


def test_prefix_tokens_add_up_to_the_end_of_each_message() -> None:
    points = with_prefix_tokens(place(EXAMPLE, "0.19", "native"), [10, 20, 30, 40, 50, 60, 70], 1000)
    assert [point.prefix_tokens for point in points] == [1010, 1150, 1210, 1280]


CONTENT = st.one_of(
    st.none(),
    st.just(""),
    st.text(max_size=5),
    st.lists(
        st.one_of(
            st.text(max_size=3), st.fixed_dictionaries({"type": st.just("text"), "text": st.text(max_size=3)})
        )
    ),
)
WIRE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": CONTENT}
)


@settings(max_examples=150, deadline=None)
@given(st.lists(WIRE, max_size=8), st.sampled_from(RELEASES), st.sampled_from(["native", "envelope"]))
def test_there_are_never_more_than_four_and_they_are_in_order(
    wires: list[dict[str, Any]], release: str, layout: str
) -> None:
    indexes = places(conversation(*wires), release, layout)
    assert len(indexes) <= MARKERS
    assert indexes == sorted(set(indexes))
    assert all(0 <= index < len(wires) for index in indexes)
