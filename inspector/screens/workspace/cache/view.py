"""What broke the prompt cache, and what did that cost? Markers, hits call by call, breaks as cards."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from threading import Lock

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container

from core.account.prompt_cache.message_notes import MessageNotes
from core.explain.headline.usage import cache_headline
from core.explain.prompt_cache import conversation_cache
from core.model.accounting.prompt_cache import CacheBreak, CacheReport
from core.store.store import Store
from core.support import formatting as fmt
from inspector.base.app_protocol import FigureQuestion
from inspector.base.commands import bindings
from inspector.base.workers import ask_store
from inspector.screens.workspace.cache.card import (
    break_lines,
    break_origins,
    report_origins,
    result_lines,
    whole_lines,
)
from inspector.screens.workspace.cache.list_view import (
    OF_NEXT,
    BreakList,
    CacheMoment,
    MarkerStrip,
    Pin,
    hit_layers,
    read_out,
    token_of,
)
from inspector.screens.workspace.views import CurveView, Subject
from inspector.terminal.line import Line, Palette
from inspector.widgets.bars.answer_and_keys import AnswerBar
from inspector.widgets.bars.status_line import Piece, StatusLine
from inspector.widgets.charts.curve import Mark
from inspector.widgets.charts.curve_chart import CurveChart
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import Card, evidence_lines

READING = "Reading log, rows and prices …"


class CacheView(CurveView):
    """Reads the report once, then only draws it."""

    BINDINGS = bindings("cache")
    DEFAULT_CSS = "CacheView CurveChart { height: 7; }"

    breaks = getters.query_one(BreakList)

    def __init__(self) -> None:
        super().__init__()
        self._report: CacheReport | None = None
        self._notes, self._reading = MessageNotes(), Lock()

    def compose(self) -> ComposeResult:
        """Answer, figures, markers, hit rate, breaks with their card."""
        yield AnswerBar(READING)
        yield StatusLine(id="figures")
        yield MarkerStrip()
        chart = CurveChart()
        chart.unit = "%"
        chart.tell = min  # one miss among many hits is what matters
        yield chart
        yield Container(BreakList(), Card(), id="verdicts")

    def watch_subject(self, subject: Subject | None) -> None:
        """Read the report again."""
        if subject is not None:
            read = partial(self._reported, subject.conversation.tip.id)
            ask_store(self, "cache", subject.location, read, self._take)

    def _reported(self, session: str, store: Store) -> CacheReport:
        """Join log, rows and prices; runs in a thread."""
        with self._reading:  # a cancelled read may still be using the notes
            return conversation_cache(store, session, notes=self._notes)

    def _take(self, report: CacheReport) -> None:
        again, before = self._report is not None, self.breaks.current
        self._report = report
        self.query_one(AnswerBar).answer = cache_headline(report)
        self.query_one("#figures", StatusLine).left = figures(report)
        strip = self.query_one(MarkerStrip)
        strip.pins = tuple(Pin(point.prefix_tokens, point.honoured) for point in report.breakpoints)
        strip.set_class(not strip.pins, "-bare")
        strip.total = next((call.prompt for call in reversed(report.calls) if call.prompt), 0)
        strip.words = marker_words(report)
        self._draw_curve(report)
        moments = [CacheMoment(place, one, report.local) for place, one in enumerate(report.breaks)]
        moments.append(CacheMoment(len(moments), None))
        place = len(moments) - 1 if before is not None and before.found is None else self.breaks.cursor
        self.breaks.show(ListRows(moments), cursor=place if again else report.costliest or 0)
        self._show_card()

    def _draw_curve(self, report: CacheReport) -> None:
        self.chart.values = tuple(round((call.hit_rate or 0) * 100) for call in report.calls)
        self.chart.made_of = hit_layers(report)
        self.chart.read_out, self.chart.pointed = partial(read_out, report), -1
        self.chart.marks = tuple(Mark(one.call, token_of(one)) for one in report.breaks)
        self.chart.display = any(self.chart.values)  # the answer says that nothing came from a cache
        self.chart.caption = f"hit rate of {fmt.plural(len(report.calls), 'call')} in the log"
        if report.calls:
            self.chart.ends = fmt.ends(report.calls[0].at, report.calls[-1].at)

    @on(RowList.Moved)
    def _show_card(self, moved: RowList.Moved | None = None) -> None:
        moment, report = self.breaks.current, self._report
        if moment is None or report is None:
            return
        self.chart.selected, self.chart.pointed = moment.index, -1
        if moment.found is None:
            face, proof = partial(whole_lines, report), partial(result_lines, report)
        else:
            wide = self.screen.has_class("-wide")
            face = partial(_break, moment.found, report, wide)
            proof = partial(_proof, moment.found, report, wide)
        self.card.show(face, proof, keep_place=moved is None)

    def action_results(self) -> None:
        """Show what happened to each tool result."""
        from inspector.screens.results import ResultsScreen

        if self.subject is not None:
            about = self.subject.conversation
            self.app.push_screen(ResultsScreen(self.subject.location, about.tip.id, about.name))

    def figures(self) -> FigureQuestion | None:
        """The figures on the card; for the overview also those of the first line."""
        moment, report = self.breaks.current, self._report
        if moment is None or report is None:
            return None
        if moment.found is None:
            return FigureQuestion("the cache", lambda _: tuple(report_origins(report)))
        about, found = f"break {moment.index + 1}", moment.found
        return FigureQuestion(about, lambda _: tuple(break_origins(found, report.calls)))


def figures(report: CacheReport) -> tuple[Piece, ...]:
    """Hit rate, markers, number of breaks and their cost."""
    pieces: list[Piece] = [
        ("bucket-read!", f"hit {fmt.percent(report.tokens.hit_rate)}"),
        ("ink-muted", f" · {_marking(report)}"),
    ]
    if report.breaks:
        lost = sum(one.tokens_lost for one in report.breaks)
        known = [one.usd for one in report.breaks if one.usd is not None]
        mark = fmt.LOWER_BOUND if known and len(known) < len(report.breaks) else ""
        cost = fmt.money(sum(known, Decimal(0)) if known else None, mark=mark)
        pieces += [
            ("ink-muted", f" · {fmt.plural(len(report.breaks), 'break')} · "),
            ("ink", f"{fmt.short(lost)} tokens re-read"),
            ("money", " at no cost" if report.local else f" · {cost}"),
        ]
    return tuple(pieces)


def marker_words(report: CacheReport) -> str:
    """Where the next request carries markers; their sizes are on the card."""
    points = report.honoured
    names = ", ".join(f"#{point.index}" if point.index >= 0 else point.role for point in points)
    return f"cache markers{OF_NEXT}: {names}" if points else ""


def _marking(report: CacheReport) -> str:
    return fmt.plural(len(report.honoured), "cache marker") if report.honoured else report.marking


def _break(found: CacheBreak, report: CacheReport, wide: bool, width: int, ink: Palette) -> Iterator[Line]:
    """A break, with the whole cache below it if there is room."""
    yield from break_lines(found, width, ink, own=report.local)
    if wide:
        yield Line()
        yield from whole_lines(report, width, ink)


def _proof(found: CacheBreak, report: CacheReport, wide: bool, width: int, ink: Palette) -> Iterator[Line]:
    yield from evidence_lines(found.evidence, width, ink)
    if wide:
        yield Line()
        yield from result_lines(report, width, ink)
