"""Breaks of the prompt cache, one line each, and the cache as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from core.model.accounting.prompt_cache import CacheBreak, CacheReport
from inspector.terminal import formatting as fmt
from inspector.terminal.line import Line
from inspector.widgets.charts.curve import number
from inspector.widgets.charts.stack import Layer
from inspector.widgets.lists.row_list import RowList

CAUSES = {
    "compaction": "a compaction rewrote it",
    "model_changed": "another model was asked",
    "system_prompt_changed": "another system prompt",
    "tools_changed": "the tools changed",
    "messages_rewritten": "messages were rewritten",
    "ttl_expired": "the cache had expired",
    "resume": "the conversation was resumed",
    "unknown": "nothing says why",
}
"""The cause of a break in words."""


TOKENS = {
    "compaction": "cause-compaction",
    "model_changed": "cause-model",
    "system_prompt_changed": "cause-prompt",
    "messages_rewritten": "cause-prompt",
    "tools_changed": "cause-tools",
    "ttl_expired": "cause-expired",
}
"""The colour of a cause; the others have one together."""


@dataclass(frozen=True, slots=True)
class CacheMoment:
    """One break, or the cache as a whole when `found` is None."""

    index: int
    found: CacheBreak | None


class BreakList(RowList[CacheMoment]):
    """Number, time, cause, tokens read again, what that cost."""

    OPENS = False

    def draw_row(self, row: CacheMoment, index: int, width: int) -> Line:
        """One line a break; the dearest stand out by their price, not by colour alone."""
        ink = self.palette
        if row.found is None:
            line = Line().cell("▸", 3, ink.style("ink-muted")).cell("Overview", 13, ink.style("ink-muted"))
            return line.add(
                "markers, lifetime, what paid off, what cost most",
                ink.style("ink"),
                most=width - line.width,
            )
        found = row.found
        line = Line().cell(number(row.index), 3, ink.style(token_of(found), bold=True))
        line.cell(fmt.day_and_clock(found.at), 13, ink.style("ink-muted"))
        words, lost = CAUSES.get(found.cause, found.cause), fmt.short(found.tokens_lost)
        told = f"{lost} re-read"
        tokens = told if line.width + len(words) + len(told) + 11 <= width else lost
        line.cell(words, width - line.width - len(tokens) - 10, ink.style(token_of(found)))
        line.cell(tokens, len(tokens) + 1, ink.style("ink-muted"), right=True)
        return line.cell(fmt.money(found.usd), 9, ink.style("money"), right=True)


def token_of(found: CacheBreak) -> str:
    """The colour of a break: its cause's."""
    return TOKENS.get(found.cause, "cause-other")


_SHORT = {
    "compaction": "compaction",
    "model_changed": "model",
    "system_prompt_changed": "system prompt",
    "tools_changed": "tools",
    "messages_rewritten": "rewritten",
    "ttl_expired": "expired",
    "resume": "new start",
}
"""The cause of a break in the legend."""


def hit_layers(report: CacheReport) -> tuple[Layer, ...]:
    """Per cent of each prompt that the cache served, and over it what each break left out, by its cause."""
    hits = tuple(round((call.hit_rate or 0) * 100) for call in report.calls)
    found = [Layer("cached", "bucket-read", "█", hits)]
    for cause in dict.fromkeys(one.cause for one in report.breaks):
        mine = [one for one in report.breaks if one.cause == cause]
        missed = {one.call: 100 - hits[one.call] for one in mine if one.call < len(hits)}
        values = tuple(missed.get(place, 0) for place in range(len(hits)))
        found.append(Layer(_SHORT.get(cause, "no cause known"), token_of(mine[0]), "░", values))
    return tuple(found)


def read_out(report: CacheReport, place: int) -> str:
    """One call in words: when, how large, how much of it the cache served, and why not more."""
    call = report.calls[place]
    cause = next((CAUSES.get(one.cause, one.cause) for one in report.breaks if one.call == place), "")
    sizes = f"{fmt.percent(call.hit_rate)} of {fmt.count(call.prompt)} tokens from the cache"
    said = f"call {place + 1:,} · {fmt.clock(call.at, seconds=False)} · {sizes}"
    return f"{said} · {cause}" if cause else said
