"""One row of the message list, whatever it holds."""

from __future__ import annotations

import json

import pytest
from rich.cells import cell_len

from core.model.compaction.plan import Part
from core.model.transcript.message import RowState, ToolCall
from core.model.transcript.storage import RowPreview
from inspector.terminal.line import Line, Palette, defaults
from inspector.widgets.messages.message_line import (
    Marks,
    MessageRow,
    argument_line,
    beginning,
    draw_message,
    laid_out,
)
from inspector.widgets.messages.message_list import Band, draw_band
from tests.hostile import HOSTILE, harmful

INK = Palette(defaults())


def preview(role: str = "user", text: str = "hello", **more: object) -> RowPreview:
    return RowPreview(id=7, session_id="s", role=role, text=text, size=80, state=RowState.LIVE, **more)  # type: ignore[arg-type]


def words(line: Line) -> str:
    return line.strip().text


def drawn(row: MessageRow, width: int = 100, marks: Marks | None = None) -> str:
    return words(draw_message(row, width, INK, marks or Marks()))


def test_a_row_says_where_it_is_who_speaks_and_what_it_weighs() -> None:
    row = MessageRow(3, preview(), Part.MIDDLE, tokens=2_308)
    assert drawn(row).split() == ["M", "3", "○", "user", "2,308", "hello"]


def test_an_unmeasured_row_shows_a_marked_guess_from_its_size() -> None:
    assert "~20" in drawn(MessageRow(0, preview()))


def test_a_pruned_result_shows_what_would_be_left_of_it() -> None:
    row = MessageRow(5, preview("tool", "9,000 lines"), Part.MIDDLE, 2_308, stub="[read_file] read a.py")
    assert "→ [read_file] read a.py" in drawn(row)
    assert "9,000" not in drawn(row)


def test_a_call_shows_its_tool_and_its_first_argument() -> None:
    calls = (ToolCall("a", "terminal", '{"command": "pytest -q", "timeout": 5}'),)
    row = MessageRow(1, preview("assistant", "", tool_name="terminal", calls=2), Part.HEAD, 85, calls=calls)
    assert "⚙ terminal  pytest -q timeout=5 +1" in " ".join(drawn(row).split("   "))


def test_a_row_of_every_generation_shows_its_generation_and_state() -> None:
    archived = RowPreview(7, "s", "user", "hello", 80, RowState.ARCHIVED)
    assert drawn(MessageRow(0, archived, generation=2)).startswith(" 2▫")


def test_a_summary_is_named_so() -> None:
    assert "§ summary" in drawn(MessageRow(0, preview(is_summary=True), Part.HEAD, 10))


def test_damage_comes_first_and_emptiness_is_stated() -> None:
    assert "▲ content is not UTF-8" in drawn(MessageRow(0, preview(damage=("content is not UTF-8",))))
    assert drawn(MessageRow(0, preview(text=" \n"))).endswith("empty")


def test_hits_are_marked_without_colour() -> None:
    assert "•" in drawn(MessageRow(4, preview()), marks=Marks(hits=frozenset({4})))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("width", [30, 100])
def test_a_hostile_row_is_one_harmless_line_of_its_width(text: str, width: int) -> None:
    call = ToolCall(text, text, json.dumps({text: text}))
    rows = (
        MessageRow(0, preview(text, text, tool_name=text, damage=(text,)), Part.TAIL, 1, stub=text),
        MessageRow(1, preview("assistant", text, tool_name=text, calls=1), Part.TAIL, 1, calls=(call,)),
    )
    for row in rows:
        strip = draw_message(row, width, INK, Marks()).strip(width)
        assert not harmful(strip.text)
        assert cell_len(strip.text) == width
    assert not harmful(words(draw_band(Band(0, None, text, text), width, INK)))


def test_a_band_fills_the_width_it_has() -> None:
    line = draw_band(Band(3, Part.MIDDLE, "middle", "26 messages"), 60, INK)
    assert words(line).startswith(" ═ middle ═ 26 messages ═")
    assert line.width == 60


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ('{"output": "two\\nlines", "exit_code": 0}', "two lines"),
        ('{"content":"cut in the mid', "cut in the mid"),
        ('{"other": 1}', '{"other": 1}'),
        ("plain", "plain"),
    ],
)
def test_the_start_of_a_result_is_shown_without_its_json(stored: str, shown: str) -> None:
    assert beginning(stored).startswith(shown)


def test_json_is_laid_out_and_anything_else_left_alone() -> None:
    assert laid_out('{"a": "one\\ntwo", "b": 3}') == "a: \none\ntwo\nb: 3"
    assert laid_out("{broken") == "{broken"
    assert laid_out("[1, 2]") == "[1, 2]"
    deep = "{" + '"a":{' * 40_000
    assert laid_out(deep) == deep


def test_arguments_that_are_no_object_stand_as_they_are() -> None:
    assert argument_line(ToolCall("", "t", "not json")) == "not json"
    assert argument_line(ToolCall("", "t", '["a"]')) == '["a"]'
    assert argument_line(ToolCall("", "t", "{}")) == ""
