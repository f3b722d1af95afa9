"""A message has one name, in a request and in a row."""

from __future__ import annotations

from typing import Any

import pytest

from core.recordings.row_names import row_name, rows_of


def call(arguments: str) -> dict[str, Any]:
    one = {"id": "c1", "type": "function", "function": {"name": "t", "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [one]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (call('{"a": 1, "b": 2}'), call('{"b":2,"a":1}')),
        ({**call("{}"), "content": None}, {**call("{}"), "finish_reason": "tool_calls"}),
        (
            {"role": "user", "content": "hi"},
            {
                "role": "user",
                "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}],
            },
        ),
    ],
)
def test_what_a_provider_takes_for_the_same_has_one_name(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert row_name(one) == row_name(other)


@pytest.mark.parametrize(
    "other",
    [
        {"role": "user", "content": "ho"},
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
    ],
)
def test_what_it_takes_for_another_has_another(other: dict[str, Any]) -> None:
    assert row_name({"role": "user", "content": "hi"}) != row_name(other)


def test_the_form_of_another_provider_is_split_into_the_rows_that_are_stored() -> None:
    spoken = [
        {"type": "text", "text": "Next."},
        {"type": "tool_use", "id": "c1", "name": "t", "input": {"a": 1}},
    ]
    results = [{"type": "tool_result", "tool_use_id": f"c{n}", "content": f"r{n}"} for n in (1, 2)]
    sent = [{"role": "assistant", "content": spoken}, {"role": "user", "content": [*results, *spoken[:1]]}]
    stored = [
        {**call('{"a": 1}'), "content": "Next."},
        {"role": "tool", "tool_call_id": "c1", "content": "r1"},
        {"role": "tool", "tool_call_id": "c2", "content": "r2"},
        {"role": "user", "content": "Next."},
    ]
    assert [row_name(row) for one in sent for row in rows_of(one)] == [row_name(row) for row in stored]
