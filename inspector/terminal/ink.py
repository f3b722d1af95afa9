"""Colours for printed lines: the sixteen that every terminal has and lets its user choose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from core.model.finding import Severity
from inspector.terminal.stdout import is_coloured, terminal_width
from inspector.terminal.text import clean, visible
from inspector.terminal.wrap import broken


class Ink(Enum):
    """What a piece of a line means, and the terminal code that draws it."""

    CRITICAL = "1;31"
    WARNING = "33"
    GOOD = "32"
    LOST = "31"
    STRONG = "1"
    MUTED = "2"


BY_SEVERITY = {Severity.CRITICAL: Ink.CRITICAL, Severity.WARNING: Ink.WARNING, Severity.INFO: Ink.GOOD}


@dataclass(frozen=True, slots=True)
class Span:
    """A coloured piece of a text, half open."""

    start: int
    end: int
    ink: Ink


class Inked(str):
    """A string that knows its coloured pieces; code that treats it as plain loses only the colours."""

    spans: tuple[Span, ...]

    def __new__(cls, text: str, spans: tuple[Span, ...] = ()) -> Inked:
        """Make a text from its coloured pieces, which are in order and do not overlap."""
        made = super().__new__(cls, text)
        made.spans = spans
        return made


def inked(text: str, ink: Ink | None) -> str:
    """A text in one colour; unchanged if `ink` is None."""
    return text if ink is None or not text else Inked(text, (Span(0, len(text), ink),))


def joined(*parts: str) -> str:
    """Concatenate texts and keep their colours."""
    spans: list[Span] = []
    at = 0
    for part in parts:
        spans += [Span(at + one.start, at + one.end, one.ink) for one in spans_of(part)]
        at += len(part)
    return Inked("".join(parts), tuple(spans))


def spans_of(text: str) -> tuple[Span, ...]:
    """The coloured pieces of a text; a plain string has none."""
    return text.spans if isinstance(text, Inked) else ()


def escaped(text: str, start: int, end: int, spans: tuple[Span, ...]) -> str:
    """A slice of a cleaned text, with terminal codes around its coloured pieces."""
    pieces: list[str] = []
    at = start
    for span in spans:
        first, last = max(span.start, at), min(span.end, end)
        if first < last:
            pieces += (text[at:first], f"\x1b[{span.ink.value}m{text[first:last]}\x1b[0m")
            at = last
    return "".join((*pieces, text[at:end]))


def printed(lines: Iterable[str], *, mask: bool = True, wrap: bool = True) -> Iterator[str]:
    """Turn untrusted lines into rows that are safe to write to the terminal; a line break starts a new row.

    `mask` is False when credentials are masked already, or the user asked to see them; `wrap` is False for
    text meant to be copied: lines keep their length.
    """
    width, coloured = terminal_width() if wrap else None, is_coloured()
    for line in lines:
        text, spans = _harmless(line, mask=mask)
        if width is None and not (coloured and spans):
            yield text
            continue
        for start, end in _rows(text):
            row = text[start:end].expandtabs(4) if "\t" in text else text[start:end]
            moved = tuple(Span(span.start - start, span.end - start, span.ink) for span in spans)
            for before, (first, last) in broken(row, width) if width else (("", (0, len(row))),):
                shown = escaped(row, first, last, moved) if coloured else row[first:last]
                yield f"{before}{shown}"


def _harmless(line: str, *, mask: bool) -> tuple[str, tuple[Span, ...]]:
    """Clean a line as a whole; keep its colours only if cleaning piece by piece gives the same text."""
    made = clean if mask else visible
    text, spans = made(line), spans_of(line)
    if not spans or text == line:
        return text, spans
    found: list[Span] = []
    pieces: list[str] = []
    at = length = 0
    for span in spans:
        before, within = made(line[at : span.start]), made(line[span.start : span.end])
        pieces += (before, within)
        found.append(Span(length + len(before), length + len(before) + len(within), span.ink))
        length += len(before) + len(within)
        at = span.end
    pieces.append(made(line[at:]))
    return (text, tuple(found)) if "".join(pieces) == text else (text, ())


def _rows(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for row in text.split("\n"):
        yield start, start + len(row)
        start += len(row) + 1
