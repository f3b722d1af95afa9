"""The compactions of a conversation, one line each, and where it stands now."""

from __future__ import annotations

from dataclasses import dataclass

from core.explain.explanation import Now
from core.model.compaction.event import ASKED_FOR, CompressionEvent, Trigger
from inspector.screens.workspace.why.card import VERDICT_TOKEN, brief, certainty
from inspector.screens.workspace.why.curve import mark_token
from inspector.terminal import formatting as fmt
from inspector.terminal.glyphs import VERDICT
from inspector.terminal.line import Line
from inspector.widgets.charts.curve_chart import number
from inspector.widgets.lists.row_list import RowList


@dataclass(frozen=True, slots=True)
class Moment:
    """One compaction, or the present when `event` is None."""

    index: int
    event: CompressionEvent | None
    now: Now


CAUSES = {
    Trigger.PREFLIGHT: "automatic, before your message",
    Trigger.PRE_API: "automatic, before a model call",
    Trigger.POST_RESPONSE: "automatic, after an answer",
    Trigger.OVERFLOW: "the provider refused: too long",
    Trigger.PAYLOAD_TOO_LARGE: "the provider refused: too large to send",
    Trigger.LONG_CONTEXT_TIER: "the plan refused a long request",
    Trigger.HYGIENE: "automatic, by the gateway",
    Trigger.MANUAL: "you ran /compress",
    Trigger.INSPECTOR: "written by Hermes Inspector",
    Trigger.NATIVE: "by the provider",
    Trigger.IDLE: "after idle time",
    Trigger.ENGINE: "asked for by the context engine",
    Trigger.UNKNOWN: "cause unknown",
}
"""What made it run, in a few words; the card says it in full."""
SIZES, VERDICT_WORD, WIDE = 22, 14, 90
"""Cells of the sizes, of the verdict behind them, and of a row that has room to write it out."""


class EventList(RowList[Moment]):
    """Number, time, cause, sizes, verdict."""

    OPENS = False

    def draw_row(self, row: Moment, index: int, width: int) -> Line:
        """One line a moment; what was given up is marked."""
        ink = self.palette
        if row.event is None:
            line = Line().cell("▸", 3, ink.style("ink-muted")).cell("now", 13, ink.style("ink-muted"))
            return line.add(brief(row.now), ink.style("ink"), most=width - line.width - 1)
        event, verdict = row.event, row.event.verdict
        line = Line().cell(number(row.index), 3, ink.style(mark_token(event), bold=True))
        line.cell(_when(event), 13, ink.style("ink-muted"))
        written = width >= WIDE
        room = max(1, width - line.width - SIZES - (VERDICT_WORD if written else 1) - 3)
        line.cell(_cause(event), room, ink.style("ink" if event.completed else "severity-critical")).gap(1)
        line.cell(_sizes(event), SIZES, ink.style("ink"))
        sign = f"{VERDICT[verdict]} {certainty(verdict, event.evidence)}" if written else VERDICT[verdict]
        return line.gap(1).cell(sign, VERDICT_WORD if written else 1, ink.style(VERDICT_TOKEN[verdict]))


def _cause(event: CompressionEvent) -> str:
    words = CAUSES[event.trigger]
    if not event.completed:
        return f"failed · {words}"
    return f"{words} {event.focus}" if event.focus else words


def _sizes(event: CompressionEvent) -> str:
    """The number compared, the threshold where there was one to pass, and what was left."""
    size = fmt.short(event.tokens)
    if event.trigger not in ASKED_FOR and event.threshold is not None:
        size = f"{size} of {fmt.short(event.threshold)}"
    return f"{size} → {fmt.short(event.tokens_after)}" if event.completed else size


def _when(event: CompressionEvent) -> str:
    if event.at is None:
        return fmt.UNKNOWN
    return f"{event.at.astimezone():%m-%d %H:%M}"
