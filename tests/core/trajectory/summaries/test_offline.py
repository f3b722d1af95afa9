"""What an offline summary is made from."""

from __future__ import annotations

import json

import pytest

from core.model.compaction.plan import Span
from core.trajectory.compress.plan import Settings
from core.trajectory.entries.forms import OPENAI, Turn, read_turns
from core.trajectory.summaries.base import SummarySpec
from core.trajectory.summaries.offline import messages, offline_writer

CALL = '<tool_call>\n{"name": "read_file", "arguments": {"path": "/srv/%s.py"}}\n</tool_call>'
TURNS = [
    Turn("human", "Fix the parser in /srv/a.py."),
    Turn("gpt", CALL % "a" + CALL % "b"),
    Turn("tool", "<tool_response>\nof a\n</tool_response>"),
    Turn("tool", "of b"),
    Turn("tool", "of nobody"),
    Turn("gpt", "Done."),
]


def test_a_tool_turn_answers_the_call_in_front_of_it() -> None:
    made = messages(TURNS, Span(0, 6))
    calls = [call.id for call in made[1].tool_calls]
    assert [one.tool_call_id for one in made[2:5]] == [*calls, None]
    assert [one.text for one in made[2:5]] == ["of a", "of b", "of nobody"]


def test_the_calls_of_openai_turns_are_read_as_calls_not_as_text() -> None:
    written = {"path": "/srv/a.py", "content": "def a():\n\tt.Fatal()"}
    calls = [
        {"function": {"name": "write_file", "arguments": json.dumps(written)}},
        {"function": {"name": "run", "arguments": {"command": "make"}}},
    ]
    spelt = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "I write:\nfor\n{1: 2}", "tool_calls": calls},
        {"role": "tool", "content": "written"},
        {"role": "tool", "content": "made"},
    ]
    made = messages(read_turns(spelt, OPENAI), Span(0, 4))
    assert made[1].text == "I write:\nfor\n{1: 2}"
    assert [(one.name, json.loads(one.arguments)) for one in made[1].tool_calls] == [
        ("write_file", written),
        ("run", {"command": "make"}),
    ]
    assert [one.tool_call_id for one in made[2:]] == [one.id for one in made[1].tool_calls]


def test_a_call_that_was_answered_is_not_reported_as_waiting() -> None:
    written = offline_writer(SummarySpec(), Settings("0.22"))(TURNS, Span(0, 6))
    assert "/srv/a.py" in written.text
    assert "no result yet" not in written.text


def test_of_a_long_turn_its_ends_are_read_and_of_its_call_every_short_argument() -> None:
    turns = [
        Turn("human", "Fix it."),
        Turn("gpt", CALL.replace('"path"', '"text": "' + "word " * 2_000 + '", "path"') % "late"),
        Turn("tool", "Traceback\n" + "filler " * 2_000 + "/srv/kept.py passed"),
        Turn("gpt", "On it."),
    ]
    written = offline_writer(SummarySpec(), Settings("0.22"))(turns, Span(0, 4)).text
    assert "/srv/late.py" in written
    assert "/srv/kept.py" in written
    assert len(written) < 2_000


@pytest.mark.parametrize("form", [" %s ", ",%s,", '","path":"/srv/%s/a.py"'])
def test_no_piece_of_a_credential_is_left_where_a_turn_is_cut(form: str) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 4
    write = offline_writer(SummarySpec(), Settings("0.22"))
    for before in range(80, 320):
        text = "x,y." * (before // 4) + "z" * (before % 4) + form % key + "end," * 400
        turns = [Turn(role, text) for role in ("human", "gpt", "tool")]
        assert key[:8] not in write([*turns, Turn("gpt", "Done.")], Span(0, 4)).text
