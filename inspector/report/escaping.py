"""Text made safe for a report: whatever stands in it, a reader's program takes it for text."""

from __future__ import annotations

import re
from html import escape

from inspector.terminal.text import clean_line

_SPECIAL = "\\`*_[]<>|#~"
_CALLED = re.compile(r"(?<![\w@])([@#])(?=\w)")
"""A tracker takes this for somebody or for an issue and tells them, unless a comment stands between."""


def for_html(text: str) -> str:
    """A line for a page or a drawing."""
    return escape(clean_line(text))


def for_markdown(line: str) -> str:
    """A line that Markdown takes for text."""
    text = clean_line(line)
    for sign in _SPECIAL:
        text = text.replace(sign, f"\\{sign}")
    return _CALLED.sub(r"\1<!-- -->", text)


def as_code(text: str) -> str:
    """A name between backticks of Markdown."""
    return f"`{clean_line(text).replace('`', '')}`"
