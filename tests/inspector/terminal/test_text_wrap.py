"""Text is broken into lines without losing any of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.terminal.text import clean, wrap

TEXT = st.text(st.characters(codec="utf-8"), max_size=120) | st.text("ab \t\n中é", max_size=200)


@given(TEXT, st.integers(1, 40))
@settings(max_examples=200, deadline=None)
def test_no_line_is_too_wide_and_no_word_is_lost(text: str, width: int) -> None:
    lines = list(wrap(clean(text), width))
    assert all(cell_len(line) <= max(width, 2) for line in lines)
    assert "".join("".join(lines).split()) == "".join(clean(text).split())


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("to be or not", 6, ["to be", "or not"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a  b", 10, ["a  b"]),
        ("    def f():", 20, ["    def f():"]),
        ("one\n\ntwo", 10, ["one", "", "two"]),
        ("中文字符", 5, ["中文", "字符"]),
        ("\tx", 10, ["    x"]),
        ("", 10, [""]),
    ],
)
def test_lines_break_where_a_reader_expects(text: str, width: int, lines: list[str]) -> None:
    assert list(wrap(text, width)) == lines
