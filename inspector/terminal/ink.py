"""Colour of printed lines, from the sixteen colours that every terminal has and that its user chose."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from core.model.finding import Severity


class Ink(Enum):
    """What a piece of a line stands for, and how it is drawn."""

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
    """A text that knows its coloured pieces; whoever treats it as text loses nothing but those."""

    spans: tuple[Span, ...]

    def __new__(cls, text: str, spans: tuple[Span, ...] = ()) -> Inked:
        """A text with its coloured pieces, in their order and without overlap."""
        made = super().__new__(cls, text)
        made.spans = spans
        return made


def inked(text: str, ink: Ink | None) -> str:
    """A text in one colour; as it is without one."""
    return text if ink is None or not text else Inked(text, (Span(0, len(text), ink),))


def joined(*parts: str) -> str:
    """Texts one after the other, each in its colours."""
    spans: list[Span] = []
    at = 0
    for part in parts:
        spans += [Span(at + one.start, at + one.end, one.ink) for one in spans_of(part)]
        at += len(part)
    return Inked("".join(parts), tuple(spans))


def spans_of(text: str) -> tuple[Span, ...]:
    """The coloured pieces of a text; none of a plain one."""
    return text.spans if isinstance(text, Inked) else ()


def escaped(text: str, start: int, end: int, spans: tuple[Span, ...]) -> str:
    """A slice of a harmless text with the terminal's codes around its coloured pieces."""
    pieces: list[str] = []
    at = start
    for one in spans:
        first, last = max(one.start, at), min(one.end, end)
        if first < last:
            pieces += (text[at:first], f"\x1b[{one.ink.value}m{text[first:last]}\x1b[0m")
            at = last
    return "".join((*pieces, text[at:end]))
