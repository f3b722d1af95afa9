"""An entry comes back as it was but for its turns, in the form it came in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.compaction.plan import Span
from core.trajectory.entries.entry import read_entry, rewritten
from core.trajectory.entries.forms import BadEntry
from core.trajectory.entries.spans import members

TURNS = [
    {"from": role, "value": text}
    for role, text in (("system", "s"), ("human", "h"), ("gpt", "g"), ("tool", "t"))
]


def line(value: Any, **options: Any) -> bytes:
    return (json.dumps(value, **options) + "\n").encode()


def test_every_other_byte_stays() -> None:
    text = (
        '{ "big": 12345678901234567890.10, "n": 1e400,"conversations" : [{"from":"system","value":"s"}, '
        '{"from":"gpt","value":"\\u00e9"},{"from":"gpt","value":"b"}] , "x": NaN}\r\n'
    )
    entry = read_entry(text.encode())
    new = rewritten(entry, Span(1, 2), "kürzer", "", {"a": 1})
    assert new.decode() == (
        '{ "big": 12345678901234567890.10, "n": 1e400,"conversations" : [{"from":"system","value":"s"}, '
        '{"from": "human", "value": "kürzer"},{"from":"gpt","value":"b"}] , "x": NaN, '
        '"compression_metrics": {"a": 1}}\r\n'
    )


def test_metrics_of_an_earlier_run_are_replaced() -> None:
    entry = read_entry(line({"compression_metrics": {"old": 1}, "conversations": TURNS}))
    assert json.loads(rewritten(entry, Span(1, 2), "s", "", {"new": 2}))["compression_metrics"] == {"new": 2}


def test_the_system_turn_of_the_head_gains_the_notice() -> None:
    new = json.loads(rewritten(read_entry(line({"conversations": TURNS})), Span(1, 2), "s", " noted", None))
    assert [turn["value"] for turn in new["conversations"]] == ["s noted", "s", "g", "t"]


MESSAGES = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {}}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "function": {"name": "ls", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "out"},
]


@pytest.mark.parametrize("key", ["messages", "trajectory", "conversations"])
@pytest.mark.parametrize("as_text", [False, True])
def test_messages_keep_their_form(key: str, as_text: bool) -> None:
    entry = read_entry(line({"id": 1, key: json.dumps(MESSAGES) if as_text else MESSAGES}))
    assert [(turn.role, turn.text) for turn in entry.turns] == [
        ("system", "s"),
        ("human", "look"),
        ("gpt", "ls\n{}"),
        ("tool", "out"),
    ]
    new = json.loads(rewritten(entry, Span(2, 4), "told", " noted", None))[key]
    assert isinstance(new, str) == as_text
    after = json.loads(new) if as_text else new
    assert after == [
        {"role": "system", "content": "s noted"},
        MESSAGES[1],
        {"role": "user", "content": "told"},
    ]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"not json\n", "not JSON"),
        (b"\xff\xfe\n", "not UTF-8"),
        (b"[1]\n", "not a JSON object"),
        (b'{"conversations": 5}\n', "is not a list"),
        (b'{"messages": "plain words"}\n', "holds no JSON"),
        (b'{"conversations": [1]}\n', "turn 0 is not an object"),
        (b'{"conversations": [{"from": "gpt", "value": 3}]}\n', "`value` is not a text"),
        (b'{"messages": [{"role": 3}]}\n', "`role` is not a text"),
        (b"[" * 100_000 + b"\n", "nested too deeply"),
        (b'{"n": ' + b"9" * 5_000 + b"}\n", "a number of thousands of digits"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, why: str) -> None:
    with pytest.raises(BadEntry, match=why):
        read_entry(data)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
turns = st.lists(
    st.fixed_dictionaries({"from": st.sampled_from(["system", "human", "gpt", "tool"]), "value": st.text()}),
    min_size=1,
    max_size=8,
)


@given(st.dictionaries(st.text(), values, max_size=4), turns, st.data(), st.booleans())
def test_any_entry_keeps_its_other_fields_and_its_other_turns(
    others: dict[str, Any], spoken: list[dict[str, str]], data: st.DataObject, ascii_only: bool
) -> None:
    others = {
        key: one
        for key, one in others.items()
        if key not in ("messages", "trajectory", "compression_metrics")
    }
    start = data.draw(st.integers(0, len(spoken) - 1))
    end = data.draw(st.integers(start + 1, len(spoken)))
    source = {**others, "conversations": spoken}
    text = json.dumps(source, ensure_ascii=ascii_only)
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return
    new = json.loads(rewritten(read_entry(raw), Span(start, end), "short", "", {"m": 1}))
    kept = [*spoken[:start], {"from": "human", "value": "short"}, *spoken[end:]]
    assert new == {**source, "conversations": kept, "compression_metrics": {"m": 1}}


pieces = st.text(alphabet='{}[]:,"\\ntrue1-. \n\t' + "aé", max_size=30)


@given(pieces | st.builds(json.dumps, values) | st.builds(lambda value: json.dumps(value)[:-1], values))
def test_what_is_json_is_what_python_takes_for_json(text: str) -> None:
    try:
        wanted: Any = json.loads(text)
    except ValueError:
        wanted = None
    if not isinstance(wanted, dict):
        with pytest.raises(BadEntry):
            read_entry(text.encode())
        return
    found = members(text.encode())
    assert found.keys() == wanted.keys()
    assert all(
        json.loads(text.encode()[start:end]) == wanted[key] or wanted[key] != wanted[key]
        for key, (start, end) in found.items()
    )


@pytest.mark.parametrize(
    "odd", ["NaN", "1e400", '"\\ud83d"', '"\\ude00"', '"\\ud83d\\ude00"', "9" * 400, '1, "x": 2']
)
def test_what_only_python_takes_for_json_stays_too(odd: str) -> None:
    text = f'{{"é": "猫", "x": {odd}, "conversations": {json.dumps(TURNS)}, "y": [{odd[:3]}]}}'
    text = text if odd[0] in "9N" else text.replace(f"[{odd[:3]}]", "[]")
    entry = read_entry(text.encode())
    new = rewritten(entry, Span(1, 4), "s", "", None)
    kept = f"[{json.dumps(TURNS[0])}, {json.dumps({'from': 'human', 'value': 's'})}]"
    assert new.decode() == text.replace(json.dumps(TURNS), kept)


@pytest.mark.parametrize("value", ["\\ud83d", "\\ude00 a", "\\ud83d\\ude00", "\\u0000"])
def test_halves_of_characters_are_read_as_python_reads_them(value: str) -> None:
    line = f'{{"conversations": [{{"from": "gpt", "value": "{value}"}}]}}'
    assert read_entry(line.encode()).turns[0].text == json.loads(f'"{value}"')
