from __future__ import annotations

from core.compress.sizing.weight import message_weight
from core.hermes.policy.policy import load_policy


def test_every_part_of_a_weight_is_divided_on_its_own() -> None:
    calls = [{"id": "a", "function": {"name": "f", "arguments": "1234567"}}] * 2
    wire: dict[str, object] = {"role": "assistant", "content": "1234567", "tool_calls": calls}
    assert message_weight(wire, load_policy("0.13")).total == 10 + 1 + 1 + 1
    assert message_weight(wire, load_policy("0.18")).total == 10 + 1 + 2 * (len(str(calls[0])) // 4)


def test_thinking_weighs_from_018_on() -> None:
    wire: dict[str, object] = {
        "role": "assistant",
        "content": "",
        "reasoning": "t" * 40,
        "reasoning_content": "t" * 40,
    }
    assert message_weight(wire, load_policy("0.17")).total == 10
    assert message_weight(wire, load_policy("0.18")).total == 30
    assert message_weight(wire, load_policy("0.22")).thinking == 10
