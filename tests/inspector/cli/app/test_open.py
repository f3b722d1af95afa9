"""What was drawn once is not held for ever."""

from __future__ import annotations

from rich.cells import cached_cell_len
from rich.segment import Segment

from inspector.cli.app.open import clear_render_caches
from inspector.terminal import text


def test_texts_that_were_drawn_are_forgotten() -> None:
    for number in range(50):
        Segment(text.clean_line(f"{number} calls")).split_cells(3)
    assert text._clean_line.cache_info().currsize >= 50
    clear_render_caches()
    kept = (text._clean_line, cached_cell_len, Segment._split_cells)
    assert [one.cache_info().currsize for one in kept] == [0, 0, 0]
