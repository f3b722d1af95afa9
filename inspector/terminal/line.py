"""One row of the screen, put together cell by cell; the only maker of segments and strips."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from inspector.terminal.text import cell_len, clean, clean_line, crop, fit


class Line:
    """A row under construction: every piece of text is cleaned on its way in.

    Example:
        `Line().cell(row.title, 30, ink).gap(2).cell(tokens, 8, dim, right=True).strip(width)`
    """

    __slots__ = ("_segments", "width")

    def __init__(self) -> None:
        self._segments: list[Segment] = []
        self.width = 0

    def add(self, text: str, style: Style | None = None, *, most: int | None = None) -> Line:
        """Append text in its own width, cropped to `most` cells."""
        text = clean_line(text)
        text = text if most is None else crop(text, most)
        return self._put(text, style, cell_len(text))

    def cell(self, text: str, width: int, style: Style | None = None, *, right: bool = False) -> Line:
        """Append text cropped or padded to exactly `width` cells."""
        return self._put(fit(clean_line(text), width, right=right), style, max(width, 0))

    def preformatted(self, text: str, style: Style | None = None) -> Line:
        """Append one line of text with its runs of blanks, such as code already broken into lines."""
        text = clean(text).replace("\n", " ").expandtabs(4)
        return self._put(text, style, cell_len(text))

    def gap(self, width: int = 1, style: Style | None = None) -> Line:
        """Append blanks."""
        return self._put(" " * width, style, max(width, 0))

    def to(self, column: int, style: Style | None = None) -> Line:
        """Append blanks up to a column; nothing when the line is already there."""
        return self.gap(max(0, column - self.width), style)

    def extend(self, other: Line) -> Line:
        """Append another line's pieces."""
        self._segments.extend(other._segments)
        self.width += other.width
        return self

    @property
    def text(self) -> str:
        """The row without its styles."""
        return "".join(segment.text for segment in self._segments)

    def strip(self, width: int | None = None, style: Style | None = None) -> Strip:
        """The finished row, cropped or padded to `width` cells, with `style` underneath."""
        strip = Strip(self._segments, self.width)
        strip = strip if width is None else strip.adjust_cell_length(width)
        return strip if style is None else strip.apply_style(style)

    def _put(self, text: str, style: Style | None, width: int) -> Line:
        if text:
            self._segments.append(Segment(text, style))
            self.width += width
        return self
