"""The one place where untrusted text becomes safe to draw on a terminal.

Everything in a session database was written by somebody else: a model, a tool, a web page. Textual and Rich
pass escape sequences to the terminal unchanged (a message can set the clipboard or clear the screen), and
read a plain `str` as markup. So `core` returns raw strings, and widgets, strips and the command line show
only what `clean`, `clean_line`, `content` or `inspector.terminal.line.Line` return. Nothing disappears
silently: a reader must see that a message contained an escape, or a credential, which is masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size, split_graphemes

from core.redact.known_values import KNOWN
from core.redact.quick_check import mask_all, masked, masked_start

if TYPE_CHECKING:
    from textual.content import Content

__all__ = [
    "LINE_LIMIT",
    "cell_len",
    "clean",
    "clean_code",
    "clean_line",
    "clean_lines",
    "content",
    "crop",
    "fit",
    "visible",
]

LINE_LIMIT = 4_096
"""Characters of a string that a single line uses; no terminal is wider."""

_BAD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e0fff]"
)
_BLANKS = re.compile(r"\s+")
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_PILE = re.compile(f"({_MARK}{{4}}){_MARK}+")
"""More than four combining marks on one character would overlap the lines around it."""
TAB = 4
_WORDS = re.compile(r"\s+|\S+")


def clean(text: str) -> str:
    """Make every character of a text visible and harmless, and mask credentials; newlines and tabs stay."""
    return visible(masked(text))


def visible(text: str) -> str:
    r"""Make a text harmless to a terminal whose credentials are masked already, or that may show them.

    Control characters become their pictures (ESC is `␛`), invisible and direction-changing ones their escape
    (`\u202e`); joiners and variation selectors stay so that emoji keep their shape.
    """
    if _BAD.search(text):
        text = _BAD.sub(_visible, text.replace("\r\n", "\n"))
    return text if text.isascii() else _PILE.sub(r"\1", text)


def clean_line(text: str, limit: int = LINE_LIMIT) -> str:
    """Make a text one harmless line: whitespace of every kind becomes single spaces."""
    if len(text) > limit:
        text = masked_start(text, limit) + "…"
    return _clean_line(text, KNOWN.count)


def clean_code(text: str) -> str:
    """Make a text one harmless line that keeps its runs of blanks, as code needs."""
    return _clean_code(text, KNOWN.count) if len(text) <= LINE_LIMIT else _clean_code.__wrapped__(text, 0)


def clean_lines(texts: Iterable[str]) -> list[str]:
    """`clean_line` for many texts, with one search for credentials instead of one per text."""
    cut = (text if len(text) <= LINE_LIMIT else masked_start(text, LINE_LIMIT) + "…" for text in texts)
    return list(map(visible, mask_all([_BLANKS.sub(" ", text) for text in cut])))


@lru_cache(maxsize=4_096)
def _clean_line(text: str, known: int) -> str:
    # `known` is part of the cache key: a newly learned credential must be masked in lines cached before.
    return clean(_BLANKS.sub(" ", text))


@lru_cache(maxsize=1_024)
def _clean_code(text: str, known: int) -> str:
    return clean(text).replace("\n", " ").expandtabs(TAB)


def content(text: str) -> Content:
    """Text for a widget: cleaned, and never read as markup."""
    from textual.content import Content

    return Content(clean(text))


def crop(text: str, width: int) -> str:
    """Cut a cleaned line to at most `width` cells, with an ellipsis if something is cut off."""
    if width <= 0:
        return ""
    text = text[: LINE_LIMIT + 1]
    if cell_len(text) <= width:
        return text
    room, end, used = width - 1, 0, 0
    if text.isascii():
        return text[:room].rstrip(" ") + "…"
    for _start, stop, cells in split_graphemes(text)[0]:
        if used + cells > room:
            break
        end, used = stop, used + cells
    return text[:end].rstrip(" ") + "…"


def fit(text: str, width: int, *, right: bool = False) -> str:
    """Crop or pad a cleaned line to exactly `width` cells; `right` aligns it to the right."""
    text = crop(text, width)
    room = max(width, 0) - cell_len(text)
    return " " * room + text if right else set_cell_size(text, max(width, 0))


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def wrap(text: str, width: int) -> Iterator[str]:
    """Wrap a cleaned text into lines of at most `width` cells; words stay whole where they fit.

    Its own line breaks are kept, tabs become blanks.
    """
    width = max(1, width)
    for line in text.expandtabs(TAB).split("\n"):
        if (len(line) if line.isascii() else cell_len(line)) <= width:
            yield line.rstrip()
        else:
            yield from _wrapped(line, width)


def _wrapped(line: str, width: int) -> Iterator[str]:
    row, used = "", 0
    for word in _WORDS.findall(line):
        for piece in _chopped(word, width) if cell_len(word) > width else (word,):
            cells = cell_len(piece)
            if used + cells > width:
                if row.strip():
                    yield row.rstrip()
                row, used = "", 0
                if piece.isspace():
                    continue
            row, used = row + piece, used + cells
    if row.strip():
        yield row.rstrip()


def _chopped(word: str, width: int) -> Iterator[str]:
    """Cut a word that is too long for any line between graphemes."""
    start, used = 0, 0
    for begin, _end, cells in split_graphemes(word)[0]:
        if used and used + cells > width:
            yield word[start:begin]
            start, used = begin, 0
        used += cells
    yield word[start:]
