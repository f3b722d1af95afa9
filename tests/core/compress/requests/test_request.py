"""What a summariser is shown, and what a release adds to its answer."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from core.compress.pruning.truncate import elide, elide_middle
from core.compress.requests.additions import Finish, finished
from core.compress.requests.request import serialised
from core.compress.requests.sample import bounded, sampled
from core.compress.summarise.answer_check import sections
from core.hermes.policy.policy import load_policy
from core.model.transcript.message import Message
from tests.core.compress.conversations import damaged_rows


def shown(wire: dict[str, Any], release: str) -> str:
    return serialised([Message(wire)], load_policy(release).summary)


def test_records_are_labelled() -> None:
    call = {"id": "c", "function": {"name": "ls", "arguments": '{"a": 1}'}}
    turns = [
        Message({"role": "user", "content": "count them"}),
        Message({"role": "assistant", "content": "I will", "tool_calls": [call]}),
        Message({"role": "tool", "tool_call_id": "c", "content": "nine"}),
    ]
    text = serialised(turns, load_policy("0.19").summary)
    assert text == (
        '[USER]: count them\n\n[ASSISTANT]: I will\n[Tool calls:\n  ls({"a": 1})\n]\n\n[TOOL RESULT c]: nine'
    )


def test_long_bodies_keep_both_ends() -> None:
    body = "a" * 5000 + "b" * 5000
    old, new = (shown({"role": "user", "content": body}, release) for release in ("0.13", "0.22"))
    assert "\n...[truncated]...\n" in old
    assert "omitted here" in new
    for text in (old, new):
        assert text.count("a") >= 4000
        assert text.endswith("b" * 1500)


def test_long_arguments_are_cut() -> None:
    call = {"id": "c", "function": {"name": "write", "arguments": "x" * 1501}}
    text = shown({"role": "assistant", "content": "", "tool_calls": [call, "junk"]}, "0.13")
    assert f"  write({'x' * 1200}...)" in text
    assert "  ?(...)" in text


def test_credentials_are_masked_before_anything_is_cut() -> None:
    key = "sk-ant-api03-" + "Ab1" * 30
    text = shown({"role": "user", "content": "x" * 3990 + key + "y" * 4000}, "0.19")
    assert "Ab1Ab1" not in text


@pytest.mark.parametrize(("release", "seen"), [("0.16", "MEDIA:/tmp/a.png"), ("0.17", "[media attachment]")])
def test_media_paths_are_hidden_from_017_on(release: str, seen: str) -> None:
    assert seen in shown({"role": "user", "content": "see MEDIA:/tmp/a.png"}, release)


def test_from_019_on_lists_are_shown_by_their_text_and_thoughts_not_at_all() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    inline = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    parts = [{"type": "text", "text": "look"}, image, inline, {"type": "audio"}]
    text = shown({"role": "user", "content": parts}, "0.19")
    assert text == "[USER]: look\n[image: https://example.com/a.png]\n[image]\n[audio]"
    thought = shown({"role": "assistant", "content": "<think>hm</think>yes"}, "0.19")
    assert thought == "[ASSISTANT]: yes"
    assert "base64" in shown({"role": "user", "content": parts}, "0.18")


@tuned(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=80), max_size=60), st.integers(600, 2500))
def test_a_sample_never_passes_its_bound(records: list[str], most: int) -> None:
    assert len(sampled(records, most)) <= max(most, 0) or not records


def test_a_sample_holds_the_newest_record_and_names_its_gaps() -> None:
    records = [f"record {i} " + "x" * 300 for i in range(400)]
    text = sampled(records, 20000)
    assert records[0] in text
    assert records[-1] in text
    assert "chars elided — recover via session_search" in text
    assert len(text) > 18000


@given(st.text(max_size=3000), st.integers(300, 1500))
def test_a_bounded_text_keeps_both_ends(text: str, most: int) -> None:
    assert len(bounded(text, most)) <= most


@given(st.text(max_size=900), st.integers(150, 600))
def test_an_elided_text_fits(text: str, limit: int) -> None:
    cut = elide(text, limit)
    assert len(cut) <= limit
    assert (cut == text) == (len(text) <= limit)


def test_an_elided_middle_counts_what_is_gone() -> None:
    assert " 1,000 of 1,020 chars" in elide_middle("a" * 1020, 10, 10)


@tuned(max_examples=30, deadline=None)
@given(damaged_rows(), st.sampled_from(("0.13", "0.19", "0.22")), st.booleans())
def test_damaged_rows_can_be_shown(rows: list[Message], release: str, lean: bool) -> None:
    policy = load_policy(release)
    assert isinstance(serialised(rows, policy.summary, lean=lean), str)
    assert finished("## Goal\nx", Finish(rows, policy, lean, "s1"))


ASKS = [Message({"role": "user", "content": f"please count the {what}"}) for what in ("lanterns", "ledgers")]


def test_from_019_on_the_first_section_is_the_newest_request_word_for_word() -> None:
    body = "## Historical Task Snapshot\nSomething invented.\n\n## Goal\nCount."
    grounded = finished(body, Finish(ASKS, load_policy("0.19"), lean=False))
    found = sections(grounded)
    assert (
        "User asked (deterministic, from compacted turns): 'please count the ledgers'"
        in found["Historical Task Snapshot"]
    )
    assert found["Goal"] == "Count."
    assert "invented" not in grounded
    assert finished(body, Finish(ASKS, load_policy("0.18"), lean=False)) == body


def test_a_summary_without_that_section_gets_it() -> None:
    assert finished("## Goal\nCount.", Finish(ASKS, load_policy("0.22"), lean=False)).startswith(
        "## Historical Task Snapshot\nUser asked"
    )


def test_the_lean_tail_brings_exact_values_and_every_request_along() -> None:
    body = finished("## Goal\nCount.", Finish(ASKS, load_policy("0.22"), lean=True, session="s1"))
    found = sections(body)
    users = found["User Messages (verbatim, newest first)"]
    assert users.index("ledgers") < users.index("lanterns")
    assert "session_id='s1'" in found["Context Recovery"]
    assert "Context Recovery" not in sections(finished("x", Finish(ASKS, load_policy("0.22"), lean=True)))


def test_the_lean_tail_names_skills_to_load_again() -> None:
    mark = "[SKILL_PRUNED: content lost in compression; reload with skill_view(name='git')]"
    turns = [*ASKS, Message({"role": "tool", "content": f"[skill_view] name=git (9,000 chars) {mark}"})]
    assert mark in finished("## Goal\nCount.", Finish(turns, load_policy("0.22"), lean=True))


@pytest.mark.parametrize(
    ("count", "size", "most", "length", "digest"),
    [
        (30, 90, 2000, 1985, "58c80ad4c5e8"),
        (9, 400, 2600, 2374, "7d0811309d05"),
        (200, 37, 5000, 4977, "b4cc5d6df0e9"),
        (1100, 60, 9000, 8964, "ea2b9a3e3f2f"),
    ],
)
def test_samples_are_those_of_the_release(count: int, size: int, most: int, length: int, digest: str) -> None:
    records = [f"[{i}] " + "word " * (size * (1 + i % 3) // 5) for i in range(count)]
    text = sampled(records, most)
    assert (len(text), sha256(text.encode()).hexdigest()[:12]) == (length, digest)


@pytest.mark.parametrize("content", [None, [], {}, 0])
def test_an_empty_content_of_any_type_is_shown_as_nothing(content: Any) -> None:
    row = Message({"role": "assistant", "content": content})
    assert serialised([row], load_policy("0.17").summary) == "[ASSISTANT]: "
