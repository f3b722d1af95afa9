"""What Rich, Textual and we remember of texts that were drawn, so that the same one is measured once.

They keep thousands of each, whatever their length. While Hermes writes, most of what is drawn was never drawn
before and never will be again: its sizes, ages and counts are others each time.
"""

from __future__ import annotations

from collections.abc import Callable

from rich import cells
from rich.segment import Segment
from textual._styles_cache import StylesCache

from inspector.terminal import text


def forget_drawn() -> None:
    """Forget all of them; a frame drawn after it takes some milliseconds longer."""
    for clear in _CACHES:
        clear()


_CACHES: tuple[Callable[[], None], ...] = (
    cells.cached_cell_len.cache_clear,
    Segment._split_cells.cache_clear,
    StylesCache.get_inner_outer.cache_clear,
    text._clean_line.cache_clear,
)
