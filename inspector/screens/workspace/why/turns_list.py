"""The turns of a conversation, one line each, and the checks of one of them."""

from __future__ import annotations

from collections.abc import Iterator

from core.explain.turns.checks import Check, Decision, Standing, Turn
from core.explain.turns.sentences import PASSED, call_sentence, decision_sentence, outcome, turn_sentence
from inspector.terminal import formatting as fmt
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.widgets.charts.curve_chart import number
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.fields import field, paragraph

TOKEN = {
    Standing.FIRED: "part-middle",
    Standing.FAILED: "severity-critical",
    Standing.BELOW: "ink-muted",
    Standing.HELD: "severity-warning",
    Standing.OPEN: "severity-info",
    Standing.DUE: "severity-critical",
}
SIZE, LEAST_OUTCOME = 8, 30
"""Cells of the size, and the fewest for what came of it."""
SIGN = {True: "✓", False: "×", None: "–"}
_WIDE = 96
"""From this width on the checks stand in columns."""
_PASSED_TOKEN = {True: "severity-ok", False: "severity-warning", None: "ink-muted"}


class TurnList(RowList[Turn]):
    """Number, time, size, what came of it, what was asked."""

    HEADER_LINES = 1
    OPENS = False

    def draw_header(self, width: int) -> list[Line]:
        """Names of the columns."""
        ink = self.palette.style("ink-muted")
        line = Line().cell("turn", 5, ink, right=True).gap(4).cell("began", 13, ink)
        came, asked = _rooms(width)
        line.cell("tokens", SIZE, ink, right=True).gap(2).cell("what came of it", came, ink)
        return [line.gap(2).cell("what was asked", asked, ink)]

    def draw_row(self, row: Turn, index: int, width: int) -> Line:
        """One turn; what fired carries the number it has on the curve."""
        ink, telling = self.palette, row.telling
        token, muted = TOKEN[row.standing], ink.style("ink-muted")
        line = Line().cell(f"{row.index:,}", 5, muted, right=True).gap(1)
        line.cell("".join(map(number, row.events)), 3, ink.style(token, bold=True))
        line.cell(fmt.UNKNOWN if row.at is None else f"{row.at.astimezone():%m-%d %H:%M}", 13, muted)
        mark = fmt.ESTIMATE if telling is not None and not telling.real else ""
        line.cell(fmt.short(telling.tokens if telling else None, mark=mark), SIZE, muted, right=True)
        came, asked = _rooms(width)
        line.gap(2).cell(outcome(row), came, ink.style(token))
        return line.gap(2).cell(row.text, asked, ink.style("ink"))


def _rooms(width: int) -> tuple[int, int]:
    """Cells for what came of a turn, and for what was asked in it."""
    room = max(2, width - 5 - 4 - 13 - SIZE - 4)
    came = max(room // 2, min(room, LEAST_OUTCOME))
    return came, room - came


def card(turn: Turn, width: int, ink: Palette) -> Iterator[Line]:
    """What answers for one turn: the check that fired or came closest."""
    sentence = turn_sentence(turn)
    yield from paragraph(f"{_capital(sentence)}.", width, ink, "ink", bold=True)
    if turn.unanswered is not None:
        yield from paragraph(
            f"{turn.unanswered.says} {turn.unanswered.helps}", width, ink, "severity-warning"
        )
    if turn.text:
        yield from field("asked", turn.text, width, ink, "ink-muted")
    if turn.telling is not None:
        yield Line()
        yield from _decision(turn.telling, width, ink)


def rest(turn: Turn, width: int, ink: Palette) -> Iterator[Line]:
    """The other checks of a turn in order, and its calls."""
    others = (decision for decision in turn.decisions if decision is not turn.telling)
    for place, decision in enumerate(others):
        yield from [Line()] if place else []
        yield from _decision(decision, width, ink)
    for place, call in enumerate(turn.calls):
        yield from [] if place else [Line()]
        yield from field("" if place else "calls", call_sentence(call), width, ink)


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _decision(decision: Decision, width: int, ink: Palette) -> Iterator[Line]:
    yield from paragraph(_capital(decision_sentence(decision)), width, ink, "ink")
    for check in decision.checks:
        if width < _WIDE:
            words = f"{SIGN[check.passed]} {check.name}: required {check.needed}, actual {check.had}"
            yield from paragraph(words, width, ink, _PASSED_TOKEN[check.passed])
        else:
            yield _check(check, width, ink)


def _check(check: Check, width: int, ink: Palette) -> Line:
    """Sign, name, needed, had; the answer in words too, where there is room."""
    style = ink.style(_PASSED_TOKEN[check.passed])
    line = Line().gap(2).cell(SIGN[check.passed], 2, style).cell(check.name, 33, ink.style("ink"))
    line.cell(f"required {check.needed}", 27, ink.style("ink-muted"))
    return line.add(f"actual {check.had} · {PASSED[check.passed]}", style, most=max(0, width - line.width))
