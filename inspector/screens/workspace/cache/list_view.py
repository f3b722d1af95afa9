"""The breaks of the prompt cache as a list, and a strip with the cache markers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from core.model.accounting.prompt_cache import CacheBreak, CacheReport
from core.support import formatting as fmt
from inspector.terminal.line import Line, Palette
from inspector.widgets.charts.curve import number
from inspector.widgets.charts.stack import Layer
from inspector.widgets.lists.row_list import RowList

CAUSES = {
    "compaction": "a compaction rewrote the prompt",
    "model_changed": "the model changed",
    "system_prompt_changed": "the system prompt changed",
    "tools_changed": "the tools changed",
    "messages_rewritten": "messages were rewritten",
    "ttl_expired": "the cache had expired",
    "resume": "the conversation was resumed",
    "unknown": "nothing says why",
}
"""The cause of a break, in words."""


TOKENS = {
    "compaction": "cause-compaction",
    "model_changed": "cause-model",
    "system_prompt_changed": "cause-prompt",
    "messages_rewritten": "cause-prompt",
    "tools_changed": "cause-tools",
    "ttl_expired": "cause-expired",
}
"""The colour of a cause; all others share one."""

_SHORT = {
    "compaction": ("compaction", "░"),
    "model_changed": ("model", "▓"),
    "system_prompt_changed": ("system prompt", "▚"),
    "tools_changed": ("tools", "▞"),
    "messages_rewritten": ("rewritten", "╳"),
    "ttl_expired": ("expired", "▒"),
    "resume": ("new start", "┼"),
}
"""The cause of a break in the legend, and what fills its bar without colour."""
_NO_CAUSE = ("no cause known", "·")

MARK = "▲"
IGNORED = "△"


@dataclass(frozen=True, slots=True)
class CacheMoment:
    """One break, or the whole cache if `found` is None; `own`: on the user's own server."""

    index: int
    found: CacheBreak | None
    own: bool = False


class BreakList(RowList[CacheMoment]):
    """Number, time, cause, tokens re-read, cost."""

    OPENS = False

    def draw_row(self, row: CacheMoment, index: int, width: int) -> Line:
        """Draw one break, or the overview line."""
        ink = self.palette
        if row.found is None:
            line = Line().cell("▸", 3, ink.style("ink-muted")).cell("Overview", 13, ink.style("ink-muted"))
            return line.add(
                "markers, lifetime, what saved and what cost most",
                ink.style("ink"),
                most=width - line.width,
            )
        found = row.found
        line = Line().cell(number(row.index), 3, ink.style(token_of(found), bold=True))
        line.cell(fmt.day_and_clock(found.at), 13, ink.style("ink-muted"))
        words, lost = CAUSES.get(found.cause, found.cause), fmt.short(found.tokens_lost)
        read_words = f"{lost} re-read"
        tokens = read_words if line.width + len(words) + len(read_words) + 11 <= width else lost
        line.cell(words, width - line.width - len(tokens) - 10, ink.style(token_of(found)))
        line.cell(tokens, len(tokens) + 1, ink.style("ink-muted"), right=True)
        return line.cell(fmt.money(found.usd, own=row.own), 9, ink.style("money"), right=True)


def token_of(found: CacheBreak) -> str:
    """The colour of a break, by its cause."""
    return TOKENS.get(found.cause, "cause-other")


def hit_layers(report: CacheReport) -> tuple[Layer, ...]:
    """Percent of each prompt that came from the cache, and above it what each break missed, by cause."""
    hits = tuple(round((call.hit_rate or 0) * 100) for call in report.calls)
    found = [Layer("cached", "bucket-read", "█", hits)]
    for cause in dict.fromkeys(one.cause for one in report.breaks):
        mine = [one for one in report.breaks if one.cause == cause]
        missed = {one.call: 100 - hits[one.call] for one in mine if one.call < len(hits)}
        values = tuple(missed.get(place, 0) for place in range(len(hits)))
        name, texture = _SHORT.get(cause, _NO_CAUSE)
        found.append(Layer(name, token_of(mine[0]), texture, values))
    return tuple(found)


def read_out(report: CacheReport, place: int) -> str:
    """One call in words: when, its size, how much came from the cache, and why not more."""
    call = report.calls[place]
    cause = next((CAUSES.get(one.cause, one.cause) for one in report.breaks if one.call == place), "")
    sizes = f"{fmt.percent(call.hit_rate)} of {fmt.count(call.prompt)} tokens from the cache"
    said = f"call {place + 1:,} · {fmt.clock(call.at, seconds=False)} · {sizes}"
    return f"{said} · {cause}" if cause else said


OF_NEXT = " of the next request"
"""What the words between the markers do without where there is little room."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One cache marker; `tokens` is the size of the prompt up to it, None if unknown."""

    tokens: int | None
    honoured: bool = True


class MarkerStrip(Widget):
    """A bar of the whole prompt, filled up to the last marker, with the markers below it."""

    DEFAULT_CSS = """
    MarkerStrip { height: 2; margin: 1 1 0 1; }
    MarkerStrip.-bare { display: none; }
    """

    pins: reactive[tuple[Pin, ...]] = reactive(())
    total: reactive[int] = reactive(0)
    words = reactive("")
    """Text between the markers."""

    def render_line(self, y: int) -> Strip:
        """The bar, then the markers."""
        ink, width = Palette.of(self.app), self.size.width
        label = f" last prompt {fmt.short(self.total)}" if self.total else ""
        cells = max(1, width - len(label))
        line = self._bar(cells, ink).add(label, ink.style("ink-faint")) if y == 0 else self._marks(cells, ink)
        return line.strip(width, self.rich_style)

    def _bar(self, cells: int, ink: Palette) -> Line:
        kept = max(self._places(cells), default=-1) + 1
        return Line().add("━" * kept, ink.style("bucket-read")).add("─" * (cells - kept), ink.style("rule"))

    def _marks(self, cells: int, ink: Palette) -> Line:
        places = dict(zip(self._places(cells), self._measured_pins(), strict=True))
        words, brief = f"  {self.words}  ", f"  {self.words.replace(OF_NEXT, '')}  "
        line, said = Line(), False
        for place in sorted(places):
            fitting = next((one for one in (words, brief) if len(one) <= place - line.width), "")
            if not said and fitting:
                line.add(fitting, ink.style("ink-faint"))
                said = True
            pin = places[place]
            style = ink.style("bucket-write" if pin.honoured else "ink-faint", bold=True)
            line.to(place).add(MARK if pin.honoured else IGNORED, style)
        room = self.size.width - line.width
        return line if said else line.add(words, ink.style("ink-faint"), most=room)

    def _measured_pins(self) -> Sequence[Pin]:
        return [pin for pin in self.pins if pin.tokens is not None]

    def _places(self, cells: int) -> list[int]:
        total = max(1, self.total, *((pin.tokens or 0) for pin in self.pins))
        places = [min(cells - 1, (pin.tokens or 0) * cells // total) for pin in self._measured_pins()]
        for index in reversed(range(len(places) - 1)):  # markers in one cell move apart
            places[index] = max(0, min(places[index], places[index + 1] - 1))
        return places
