"""The card about one compaction: verdict, arithmetic, effect, evidence. Lines for a pane."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.explain.compactions.refusals import triggers
from core.explain.explanation import Now, refuses_beyond
from core.model.compaction.event import ASKED_FOR, REFUSED, CompressionEvent
from core.model.compaction.preview import Retention
from core.model.finding import Evidence, Verdict, certainty
from core.preview.past import Aftermath
from core.support import formatting as fmt
from inspector.base.event_words import (
    HEAVIEST,
    bill,
    compared,
    effect,
    heaviest,
    lost,
    reason,
    steps,
    summary,
)
from inspector.screens.workspace.why.curve import mark_token
from inspector.terminal.glyphs import VERDICT
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import cell_len, clean_line
from inspector.widgets.charts.curve import number
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import evidence_lines, field, headline, paragraph

SIZES, VERDICT_WORD, WIDE = 22, 14, 90
"""Widths of the sizes and of the verdict after them, and of a row that has room for the verdict."""
WAITING = "…"
"""Placeholder for a line that arrives later, so that nothing moves."""
VERDICT_TOKEN = {
    Verdict.PROVED: "severity-ok",
    Verdict.DERIVED: "severity-info",
    Verdict.SUSPECTED: "severity-warning",
    Verdict.UNKNOWN: "ink-muted",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """One compaction, or the present if `event` is None."""

    index: int
    event: CompressionEvent | None
    now: Now


class EventList(RowList[Moment]):
    """Number, time, cause, sizes, verdict."""

    OPENS = False

    def draw_row(self, row: Moment, index: int, width: int) -> Line:
        """Draw one compaction or the present; failed attempts stand out."""
        ink = self.palette
        if row.event is None:
            line = Line().cell("▸", 3, ink.style("ink-muted")).cell("now", 13, ink.style("ink-muted"))
            return line.add(brief(row.now), ink.style("ink"), most=width - line.width - 1)
        event, verdict = row.event, row.event.verdict
        line = Line().cell(number(row.index), 3, ink.style(mark_token(event), bold=True))
        line.cell(_when(event), 13, ink.style("ink-muted"))
        written = VERDICT_WORD + 1 if width >= WIDE else 0  # a lone sign would look like the outcome
        sizes = _sizes(event)
        cause, left = _cause(event), width - line.width - written - 2
        room = max(1, left - SIZES, min(cell_len(clean_line(cause)), left - cell_len(sizes)))
        line.cell(cause, room, ink.style("ink" if event.completed else "severity-critical")).gap(1)
        line.cell(sizes, left - room, ink.style("ink"))
        sign = f"{VERDICT[verdict]} {certainty(event)}"
        return line.gap(bool(written)).cell(sign, written - 1, ink.style(VERDICT_TOKEN[verdict]))


def _cause(event: CompressionEvent) -> str:
    words = str(triggers()["listed"][event.trigger.value])
    if not event.completed:
        return f"failed · {words}"
    return f"{words} {event.focus}" if event.focus else words


def _sizes(event: CompressionEvent) -> str:
    """The size, the threshold if it was compared with one of Hermes' own, and the size after."""
    size = fmt.short(event.tokens)
    if event.trigger not in (*ASKED_FOR, *REFUSED) and event.threshold is not None:
        size = f"{size} of {fmt.round_number(event.threshold)}"
    return f"{size} → {fmt.short(event.tokens_after)}" if event.tokens_after is not None else size


def _when(event: CompressionEvent) -> str:
    return fmt.UNKNOWN if event.at is None else fmt.day_and_clock(event.at)


def event_lines(
    event: CompressionEvent,
    width: int,
    ink: Palette,
    aftermath: Aftermath | None = None,
    quotes: int = HEAVIEST,
) -> Iterator[Line]:
    """Everything about one compaction: what it cost and lost, then why it ran, effect, arithmetic.

    `quotes` is how many lost facts are quoted at most.
    """
    if event.completed:
        cost = bill(aftermath.payback, local=aftermath.local) if aftermath else WAITING
        yield from field("cost", cost, width, ink, "money")
        yield from field("lost", lost(aftermath.kept) if aftermath else WAITING, width, ink)
        yield from missing_lines(aftermath.kept if aftermath else None, width, ink, quotes)
    yield from _verdict(reason(event), event.verdict, certainty(event), width, ink)
    for words in event.disagreements:
        yield from field("▲ but", words, width, ink, "severity-warning")
    yield from field("result", effect(event), width, ink)
    yield from field("size", compared(event), width, ink)
    yield from _sums(steps(event), width, ink)
    yield from field("summary", summary(event), width, ink)
    if event.focus:
        yield from field("focus", event.focus, width, ink)
    yield from field("where", where(event), width, ink)


