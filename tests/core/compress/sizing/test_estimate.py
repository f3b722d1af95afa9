"""Token estimates, release by release."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.compress.sizing.estimate import message_size, text_tokens, tool_tokens, total_tokens
from core.hermes.policy.policy import load_policy

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 9000}}


@pytest.mark.parametrize(
    ("text", "chars", "size_by_bytes"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("abcde", 2, 2),
        ("压缩上下文", 2, 5),
        ("абвг", 1, 2),
        ("🙂", 1, 1),
        ("a压b", 1, 2),
    ],
)
def test_texts(text: str, chars: int, size_by_bytes: int) -> None:
    assert text_tokens(text, "chars") == chars
    assert text_tokens(text, "bytes") == size_by_bytes


@given(st.text(alphabet=st.characters(codec=None)))
def test_any_text_can_be_counted(text: str) -> None:
    assert text_tokens(text, "bytes") >= 0


def size(wire: dict[str, object], release: str) -> int:
    rules = load_policy(release).estimate
    return total_tokens([message_size(wire, rules)], rules)


def test_what_is_measured_is_the_python_repr() -> None:
    wire: dict[str, object] = {"role": "user", "content": "it's\n\u200bthere"}
    assert size(wire, "0.19") == (len(str(wire)) + 3) // 4


def test_an_image_has_a_fixed_price_whatever_its_bytes() -> None:
    with_image: dict[str, object] = {"role": "user", "content": [IMAGE]}
    assert 1500 < size(with_image, "0.13") < 1530


def test_keys_that_are_never_sent_count_until_019_and_not_from_022_on() -> None:
    bare: dict[str, object] = {"role": "user", "content": "hello"}
    stored = {**bare, "timestamp": 1700000000.5, "display_kind": "steer"}
    assert size(stored, "0.19") > size(bare, "0.19")
    assert size(stored, "0.22") == size(bare, "0.22")


def test_022_counts_what_is_sent_instead_of_the_content() -> None:
    shown: dict[str, object] = {"role": "user", "content": "x", "api_content": "y" * 400}
    sent: dict[str, object] = {"role": "user", "content": "y" * 400}
    assert size(shown, "0.22") == size(sent, "0.22")


def test_022_counts_thinking_once_and_never_ciphertext() -> None:
    once: dict[str, object] = {"role": "assistant", "content": "a", "reasoning_content": "t" * 400}
    assert size({**once, "reasoning": "t" * 400}, "0.22") == size(once, "0.22")
    sealed: dict[str, object] = {
        "role": "assistant",
        "codex_reasoning_items": [{"encrypted_content": "Q" * 900}],
    }
    assert size(sealed, "0.22") < 30


def test_old_thinking_is_distinguished_for_routes_that_drop_it() -> None:
    wire: dict[str, object] = {"role": "assistant", "content": "a", "reasoning": "t" * 400}
    found = message_size(wire, load_policy("0.22").estimate)
    assert found.text - found.bare > 90


def test_lists_of_messages_are_rounded_once_until_019() -> None:
    wire: dict[str, object] = {"role": "user", "content": "abc"}
    old, new = load_policy("0.19").estimate, load_policy("0.22").estimate
    length = len(str(wire))
    assert total_tokens([message_size(wire, old)] * 3, old) == (3 * length + 3) // 4
    assert total_tokens([message_size(wire, new)] * 3, new) == 3 * ((length + 3) // 4)


def test_tools_are_measured_by_repr_or_by_schema() -> None:
    tool = {
        "type": "function",
        "function": {"name": "ls", "description": "lists", "parameters": {"type": "object"}},
    }
    assert tool_tokens([tool], schema=False) == (len(str([tool])) + 3) // 4
    assert tool_tokens([tool], schema=True) == (len("lslists") + len('{"type":"object"}') + 3) // 4
