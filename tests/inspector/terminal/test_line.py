"""Marking words in a row that is put together already."""

from __future__ import annotations

import pytest
from rich.style import Style

from inspector.terminal.line import Line, Palette, found_in, recoloured

MARK = Style(underline=True)


def _marked(line: Line) -> list[str]:
    return [segment.text for segment in line.strip() if segment.style and segment.style.underline]


def test_a_word_is_marked_where_it_is_and_the_text_stays_as_it_was() -> None:
    line = Line().add("port 5433, then 5433 again").mark(("5433",), MARK)
    assert _marked(line) == ["5433", "5433"]
    assert line.text == "port 5433, then 5433 again"


@pytest.mark.parametrize("text", ["154330", "x5433", "5433x"])
def test_a_part_of_a_longer_word_is_not_marked(text: str) -> None:
    assert found_in(text, ("5433",)) == []


def test_words_that_overlap_are_marked_once() -> None:
    assert _marked(Line().add("see src/a/b.py now").mark(("src/a", "a/b.py"), MARK)) == ["src/a/b.py"]


def test_a_word_that_the_row_cuts_off_is_marked_as_far_as_it_goes() -> None:
    line = Line().add("never touch released migrations", most=20).mark(("touch released migrations",), MARK)
    assert _marked(line) == ["touch released"[: 20 - len("never ") - 1].rstrip()]


def test_what_is_before_the_first_cell_stays_as_it_was() -> None:
    line = Line().add("5433").add(" 5433")
    assert _marked(line.mark(("5433",), MARK, start=4)) == ["5433"]


def test_one_text_colour_gives_way_to_another_and_the_rest_stays() -> None:
    red, white, green = Style(color="red"), Style(color="white"), Style(color="green")
    row = Line().add("failed", red + Style(bold=True)).gap().add("ok", green).strip()
    shown = [(one.text, one.style) for one in recoloured(row, red, white)]
    assert shown == [("failed", white + Style(bold=True)), (" ", None), ("ok", green)]
    assert recoloured(row, red, red) is row


def test_a_failure_on_the_cursors_colour_takes_the_colour_that_can_be_read_there() -> None:
    ink = Palette({"severity-critical": "#ff0000", "cursor": "#0000ee", "cursor-critical": "#ffffff"})
    assert ink.style("severity-critical", on="cursor") == Style(color="#ffffff", bgcolor="#0000ee")
    assert ink.style("severity-critical") == Style(color="#ff0000")