def missing_lines(kept: Retention | None, width: int, ink: Palette, most: int = HEAVIEST) -> Iterator[Line]:
    """The most important lost facts, quoted."""
    for place, words in enumerate(heaviest(kept, most)):
        yield from field("" if place else "missing", words, width, ink)


def now_lines(now: Now, width: int, ink: Palette) -> Iterator[Line]:
    """The current size and threshold, and what would block a compaction."""
    yield from _verdict(standing(now), now.verdict, certainty(now), width, ink)
    for block in now.blocked_by:
        yield from field("blocked", block, width, ink, "severity-warning")
    yield from _sums(now.sums, width, ink)


def proof_lines(
    evidence: Iterable[Evidence], notes: Iterable[str], width: int, ink: Palette
) -> Iterator[Line]:
    """The evidence of a verdict, and notes about the evidence."""
    yield from evidence_lines(evidence, width, ink)
    for note in notes:
        yield Line()
        yield from paragraph(f"· {note}", width, ink, "ink-muted")


def _verdict(sentence: str, verdict: Verdict, badge: str, width: int, ink: Palette) -> Iterator[Line]:
    words = f"{VERDICT[verdict]} {badge}"
    yield from headline(sentence, words, width, ink, badge_token=VERDICT_TOKEN[verdict])


def standing(now: Now) -> str:
    """One sentence: whether the next request would trigger compression."""
    if now.tokens is None:
        return "The size of the next request is unknown."
    if now.threshold is None:
        return f"The next request has about {now.tokens:,} tokens; the window is unknown."
    if now.elsewhere:
        return f"The next request has about {now.tokens:,} tokens; {now.refused_at}."
    if now.refused_at:
        return f"Not yet: {now.tokens:,} of {now.threshold:,} tokens, but {now.refused_at}."
    if now.headroom is not None and now.headroom > 0:
        return f"Not yet: {now.tokens:,} of {now.threshold:,} tokens, {now.headroom:,} to go."
    held = ", but compression is blocked" if now.blocked_by else ""
    return f"The next request would trigger compression: {now.tokens:,} of {now.threshold:,} tokens{held}."


def brief(now: Now) -> str:
    """The same in a few words, for a list."""
    if now.tokens is None:
        return "size of the next request unknown"
    if now.threshold is None or now.headroom is None:
        return f"{fmt.short(now.tokens)} tokens; the window is unknown"
    if now.elsewhere:
        return f"{fmt.short(now.tokens)} tokens; {now.refused_at}"
    size = f"{fmt.short(now.tokens)} of {fmt.round_number(now.threshold)}"
    if now.refused_beyond is not None:
        return f"{size}, but {refuses_beyond(fmt.round_number(now.refused_beyond))}"
    if now.headroom > 0:
        return f"not yet: {size}, {fmt.short(now.headroom)} to go"
    return f"would fire: {size}{', but blocked' if now.blocked_by else ''}"


def where(event: CompressionEvent) -> str:
    """When, how, which generation it ended, and in which sessions."""
    sessions = event.session if event.to_session == event.session else f"{event.session} → {event.to_session}"
    mode = str(event.mode).replace("_", " ") if event.mode else ""
    closed = f"closed generation {event.generation}" if event.generation else ""
    release = f"Hermes {event.release}" if event.release else ""
    return " · ".join(part for part in (fmt.moment(event.at), mode, closed, release, sessions) if part)


def _sums(steps: Iterable[str], width: int, ink: Palette) -> Iterator[Line]:
    for place, step in enumerate(steps):
        yield from field("" if place else "limit", step, width, ink)
