"""The rows of both sides of the preview, the summary as wrapped lines, and how rows correspond. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from core.model.compaction.plan import Part, Span
from core.model.finding import Headline
from core.model.transcript.message import Message
from core.preview.comparison import Comparison
from core.preview.headline import comparison_headline
from core.support import formatting as fmt
from inspector.terminal.line import Palette
from inspector.terminal.text import clean, wrap
from inspector.widgets.messages.message_line import Marks, MessageRow, draw_message, message_row
from inspector.widgets.messages.message_list import Band, Banding, middle_band

_NOTHING = ("", "none", "n/a", "nothing", "–", "—")
"""What a template section says when there is nothing to say."""
FIRST_SEEN = 60
"""Rows of a tall terminal."""


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One wrapped line of the summary.

    Attributes:
        heading: It is a section heading.
        aside: It is not part of the summary, but of the text around it.
    """

    text: str
    heading: bool = False
    aside: bool = False


def summary_lines(comparison: Comparison, width: int) -> Iterator[SummaryLine]:
    """The summary's row: the text before it in one line, its whole body, then text merged after it."""
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
    """The lines of the summary; headings of empty sections are listed in one line."""
    lines, empty = folded(clean(text).split("\n"))
    for line in lines:
        heading = line.startswith("#")
        yield from (SummaryLine(piece, heading=heading) for piece in wrap(line, width))
    if empty:
        for piece in wrap(f"Nothing under: {', '.join(empty)}.", width):
            yield SummaryLine(piece, aside=True)


