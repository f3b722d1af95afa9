"""Builds one row of the screen cell by cell, and the palette: a theme's colours as text styles.

No other module makes Textual segments and strips.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.theme import Theme

from core.support.program_files import load_table
from inspector.terminal.text import cell_len, clean_code, clean_line, crop, fit
from themes.loader import ThemeFile, load_all

if TYPE_CHECKING:
    from textual.app import App

MIN_CUT = 8
"""Characters of a cut-off word that must be visible for it to count."""
CUT = "…"
LOUD = ("severity-critical", "severity-warning")


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
        """Append text at its own width, cropped to `most` cells."""
        text = clean_line(text)
        text = text if most is None else crop(text, most)
        return self._put(text, style, cell_len(text))

    def cell(self, text: str, width: int, style: Style | None = None, *, right: bool = False) -> Line:
        """Append text cropped or padded to exactly `width` cells."""
        return self._put(fit(clean_line(text), width, right=right), style, max(width, 0))

    def preformatted(self, text: str, style: Style | None = None, *, most: int | None = None) -> Line:
        """Append one line of text and keep its runs of blanks, as code needs, cropped to `most` cells."""
        text = clean_code(text)
        text = text if most is None else crop(text, most)
        return self._put(text, style, cell_len(text))

    def gap(self, width: int = 1) -> Line:
        """Append blanks."""
        return self._put(" " * width, None, max(width, 0))

    def to(self, column: int) -> Line:
        """Append blanks up to a column; nothing if the line is already that long."""
        return self.gap(max(0, column - self.width))

    def extend(self, other: Line) -> Line:
        """Append another line's pieces."""
        self._segments.extend(other._segments)
        self.width += other.width
        return self

    def mark(self, words: Collection[str], style: Style, *, start: int = 0) -> Line:
        """Highlight each place where one of the words occurs, and one that is cut off at the end.

        Each appended piece of text is searched by itself; segments before the cell `start` stay as they are.
        """
        marked: list[Segment] = []
        column = 0
        for segment in self._segments:
            found = found_in(segment.text, words) if column >= start else []
            marked.extend(_laid_over(segment, found, style))
            column += cell_len(segment.text)
        self._segments = marked
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


def recoloured(strip: Strip, old: Style, new: Style) -> Strip:
    """A row in which one text colour replaces another."""
    if old.color == new.color:
        return strip
    mine = [segment.style is not None and segment.style.color == old.color for segment in strip]
    pieces = zip(strip, mine, strict=True)
    return Strip(
        [Segment(one.text, (one.style or new) + new) if own else one for one, own in pieces],
        strip.cell_length,
    )


def found_in(text: str, words: Collection[str]) -> list[tuple[int, int]]:
    """Find whole words in a text: start and end of each place, in order, merged where they touch."""
    cut = text.endswith(CUT)
    there = [word for word in words if word and (cut or word in text)]
    places = sorted(place for word in there for place in _places(text, word))
    apart: list[tuple[int, int]] = []
    for start, end in places:
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart


def _places(text: str, word: str) -> Iterator[tuple[int, int]]:
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield start, end
        start = text.find(word, end)
    if text.endswith(CUT):
        text_left = text[: -len(CUT)].rstrip()
        sizes = range(min(len(word) - 1, len(text_left)), MIN_CUT - 1, -1)
        cut = next((size for size in sizes if text_left.endswith(word[:size])), 0)
        if cut:
            yield len(text_left) - cut, len(text_left)


def _laid_over(segment: Segment, places: list[tuple[int, int]], style: Style) -> Iterator[Segment]:
    at, base = 0, segment.style or Style.null()
    for start, end in places:
        if start > at:
            yield Segment(segment.text[at:start], segment.style)
        yield Segment(segment.text[start:end], base + style)
        at = end
    if at < len(segment.text):
        yield Segment(segment.text[at:], segment.style)


def textual_theme(theme: ThemeFile) -> Theme:
    """Convert a theme file to a Textual theme; each token becomes a CSS variable of the same name."""
    variables = {
        **theme.tokens,
        "text-muted": theme.tokens["ink-muted"],
        "footer-key-foreground": theme.base["accent"],
    }
    base = theme.base
    return Theme(
        name=theme.name,
        dark=theme.dark,
        variables=variables,
        primary=base["primary"],
        secondary=base["secondary"],
        accent=base["accent"],
        success=base["success"],
        warning=base["warning"],
        error=base["error"],
        foreground=base["foreground"],
        background=base["background"],
        surface=base["surface"],
        panel=base["panel"],
    )


@cache
def shipped() -> tuple[ThemeFile, ...]:
    """Every theme that ships, the default first; parsed once and cached, so a start parses none."""
    return load_all(load_table)


@cache
def defaults() -> dict[str, str]:
    """Token colours for themes that define none, such as Textual's built-in ones."""
    return dict(shipped()[0].tokens)


class Palette:
    """The styles of one theme by token name; each is made once, since every row asks for the same few."""

    _newest: tuple[Mapping[str, str], bool, Palette] | None = None

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = {name: variables.get(name) or colour for name, colour in defaults().items()}
        self._styles: dict[tuple[str, bool, str | None], Style] = {}

    @classmethod
    def of(cls, app: App[object]) -> Palette:
        """The palette of the theme in force; another theme brings other variables.

        Without colours red would be a grey that stands behind all else: what is wrong is as bright as text.
        """
        variables, plain = app.theme_variables, app.no_color
        if cls._newest is None or cls._newest[0] is not variables or cls._newest[1] != plain:
            loud = dict.fromkeys(LOUD, variables["ink"]) if plain else {}
            cls._newest = (variables, plain, cls({**variables, **loud}))
        return cls._newest[2]

    def style(self, token: str, *, bold: bool = False, on: str | None = None) -> Style:
        """A token as text colour, optionally on another token's colour."""
        made = self._styles.get((token, bold, on))
        if made is None:
            background = None if on is None else self._variables[on]
            shown = "cursor-critical" if (token, on) == ("severity-critical", "cursor") else token
            made = Style(color=self._variables[shown], bgcolor=background, bold=bold or None)
            self._styles[token, bold, on] = made
        return made

    def fill(self, token: str) -> Style:
        """A token as background."""
        return Style(bgcolor=self._variables[token])
