"""The list after a compaction equals the release's own; the table was written by the releases themselves."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from core.compress.assembly.assemble import Assembled, assemble
from core.compress.messages.kinds import content_text, is_summary
from core.compress.messages.list_rows import Row
from core.compress.messages.restated_request import running_request
from core.compress.messages.summary_row import place, visible_role
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.hermes.markers.wording import OURS
from core.hermes.policy.policy import load_policy, releases
from core.model.compaction.plan import Plan, Settings
from core.model.transcript.message import Message
from tests.core.compress.conversations import SHAPES, conversation, damaged_rows, interrupted
from tests.core.compress.planning.test_plan import SETTINGS, any_settings, policies

FIXTURE = Path(__file__).parents[3] / "fixtures" / "assembled.json"
BODY = "## Goal\nA fixed summary."
_NOTE = re.compile(r"\[Note: Some earlier conversation turns have been compacted[^\]]*\]")
_HOST_KEYS = (
    "_compressed_summary_has_user_turn",
    "_compaction_tail",
    "_absorbed_message_uids",
    "_inflight_replay_merged",
)
TABLE = json.loads(FIXTURE.read_text("utf-8"))


def fingerprint(after: list[dict[str, Any]], prefix: str) -> list[Any]:
    """How many messages, the place of the summary, every role, and a digest of everything but its words."""
    rows = [_masked(row, prefix) for row in after]
    index = next((i for i, row in enumerate(rows) if "<S>" in json.dumps(row)), None)
    roles = "".join(str(row.get("role"))[0] for row in rows)
    return [len(rows), index, roles, sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:12]]


def _masked(value: Any, prefix: str) -> Any:
    if isinstance(value, dict):
        return {key: _masked(entry, prefix) for key, entry in value.items() if key not in _HOST_KEYS}
    if isinstance(value, list):
        return [_masked(entry, prefix) for entry in value]
    if not isinstance(value, str):
        return value
    start = value.rfind(prefix)
    if start >= 0:
        end = value.find("--- END OF CONTEXT SUMMARY", start)
        value = value[:start] + "<S>" + (value[end:] if end >= 0 else "")
    return _NOTE.sub("<NOTE>", value)


def compacted(rows: list[dict[str, Any]], policy: Any, chosen: Settings) -> tuple[Plan, Assembled]:
    measured = measure([Message(row) for row in rows], policy)
    found = plan(measured, chosen)
    return found, assemble(measured, found, BODY)


@pytest.mark.parametrize("release", TABLE)
def test_lists_equal_those_of_the_release(release: str) -> None:
    for shape, seed, which, *expected in TABLE[release]:
        _, made = compacted(SHAPES[shape](seed), load_policy(release), SETTINGS[which])
        after = [dict(message.wire) for message in made.messages]
        assert fingerprint(after, OURS.handoff) == expected, (SHAPES[shape].__name__, seed, which)


shapes = st.sampled_from(SHAPES)
seeds = st.integers(0, 60)
strict = st.sampled_from(("0.19", "0.22")).map(load_policy)


def stored_role(row: Row) -> Any:
    return row.role


def ids(messages: tuple[Message, ...]) -> tuple[set[str], set[str]]:
    calls = {call.id for message in messages if message.role == "assistant" for call in message.tool_calls}
    results = {m.tool_call_id for m in messages if m.role == "tool" and m.tool_call_id is not None}
    return calls, results


@tuned(max_examples=25, deadline=None)
@given(shapes, seeds, policies, any_settings)
def test_no_result_is_without_its_call(shape: Any, seed: int, policy: Any, chosen: Settings) -> None:
    _, made = compacted(shape(seed), policy, chosen)
    if made.changed:
        calls, results = ids(made.messages)
        assert results <= calls


@tuned(max_examples=25, deadline=None)
@given(shapes, seeds, policies, any_settings)
def test_no_call_is_without_its_result_unless_it_still_runs(
    shape: Any, seed: int, policy: Any, chosen: Settings
) -> None:
    _, made = compacted(shape(seed), policy, chosen)
    if not made.changed:
        return
    calls, results = ids(made.messages)
    last = next(m for m in reversed(made.messages) if m.role != "tool")
    pending = {call.id for call in last.tool_calls} if policy.assembly.keeps_pending else set()
    assert calls - results <= pending


@tuned(max_examples=25, deadline=None)
@given(shapes, seeds, policies, any_settings)
def test_one_live_summary_is_left(shape: Any, seed: int, policy: Any, chosen: Settings) -> None:
    _, made = compacted(shape(seed), policy, chosen)
    if made.changed and policy.summary.every_summary:
        assert sum(is_summary(message.wire, policy.summary) for message in made.messages) == 1
    if made.changed:
        assert made.summary_index is not None
        assert is_summary(made.messages[made.summary_index].wire, policy.summary)


@tuned(max_examples=20, deadline=None)
@given(shapes, seeds, strict, any_settings)
def test_a_summary_of_its_own_alternates_with_its_neighbours(
    shape: Any, seed: int, policy: Any, chosen: Settings
) -> None:
    _, made = compacted(shape(seed), policy, chosen)
    at = made.summary_index
    if at is None or made.origins[at] is not None:
        return
    counted = visible_role if policy.assembly.visible_roles else stored_role
    before = [role for message in made.messages[:at] if (role := counted(Row(message)))]
    after = [role for message in made.messages[at + 1 :] if (role := counted(Row(message)))]
    assert before[-1:] != [made.messages[at].role]
    assert after[:1] != [made.messages[at].role]


@tuned(max_examples=20, deadline=None)
@given(shapes, seeds, policies, any_settings)
def test_what_the_release_takes_for_the_newest_request_survives(
    shape: Any, seed: int, policy: Any, chosen: Settings
) -> None:
    rows = shape(seed)
    newest = measure([Message(row) for row in rows], policy).columns.requests[-1]
    found, made = compacted(rows, policy, chosen)
    if not made.changed or not policy.tail.anchors or newest <= found.middle.start:
        return
    if policy.tail.splits_turns and running_request([Message(row) for row in rows], policy) is None:
        return  # a turn too large for the tail is cut in two, and only an open request is said again
    wanted = content_text(rows[newest]["content"]).strip()
    assert any(wanted in content_text(message.content) for message in made.messages)


@tuned(max_examples=20, deadline=None)
@given(shapes, seeds, policies, any_settings)
def test_the_list_given_is_never_touched(shape: Any, seed: int, policy: Any, chosen: Settings) -> None:
    rows = shape(seed)
    compacted(rows, policy, chosen)
    assert rows == shape(seed)


@tuned(max_examples=20, deadline=None)
@given(damaged_rows(), policies, any_settings)
def test_damaged_rows_are_assembled_all_the_same(rows: list[Message], policy: Any, chosen: Settings) -> None:
    measured = measure(rows, policy)
    made = assemble(measured, plan(measured, chosen), BODY)
    assert len(made.messages) == len(made.origins)


def test_an_abort_leaves_the_list_as_it_is() -> None:
    measured = measure([Message(row) for row in conversation(4)], load_policy("0.19"))
    made = assemble(measured, plan(measured, SETTINGS[0]), None)
    assert made.messages == measured.messages
    assert not made.changed


def test_every_summary_we_write_opens_with_the_marker_all_releases_read() -> None:
    for release in releases():
        _, made = compacted(conversation(4), load_policy(release), SETTINGS[0])
        assert made.text.startswith("[CONTEXT SUMMARY]:")
        assert made.text.endswith(BODY)


def test_022_says_a_running_request_again_and_drops_its_first_copy() -> None:
    rows = interrupted(9)
    for chosen in (Settings(window=64000, protect_first=60), Settings(window=70000, protect_first=40)):
        _, made = compacted(rows, load_policy("0.22"), chosen)
        if made.changed:
            uids = [m.wire.get("message_uid") for m in made.messages if m.wire.get("message_uid")]
            assert len(uids) == len(set(uids))


def test_a_compacted_list_can_be_compacted_again() -> None:
    for release in releases():
        policy = load_policy(release)
        _, first = compacted(conversation(11), policy, SETTINGS[0])
        grown = [dict(message.wire) for message in first.messages] + conversation(12)
        _, second = compacted(grown, policy, SETTINGS[0])
        assert second.changed


@pytest.mark.parametrize(("release", "noted"), [("0.21.5", True), ("0.22", False)])
def test_a_middle_of_earlier_summaries_only_leaves_the_notes_of_the_tail_before_022(
    release: str, noted: bool
) -> None:
    rounds = [row for number in range(12) for row in _round(number)]
    asked = [{"role": "user", "content": text} for text in (f"{OURS.handoff}\n{BODY}", "Go.")]
    rows = [*asked, *rounds]
    found, made = compacted(rows, load_policy(release), Settings(window=400_000, protect_first=0))
    assert found.blocked_by == ("the middle holds only earlier summaries",)
    assert not made.changed
    assert ("demoted at compaction" in str(made.messages[3].content)) is noted


def _round(number: int) -> list[dict[str, Any]]:
    made = {"id": f"c{number}", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [made]},
        {"role": "tool", "tool_call_id": made["id"], "content": f"line {number} of the journal\n" * 100},
    ]


@pytest.mark.parametrize(("release", "roles"), [("0.18.0", "a"), ("0.18", "ua"), ("0.19", "ua")])
def test_018_0_joins_the_summary_to_an_answer_where_no_user_is_left(release: str, roles: str) -> None:
    tail = [Row(Message({"role": "assistant", "content": "Done."}), 4)]
    spot = place([], tail, load_policy(release).assembly)
    assert ("u" if spot.merge_into is None and spot.role == "user" else "") + "a" == roles
