"""What pruning makes of one message, and which it leaves alone."""

from __future__ import annotations

import pytest

from core.compress.pruning.shrink import shrink
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
