"""From the lines of a command to what stdout gets: harmless, as wide as the terminal, in its colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.terminal import ink
from inspector.terminal.stdout import is_coloured, terminal_width
from inspector.terminal.text import clean, visible
from inspector.terminal.wrap import broken


def printed(lines: Iterable[str], *, mask: bool = True, wrap: bool = True) -> Iterator[str]:
    """Rows that may be written as they are.

    Args:
        lines: Untrusted, perhaps with coloured pieces; a line break in one begins a row.
        mask: False when credentials are masked already, or asked for.
        wrap: False for what is there to be copied: lines keep their length.
    """
    width, coloured = terminal_width() if wrap else None, is_coloured()
    for line in lines:
        text, spans = _harmless(line, mask=mask)
        if width is None and not (coloured and spans):
            yield text
            continue
        for start, end in _rows(text):
            row = text[start:end].expandtabs(4) if "\t" in text else text[start:end]
            moved = tuple(ink.Span(one.start - start, one.end - start, one.ink) for one in spans)
            for before, (first, last) in broken(row, width) if width else (("", (0, len(row))),):
                shown = ink.escaped(row, first, last, moved) if coloured else row[first:last]
                yield f"{before}{shown}"


def _harmless(line: str, *, mask: bool) -> tuple[str, tuple[ink.Span, ...]]:
    """A line cleaned as a whole, with its coloured pieces where cleaning leaves each its place."""
    made = clean if mask else visible
    text, spans = made(line), ink.spans_of(line)
    if not spans or text == line:
        return text, spans
    found: list[ink.Span] = []
    pieces: list[str] = []
    at = length = 0
    for one in spans:
        before, within = made(line[at : one.start]), made(line[one.start : one.end])
        pieces += (before, within)
        found.append(ink.Span(length + len(before), length + len(before) + len(within), one.ink))
        length += len(before) + len(within)
        at = one.end
    pieces.append(made(line[at:]))
    return (text, tuple(found)) if "".join(pieces) == text else (text, ())


def _rows(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for row in text.split("\n"):
        yield start, start + len(row)
        start += len(row) + 1
