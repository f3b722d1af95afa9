"""The compactions of a conversation, one line each, and where it stands now."""

from __future__ import annotations

from dataclasses import dataclass

from core.explain.explanation import Now
from core.model.event import CompressionEvent
from inspector import format
from inspector.glyphs import VERDICT
from inspector.line import Line
from inspector.screens.why_card import VERDICT_TOKEN, standing
from inspector.widgets.curve_chart import number
from inspector.widgets.row_list import RowList


@dataclass(frozen=True, slots=True)
class Moment:
    """One compaction, or the present when `event` is None."""

    index: int
    event: CompressionEvent | None
    now: Now


class EventList(RowList[Moment]):
    """Number, time, sentence, verdict."""

    OPENS = False

    def draw_row(self, row: Moment, index: int, width: int) -> Line:
        """One line a moment; what was given up is marked."""
        ink = self.palette
        if row.event is None:
            line = Line().cell("▸", 3, ink.style("ink-muted")).cell("now", 13, ink.style("ink-muted"))
            return line.add(standing(row.now), ink.style("ink"), most=width - line.width - 1)
        event, verdict = row.event, row.event.verdict
        sign = f"{VERDICT[verdict]} {verdict}"
        line = Line().cell(number(row.index), 3, ink.style(mark_token(event), bold=True))
        line.cell(_when(event), 13, ink.style("ink-muted"))
        words = event.explanation if event.completed else f"Given up. {event.explanation}"
        line.add(words, ink.style("ink"), most=width - line.width - len(sign) - 3)
        return line.to(width - len(sign) - 1).add(sign, ink.style(VERDICT_TOKEN[verdict]))


def mark_token(event: CompressionEvent) -> str:
    """The colour of a compaction's number: what was given up stands out."""
    return "part-middle" if event.completed else "severity-critical"


def _when(event: CompressionEvent) -> str:
    if event.at is None:
        return format.UNKNOWN
    return f"{event.at.astimezone():%m-%d %H:%M}"
