"""What pruning makes of one message, and which it leaves alone."""

from __future__ import annotations

import json

import pytest

from core.compress.pruning.shrink import cut_arguments, shrink
from core.hermes.policy.policy import load_policy, releases
from core.model.transcript.message import Message


def result(content: str, role: str = "tool") -> Message:
    return Message({"role": role, "content": content, "tool_call_id": "c1"})


@pytest.mark.parametrize("release", releases())
def test_only_results_of_tools_that_are_longer_than_the_release_lets_them_be_give_way(release: str) -> None:
    policy = load_policy(release)
    longest = "x" * policy.prune.over
    assert shrink(result(longest), {}, policy) is None
    assert shrink(result(longest + "x"), {}, policy) is not None
    for role in ("user", "system", "assistant"):
        assert shrink(result(longest + "x", role), {}, policy) is None


@pytest.mark.parametrize("release", releases())
def test_what_was_pruned_once_is_not_pruned_again(release: str) -> None:
    policy = load_policy(release)
    once = shrink(result("x" * (policy.prune.over + 5_000)), {}, policy)
    assert once is not None
    assert shrink(once, {}, policy) is None


def test_long_texts_in_arguments_are_cut_and_the_json_stays_valid() -> None:
    cut = json.loads(cut_arguments(json.dumps({"path": "a.py", "lines": ["x" * 900, "short"]}), 200))
    assert cut == {"path": "a.py", "lines": [f"{'x' * 200}...[truncated]", "short"]}


def test_a_cut_that_warns_the_model_is_made_once_and_only_where_it_saves_something() -> None:
    long = json.dumps({"content": "x" * 900, "note": "y" * 380})
    once = cut_arguments(long, 200, warns=True)
    assert len(once) < len(long)
    cut = json.loads(once)
    assert cut["note"] == "y" * 380, "the mark is longer than what it would replace"
    assert cut["content"].startswith(f"{'x' * 200}⟪HERMES-CONTEXT-COMPRESSION: 700 of 900 chars")
    assert cut_arguments(once, 200, warns=True) == once
    compact = '{"note":"short","n":[1,2]}'
    assert cut_arguments(compact, 200, warns=True) == compact