def folded(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines without sections that say nothing (`None.`), and the headings of those sections."""
    kept: list[str] = []
    empty: list[str] = []
    place = 0
    while place < len(lines):
        end = next((at for at in range(place + 1, len(lines)) if lines[at].startswith("#")), len(lines))
        section = lines[place:end]
        said = [line for line in section[1:] if line.strip()]
        if section[0].startswith("#") and all(line.strip(" -*_().").lower() in _NOTHING for line in said):
            # A heading directly above a deeper one belongs to it, so it stays.
            deeper = end < len(lines) and _depth(lines[end]) > _depth(section[0])
            (kept if deeper else empty).append(section[0] if deeper else section[0].lstrip("# "))
        else:
            kept.extend(section)
        place = end
    return kept, empty


def _depth(heading: str) -> int:
    return len(heading) - len(heading.lstrip("#"))


AfterEntry: TypeAlias = MessageRow | SummaryLine | Band
Blocks: TypeAlias = tuple[int, int, int, int]
"""The rows where head, middle and tail begin, and the end."""


class BeforeRows:
    """The messages before; each row is made when it is drawn."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._missed: dict[int, list[str]] = {}
        for fact in comparison.retention.facts if comparison.retention else ():
            if fact.fate == "lost":
                for message in fact.messages:
                    self._missed.setdefault(message, []).append(fact.value)

    @property
    def count(self) -> int:
        """How many messages there are."""
        return len(self._comparison.before)

    def row(self, index: int) -> MessageRow | None:
        """One message, with the share of its facts that is lost and the lost facts."""
        if not 0 <= index < self.count:
            return None
        shown = self._comparison
        weight = _at(shown.before_weights, index)
        row = message_row(index, shown.before[index], shown.part(index), weight, lost=shown.lost(index))
        return replace(row, missed=tuple(self._missed.get(index, ())))


def mask_first_rows(messages: Sequence[Message], tail: int, palette: Palette) -> None:
    """Mask the first rows of both sides in a worker, which is most of the first frame's time."""
    for message in (*messages[:FIRST_SEEN], *messages[tail : tail + FIRST_SEEN]):
        draw_message(message_row(0, message, None, 0), FIRST_SEEN, palette, Marks())


class AfterRows:
    """The messages after, with the full summary wrapped to a width."""

    def __init__(self, comparison: Comparison, width: int) -> None:
        self._comparison = comparison
        self.width = width
        self._lines = tuple(summary_lines(comparison, max(8, width - 3)))
        self._at = comparison.summary_index if self._lines and comparison.summary_index is not None else None
        self.banding = self._banded()

    @property
    def count(self) -> int:
        """The number of messages, summary lines and bands."""
        return self.banding.count

    @property
    def blocks(self) -> Blocks:
        """The rows where head, summary and tail begin, and the end."""
        head, lines = self._spans()
        return blocks_of(self.banding, head, lines)

    def row(self, index: int) -> AfterEntry | None:
        """One row; None outside the list."""
        if not 0 <= index < self.count:
            return None
        found = self.banding.at(index)
        if isinstance(found, Band) or self._at is None or found < self._at:
            return found if isinstance(found, Band) else self._message(found)
        place = found - self._at
        return self._lines[place] if place < len(self._lines) else self._message(found - len(self._lines) + 1)

    @property
    def kept_facts(self) -> frozenset[str]:
        """The facts that the summary keeps word for word."""
        retention = self._comparison.retention
        facts = retention.facts if retention else ()
        return frozenset(fact.value for fact in facts if fact.fate == "kept")

    def _spans(self) -> tuple[int, int]:
        """How many rows head and summary have, without bands."""
        kept = self._comparison.kept
        head = sum(1 for origin in kept.values() if origin < self._comparison.head.end)
        return (head, 0) if self._at is None else (self._at, len(self._lines))

    def _banded(self) -> Banding:
        if _is_unchanged(self._comparison):
            return _unchanged(len(self._comparison.after))
        head, lines = self._spans()
        total = len(self._comparison.after) + max(0, lines - 1)
        words = f"{fmt.short(self._summary_tokens(), mark=fmt.ESTIMATE)} tokens"
        bands = (
            (Part.HEAD, "head", 0, head, f"{fmt.plural(head, 'message')} · kept"),
            (Part.MIDDLE, "summary", head, lines, words),
            (Part.TAIL, "tail", head + lines, total - head - lines, ""),
        )
        found = (
            Band(start, part, title, note or f"{fmt.plural(size, 'message')} · kept")
            for part, title, start, size, note in bands
            if size
        )
        return Banding(total, tuple(found))

    def _summary_tokens(self) -> int | None:
        return None if self._at is None else _at(self._comparison.after_weights, self._at)

    def _message(self, index: int) -> MessageRow:
        shown = self._comparison
        origin = shown.kept.get(index)
        weight = _at(shown.after_weights, index)
        if weight is None and origin is not None:  # the list after is not measured yet
            weight = _at(shown.before_weights, origin)
        return message_row(index, shown.after[index], None if origin is None else shown.part(origin), weight)


@dataclass(frozen=True, slots=True)
class Sides:
    """The rows of both sides, and the answer; those after are None until the width of their list is known."""

    before: BeforeRows
    after: AfterRows | None
    headline: Headline

    @classmethod
    def of(cls, comparison: Comparison, width: int) -> Sides:
        """Make them, which takes long: an answer may plan again to find what would free more."""
        after = AfterRows(comparison, width) if width > 0 else None
        return cls(BeforeRows(comparison), after, comparison_headline(comparison))


def _at(weights: Sequence[int], index: int) -> int | None:
    return weights[index] if index < len(weights) else None


def before_banding(comparison: Comparison) -> Banding:
    """The bands of the list before."""
    if _is_unchanged(comparison):
        return _unchanged(len(comparison.before))
    verb = "became" if comparison.real else "would become"
    bands = (
        (comparison.head, _kept_band(Part.HEAD, comparison.head)),
        (comparison.middle, middle_band(comparison.middle, verb)),
        (comparison.tail, _kept_band(Part.TAIL, comparison.tail)),
    )
    return Banding(len(comparison.before), tuple(band for span, band in bands if span.size))


def _kept_band(part: Part, span: Span) -> Band:
    return Band(span.start, part, str(part), f"{fmt.plural(span.size, 'message')} · kept")


def _is_unchanged(comparison: Comparison) -> bool:
    """Whether every message stays the same."""
    return comparison.summary_index is None and comparison.after == comparison.before


def _unchanged(size: int) -> Banding:
    return Banding(size, (Band(0, None, "unchanged", fmt.plural(size, "message")),) if size else ())


def blocks_of(banding: Banding, head: int, middle: int) -> Blocks:
    """The rows where three parts begin, bands included, and the end of the list."""
    return 0, _first_row(banding, head), _first_row(banding, head + middle), banding.count


def _first_row(banding: Banding, unit: int) -> int:
    """The first row that belongs to a unit or is a band above it."""
    return unit + sum(1 for band in banding.bands if band.before < unit)


def linked(row: int, here: Blocks, there: Blocks) -> int:
    """The corresponding row on the other side: at the same share of the same part."""
    part = max(0, min(bisect_right(here, row) - 1, len(here) - 2))
    size, other = here[part + 1] - here[part], there[part + 1] - there[part]
    if size <= 0:
        return there[part]
    return there[part] + (row - here[part]) * other // size
