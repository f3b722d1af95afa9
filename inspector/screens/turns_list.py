"""The turns of a conversation, one line each, and the checks of one of them."""

from __future__ import annotations

from collections.abc import Iterator

from core.explain.decision import Check, Decision, Standing, Turn
from core.explain.turn_words import PASSED, call_sentence, decision_sentence, turn_sentence
from inspector import format
from inspector.line import Line
from inspector.palette import Palette
from inspector.widgets.curve_chart import number
from inspector.widgets.fields import field, paragraph
from inspector.widgets.row_list import RowList

TOKEN = {
    Standing.FIRED: "part-middle",
    Standing.BELOW: "ink-muted",
    Standing.HELD: "severity-warning",
    Standing.OPEN: "severity-info",
    Standing.DUE: "severity-critical",
}
SIGN = {True: "✓", False: "×", None: "–"}
_WIDE = 76
"""From this width on the checks stand in columns."""
_PASSED_TOKEN = {True: "severity-ok", False: "severity-warning", None: "ink-muted"}


class TurnList(RowList[Turn]):
    """Number, time, what came of it, what was asked."""

    OPENS = False

    def draw_row(self, row: Turn, index: int, width: int) -> Line:
        """One turn; what fired carries the number it has on the curve."""
        ink = self.palette
        token = TOKEN[row.standing]
        line = Line().cell(f"{row.index:,}", 5, ink.style("ink-muted"), right=True).gap(1)
        line.cell("".join(map(number, row.events)), 3, ink.style(token, bold=True))
        when = format.UNKNOWN if row.at is None else f"{row.at.astimezone():%m-%d %H:%M}"
        line.cell(when, 13, ink.style("ink-muted"))
        room = width // 4 if width >= 90 else 0
        line.cell(turn_sentence(row), width - line.width - room - (2 if room else 0), ink.style(token))
        return line.gap(2).cell(row.text, room, ink.style("ink")) if room else line


def card(turn: Turn, width: int, ink: Palette) -> list[Line]:
    """Everything decided in one turn: first what answers for it, then the other checks in order."""
    return list(_card(turn, width, ink))


def _card(turn: Turn, width: int, ink: Palette) -> Iterator[Line]:
    sentence = turn_sentence(turn)
    yield from paragraph(sentence[:1].upper() + sentence[1:] + ".", width, ink, "ink", bold=True)
    if turn.text:
        yield from field("asked", turn.text, width, ink, "ink-muted")
    telling = turn.telling
    rest = (decision for decision in turn.decisions if decision is not telling)
    for decision in (*([telling] if telling else []), *rest):
        yield Line()
        yield from _decision(decision, width, ink)
    for place, call in enumerate(turn.calls):
        if not place:
            yield Line()
        yield from field("" if place else "calls", call_sentence(call), width, ink)


def _decision(decision: Decision, width: int, ink: Palette) -> Iterator[Line]:
    yield from paragraph(decision_sentence(decision), width, ink, "ink")
    for check in decision.checks:
        if width < _WIDE:
            words = f"{SIGN[check.passed]} {check.name}: needed {check.needed}, had {check.had}"
            yield from paragraph(words, width, ink, _PASSED_TOKEN[check.passed])
        else:
            yield _check(check, width, ink)


def _check(check: Check, width: int, ink: Palette) -> Line:
    """Sign, name, needed, had; the answer in words too, where there is room."""
    style = ink.style(_PASSED_TOKEN[check.passed])
    line = Line().gap(2).cell(SIGN[check.passed], 2, style).cell(check.name, 24, ink.style("ink"))
    line.cell(f"needed {check.needed}", 26, ink.style("ink-muted"))
    return line.add(f"had {check.had} · {PASSED[check.passed]}", style, most=max(0, width - line.width))
