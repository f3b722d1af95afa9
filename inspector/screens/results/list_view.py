"""Tool results, one line each, and the life of one of them."""

from __future__ import annotations

from collections.abc import Iterator

from core.explain.tool_results.life import STATES, ResultLife, ResultLives, file_words
from inspector.terminal import formatting as fmt
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.fields import field, headline, paragraph

_COLOURS = {"tool_cap": "severity-info", "persisted": "severity-info", "truncated": "severity-warning"}
_ROOMY = 100
"""Columns from which a row has room for the tokens of one call and how many calls there were."""
_OUTCOMES = {
    "kept": "stay as it is",
    "persisted": "be saved to a file, its first characters left",
    "truncated": "be truncated, the rest lost",
    "changed": "be rewritten",
}


class ResultList(RowList[ResultLife]):
    """Row, tool, tokens, calls, lifetime tokens and cost, how it stands, what it becomes."""

    HEADER_LINES = 1
    OPENS = False

    def draw_header(self, width: int) -> list[Line]:
        """Names of the columns."""
        ink = self.palette.style("ink-muted")
        line = Line().cell("row", 8, ink, right=True).gap(2).cell("tool", 16, ink)
        if width >= _ROOMY:
            line.cell("tokens", 9, ink, right=True).cell("calls", 7, ink, right=True)
        line.cell("in all", 10, ink, right=True).cell("cost", 10, ink, right=True).gap(2)
        line.cell("state", 16, ink)
        return [line.add("when shortened", ink, most=max(0, width - line.width))]

    def draw_row(self, row: ResultLife, index: int, width: int) -> Line:
        """One result."""
        ink = self.palette
        layer = row.standing.layer
        muted, plain = ink.style("ink-muted"), ink.style("ink")
        line = Line().cell(f"{row.row:,}", 8, muted, right=True).gap(2).cell(row.tool, 16, plain)
        if width >= _ROOMY:
            line.cell(fmt.short(row.tokens, mark=fmt.ESTIMATE), 9, plain, right=True)
            line.cell(f"{row.calls:,}", 7, muted, right=True)
        line.cell(fmt.short(row.lifetime_tokens, mark=fmt.ESTIMATE), 10, plain, right=True)
        line.cell(fmt.money(row.usd), 10, ink.style("money"), right=True).gap(2)
        line.cell(STATES[layer], 16, ink.style(_COLOURS.get(layer, "ink-muted")))
        return line.add(
            _one_line(row.stub or "").removeprefix(f"[{row.tool}] "), muted, most=max(0, width - line.width)
        )


def card(one: ResultLife, width: int, ink: Palette) -> Iterator[Line]:
    """What was done to it, what it cost, what is left to read."""
    title = f"{one.tool} · {STATES[one.standing.layer]}"
    yield from headline(title, fmt.money(one.usd), width, ink, badge_token="money")
    tokens, lifetime = (fmt.count(n, mark=fmt.ESTIMATE) for n in (one.tokens, one.lifetime_tokens))
    calls = fmt.plural(one.calls, "call")
    yield from field("cost", f"{tokens} tokens, sent with {calls}: {lifetime} in all", width, ink)
    if one.arrived.chars is not None:
        yield from field("in full", f"{fmt.count(one.arrived.chars)} characters", width, ink)
    if one.path is not None:
        yield from field("file", f"{one.path} ({file_words(one)})", width, ink)
        if one.standing.layer == "pruned":
            yield from field("", "nothing in the conversation names it any more", width, ink)
    yield from field("shortened", one.stub or "never: pruning leaves it alone", width, ink)


def rest(one: ResultLife, lives: ResultLives, width: int, ink: Palette) -> Iterator[Line]:
    """Where it stands, and what it would come to today."""
    yield from field("stored", f"row {one.row:,}, session {one.session}, call {one.call}", width, ink)
    if one.would is not None:
        yield Line()
        outcome = _OUTCOMES[one.would.outcome]
        text = f"Returned now, by the rules of Hermes {lives.release}, it would {outcome}."
        yield from paragraph(text, width, ink)


def _one_line(text: str) -> str:
    return " ".join(text.split())
