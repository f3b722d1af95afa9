"""A summary as lines of a width: the words around it, its sections, and those that say nothing. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.preview.comparison import Comparison
from inspector.terminal.text import clean, wrap

_NOTHING = ("", "none", "n/a", "nothing", "–", "—")
"""What a section of the template says where there is nothing to say."""


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One line of the summary as wrapped for a width.

    Attributes:
        heading: It opens a section.
        aside: It is not the summary: the words around it.
    """

    text: str
    heading: bool = False
    aside: bool = False


def summary_lines(comparison: Comparison, width: int) -> Iterator[SummaryLine]:
    """The summary's row: the words before it in one line, its body in full, what was merged behind it."""
    if comparison.summary_index is None:
        return
    text = comparison.after[comparison.summary_index].text
    body = comparison.summary.strip()
    start = text.find(body) if body else -1
    if start < 0:
        yield from _body(text, width)
        return
    if opening := text[:start].strip():
        yield SummaryLine(f"Hermes' introduction text ({len(opening):,} characters): {opening}", aside=True)
    yield from _body(body, width)
    if closing := text[start + len(body) :].strip():
        yield SummaryLine("")
        for line in wrap(clean(closing), width):
            yield SummaryLine(line, aside=True)


def _body(text: str, width: int) -> Iterator[SummaryLine]:
    """The summary's lines; headings of the template that nothing stands under are named in one line."""
    told, empty = folded(clean(text).split("\n"))
    for line in told:
        heading = line.startswith("#")
        yield from (SummaryLine(piece, heading=heading) for piece in wrap(line, width))
    if empty:
        for piece in wrap(f"Nothing under: {', '.join(empty)}.", width):
            yield SummaryLine(piece, aside=True)


def folded(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines without the sections that say nothing (`None.`), and the headings of those."""
    told: list[str] = []
    empty: list[str] = []
    place = 0
    while place < len(lines):
        end = next((at for at in range(place + 1, len(lines)) if lines[at].startswith("#")), len(lines))
        section = lines[place:end]
        said = [line for line in section[1:] if line.strip()]
        if section[0].startswith("#") and all(line.strip(" -*_().").lower() in _NOTHING for line in said):
            # A heading right above a deeper one opens it, so it stays.
            deeper = end < len(lines) and _depth(lines[end]) > _depth(section[0])
            (told if deeper else empty).append(section[0] if deeper else section[0].lstrip("# "))
        else:
            told.extend(section)
        place = end
    return told, empty


def _depth(heading: str) -> int:
    return len(heading) - len(heading.lstrip("#"))
