"""Starting the app: what was drawn once is not held for ever, and a terminal may lack colours."""

from __future__ import annotations

import pytest
from rich.cells import cached_cell_len
from rich.segment import Segment

from inspector.app import InspectorApp
from inspector.cli.app.open import clear_render_caches, colours
from inspector.terminal import text


def test_texts_that_were_drawn_are_forgotten() -> None:
    for number in range(50):
        Segment(text.clean_line(f"{number} calls")).split_cells(3)
    assert text._clean_line.cache_info().currsize >= 50
    clear_render_caches()
    kept = (text._clean_line, cached_cell_len, Segment._split_cells)
    assert [one.cache_info().currsize for one in kept] == [0, 0, 0]


@pytest.mark.parametrize(("term", "plain"), [("vt100", True), ("vt220", True), ("xterm", False)])
def test_a_terminal_without_colours_gets_signs_and_textures(
    term: str, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "COLORTERM", "TEXTUAL_COLOR_SYSTEM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", term)
    assert InspectorApp((), colours=colours()).no_color is plain
