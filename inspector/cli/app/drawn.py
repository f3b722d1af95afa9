"""What Rich, Textual and we remember of texts that were drawn, so that the same one is measured once.

They keep thousands of each, whatever their length. While Hermes writes, most of what is drawn was never drawn
before and never will be again: its sizes, ages and counts are others each time.
"""

from __future__ import annotations


def forget_drawn() -> None:
    """Forget all of them; a frame drawn after it takes some milliseconds longer."""
    from rich.cells import cached_cell_len
    from rich.segment import Segment
    from textual._styles_cache import StylesCache

    from inspector.terminal.text import _clean_line

    for one in (cached_cell_len, Segment._split_cells, StylesCache.get_inner_outer, _clean_line):
        one.cache_clear()
