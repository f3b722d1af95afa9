"""What pruning makes of tool results, call arguments and images before anything is cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.compress.assembly.assemble import pruned_rows
from core.compress.dry_run import preview
from core.compress.planning.measure import Measured, measure
from core.compress.planning.plan import plan
from core.compress.pruning.shrink import CLEARED, DUPLICATE, cut_arguments
from core.compress.summarise.fallback.summariser import StaticSummariser
from core.hermes.policy.policy import load_policy, releases
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message

SMALL = Settings(window=64000, protect_last=2)
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def round_of(key: str, result: Any, tool: str = "terminal", **arguments: Any) -> list[dict[str, Any]]:
    function = {"name": tool, "arguments": json.dumps(arguments or {"command": "ls"})}
    call = {"id": key, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": key, "content": result},
    ]


def padded(rows: list[dict[str, Any]], words: int = 9000) -> list[Message]:
    """Old rows, then enough newer talk that the end protects none of them."""
    talk = [
        {"role": role, "content": "a lantern in the harbour " * (words // 20)}
        for role in ("user", "assistant")
    ]
    return [Message(row) for row in [{"role": "user", "content": "start"}, *rows, *(talk * 10)]]


def pruned_messages(measured: Measured, settings: Settings) -> list[Message]:
    return [row.message for row in pruned_rows(measured, plan(measured, settings))]


def pruned(rows: list[dict[str, Any]], release: str) -> list[Message]:
    return pruned_messages(measure(padded(rows), load_policy(release)), SMALL)


@pytest.mark.parametrize("release", releases())
def test_an_old_result_becomes_one_line(release: str) -> None:
    after = pruned(round_of("c1", "x" * 300), release)
    assert after[2].text == "[terminal] ran `ls` -> exit ?, 1 lines output"


@pytest.mark.parametrize("release", ["0.18", "0.19"])
def test_where_a_tiny_window_leaves_the_tail_no_budget_only_the_count_protects(release: str) -> None:
    measured = measure([Message(row) for row in round_of("c1", "x" * 300)], load_policy(release))
    protected = [
        pruned_messages(measured, Settings(window=1, protect_last=last))[1].text == "x" * 300
        for last in (0, 1)
    ]
    assert protected == [False, True]


@pytest.mark.parametrize("release", releases())
def test_a_short_result_stays(release: str) -> None:
    assert pruned(round_of("c1", "x" * 200), release)[2].text == "x" * 200


@pytest.mark.parametrize("release", releases())
def test_the_newest_copy_of_a_result_stays_complete_and_older_ones_refer_to_it(release: str) -> None:
    rows = [Message(row) for row in round_of("c1", "y" * 200) + round_of("c2", "y" * 200)]
    measured = measure(rows, load_policy(release))
    after = pruned_messages(measured, SMALL)
    assert (after[1].text, after[3].text) == (DUPLICATE, "y" * 200)
    assert plan(measured, SMALL).pruned == 1


def test_long_arguments_are_cut_inside_their_json_until_019() -> None:
    for release, cut in (("0.13", True), ("0.19", True), ("0.22", False)):
        row = pruned(round_of("c1", "ok", path="/a", content="z" * 900), release)[1]
        arguments = json.loads(row.tool_calls[0].arguments)
        assert arguments["path"] == "/a"
        assert arguments["content"] == ("z" * 200 + "...[truncated]" if cut else "z" * 900)


def test_arguments_that_are_no_json_stay() -> None:
    assert cut_arguments("{not json " + "z" * 900, 200) == "{not json " + "z" * 900


def test_cut_arguments_keep_every_other_value() -> None:
    assert json.loads(cut_arguments('{"a": ["ééé", 1, null, {"b": true}]}', 2)) == {
        "a": ["éé...[truncated]", 1, None, {"b": True}]
    }


def test_old_screenshots_go() -> None:
    parts = [{"type": "text", "text": "seen"}, IMAGE]
    after = pruned(round_of("c1", parts), "0.13")[2]
    assert after.text == "seen\n[screenshot removed to save context]"
    wrapped = {"_multimodal": True, "text_summary": "a harbour", "content": [IMAGE]}
    assert pruned(round_of("c1", wrapped), "0.13")[2].text == "[screenshot removed] a harbour"


def test_022_keeps_the_three_newest_images_of_tools() -> None:
    rows = [Message(row) for i in range(5) for row in round_of(f"c{i}", [IMAGE])]
    rows.append(Message({"role": "assistant", "content": "done"}))
    after = pruned_messages(measure(rows, load_policy("0.22")), SMALL)
    kept = [i for i, message in enumerate(after) if message.content == [IMAGE]]
    assert kept == [5, 7, 9]


def test_022_spares_the_round_nobody_answered_yet() -> None:
    rows = padded([])[:1] + [Message(row) for row in round_of("c1", "x " * 25000)]
    answered = [*rows, *(Message({"role": "assistant", "content": "so"}) for _ in range(40))]
    policy = load_policy("0.22")
    assert plan(measure(rows, policy), SMALL).pruned == 0
    assert plan(measure(answered, policy), SMALL).pruned == 1


def test_022_shrinks_even_the_end_under_pressure() -> None:
    rows = [Message({"role": "user", "content": "go"})]
    rows += [Message(row) for i in range(6) for row in round_of(f"c{i}", f"{i}" * 40000)]
    rows.append(Message({"role": "assistant", "content": "done"}))
    counts = {
        r: plan(measure(rows, load_policy(r)), Settings(window=200000)).pruned for r in ("0.19", "0.22")
    }
    assert counts["0.22"] > counts["0.19"]


def test_022_shortens_the_long_stub_of_a_failed_call_again_while_the_pressure_lasts() -> None:
    failed = json.dumps({"output": "E   assert 1 == 2\n" * 200, "error": "it was wrong " * 20})
    rows = [Message({"role": "user", "content": "go"})]
    for i in range(6):
        rows += map(Message, round_of(f"c{i}", failed, "process", command="a" * 60, data="b" * 60))
    rows += map(Message, round_of("big", "line of a big file\n" * 20_000, "read_file", path="big"))
    rows += [Message({"role": "assistant", "content": "Read."}), Message({"role": "user", "content": "And?"})]
    measured, chosen = measure(rows, load_policy("0.22")), Settings(window=64_000)
    found = plan(measured, chosen)
    assert (found.pruned, len(found.pruned_at), found.pruned_again) == (8, 7, (12,))
    assert "FAILED" in measured.shortened(12).text
    assert "FAILED" not in pruned_messages(measured, chosen)[12].text


def test_022_keeps_skills_the_model_still_works_by() -> None:
    rows = [Message({"role": "user", "content": "go"})]
    rows += [Message(row) for row in round_of("s1", "s" * 900, "skill_view", name="Git")]
    rows += padded([])[1:]
    policy = load_policy("0.22")
    asked = [*rows[:-1], Message({"role": "user", "content": "now use git for it"})]
    before, after = (pruned_messages(measure(list_, policy), SMALL)[2].text for list_ in (rows, asked))
    assert before.startswith("[skill_view]")
    assert after == "s" * 900


def test_022_clears_old_images_of_a_skill_it_still_works_by() -> None:
    rows = padded(round_of("s1", [IMAGE], "skill_view", name="git"))
    rows[-2] = Message({"role": "user", "content": "now use git for it"})
    after = pruned_messages(measure(rows, load_policy("0.22")), SMALL)
    assert after[2].content == [{"type": "text", "text": "[screenshot removed to save context]"}]


def test_blank_echoes_between_request_and_answer_are_left_out_by_022() -> None:
    rows = [
        {"role": "user", "content": "go"},
        {"role": "user", "content": " "},
        {"role": "assistant", "content": "k"},
    ]
    given = [Message(row) for row in rows]
    assert len(pruned_messages(measure(given, load_policy("0.22")), SMALL)) == 2
    assert len(pruned_messages(measure(given, load_policy("0.19")), SMALL)) == 3


def test_the_guide_puts_one_fixed_text_in_place_of_every_old_result() -> None:
    assert pruned(round_of("c1", "x" * 300), "seed-50")[2].text == CLEARED


def test_the_guide_keeps_three_messages_at_the_start_whatever_is_configured() -> None:
    for first in (0, 9):
        found = plan(measure(padded([]), load_policy("seed-50")), Settings(window=64000, protect_first=first))
        assert found.head.end == 3


def test_the_tiered_guide_keeps_800_characters_of_either_end_in_the_middle_only() -> None:
    policy = load_policy("seed-tiered")
    rows = padded(round_of("c0", "ok") * 12 + round_of("c1", "a" * 2000 + "b" * 2000))
    rows += [Message(row) for row in round_of("c2", "c" * 3000)]
    measured = measure(rows, policy)
    found = plan(measured, Settings(window=200000))
    assert found.middle.size
    assert found.pruned == sum(
        found.middle.start <= i < found.middle.end for i in measured.shrinkable if rows[i].role == "tool"
    )
    made = preview(measured, found, StaticSummariser(policy))
    assert made.after[-1].text == "c" * 3000
    text = measured.shrunk[26].text
    assert text.startswith("a" * 800 + "\n")
    assert text.endswith("\n" + "b" * 800)
    assert "2400 characters" in text
