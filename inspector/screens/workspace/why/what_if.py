"""What would another threshold, tail or window have done? Replays the same conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.style import Style
from textual import getters, on
from textual.app import ComposeResult
from textual.events import Resize

from core.explain.context.context import open_context
from core.explain.what_if.outcome import refused_words
from core.explain.what_if.scenarios import Scenario, mark_best, scenarios
from core.model.finding import Headline
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store
from core.support import formatting as fmt
from inspector.base.commands import bindings
from inspector.base.workers import cancelled, in_thread, then
from inspector.screens.page import Page
from inspector.terminal.line import Line
from inspector.widgets.bars.answer_and_keys import AnswerBar, KeyBar
from inspector.widgets.bars.status_line import StatusLine, titled
from inspector.widgets.charts.curve_chart import CurveChart
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList

NAME = 11
COLUMNS = (("fires at", 8), ("compr.", 6), ("summary", 8), ("prompts", 8), ("peak", 7), ("cost", 8))

NOT_REPLAYED = "a replay leaves out /compress, refusals and failures"
LIVING = "Replaying the conversation …"
GIVES_WAY, ROOMY = ("summary", "prompts", "peak"), 100
"""Columns that are dropped on narrower screens, where the notes matter more; and that width."""
NOTES = 36
"""Cells for the notes after a bar."""
MIN_BAR = 8
"""Fewest cells of a cost bar; with less room it is left out."""
TALL = 34
"""Rows of a screen from which the requests under the selected setting are drawn below the list."""


class ScenarioList(RowList[Scenario]):
    """One setting per line."""

    HEADER_LINES = 1
    OPENS = False

    found: tuple[Scenario, ...] = ()
    """All results so far; their bars share one scale."""
    in_force: bool = True
    """The configured settings are in force; False if another context engine decides."""

    def draw_header(self, width: int) -> list[Line]:
        """Column titles."""
        line = Line().cell("threshold", NAME, self.palette.style("ink-muted"))
        for title, cells in self._columns(width):
            line.cell(title, cells, self.palette.style("ink-muted"), right=True).gap(1)
        return [line]

    def draw_row(self, row: Scenario, index: int, width: int) -> Line:
        """Draw the result of one setting."""
        ink, one = self.palette, row.outcome
        line = Line().cell(row.name, NAME, ink.style("ink"))
        figures = (one.threshold, len(one.firings), one.summarised_tokens, one.prompt_tokens, one.peak)
        texts = (*map(fmt.short, figures), fmt.money(one.usd, mark=fmt.ESTIMATE))
        text_of = dict(zip((title for title, _ in COLUMNS), texts, strict=True))
        for title, cells in self._columns(width):
            line.cell(text_of[title], cells, ink.style("ink-muted"), right=True).gap(1)
        room = width - line.width - NOTES  # the same in every row, so that bars share a scale
        if room >= MIN_BAR:
            most = max((spent_on(other) for other in self.found), default=1) or 1
            token = "severity-warning" if one.loops or one.refused else "bucket-read" if row.best else "rule"
            token = "part-head" if row.actual else token
            line.cell("▇" * max(1, round(room * spent_on(row) / most)), room, ink.style(token)).gap(1)
        for text, style in self._notes(row):
            line.add(text, style, most=width - line.width).gap(1)
        return line

    def _columns(self, width: int) -> tuple[tuple[str, int], ...]:
        """The columns that leave room for the notes; the cost only if a price is known."""
        narrow = GIVES_WAY if width < ROOMY else ()
        unpriced = () if any(one.outcome.usd is not None for one in self.found) else ("cost",)
        return tuple(one for one in COLUMNS if one[0] not in (*narrow, *unpriced))

    def _notes(self, row: Scenario) -> Iterator[tuple[str, Style]]:
        """Notes about a setting, the most important first."""
        ink, one = self.palette, row.outcome
        if row.actual:
            yield "in force" if self.in_force else "configured", ink.style("part-head", bold=True)
        if row.best:
            best = "◀ fewest prompt tokens" if one.usd is None else "◀ cheapest"
            yield best, ink.style("severity-ok", bold=True)
        if not row.usable:
            yield "Hermes would not start", ink.style("ink-faint")
            return
        if one.loops:
            yield "▲ would loop", ink.style("severity-warning", bold=True)
        if one.refused:
            yield f"▲ {refused_words(one)}", ink.style("severity-warning")


class OtherSettingsScreen(Page):
    """Settings compared, each shown as soon as it is replayed, with how often it really was compacted.

    `engine` is the context engine that decides instead of Hermes' own; "" for none.
    """

    CSS_PATH = "other_settings.tcss"
    BINDINGS = bindings("other_settings")
    WORK = "scenarios"

    scenarios_list = getters.query_one(ScenarioList)

    def __init__(self, location: Location, session: str, title: str, happened: int, engine: str = "") -> None:
        super().__init__()
        self._location, self._session, self._title = location, session, title
        self._happened, self._engine = happened, engine
        self._found: list[Scenario] = []

    def compose(self) -> ComposeResult:
        """Head, answer, settings, curve, key bar."""
        yield StatusLine(id="head")
        yield AnswerBar(LIVING)
        yield ScenarioList(empty=LIVING)
        yield CurveChart()
        yield KeyBar()

    def on_mount(self) -> None:
        """Start replaying."""
        words = (*titled("Other settings", self._title), ("ink-muted?", " · on this same history"))
        self.query_one(StatusLine).left = words
        self.scenarios_list.in_force = not self._engine
        self.scenarios_list.focus()
        self.work_out()

    @in_thread(WORK)
    def work_out(self) -> None:
        """Replay the settings, on a connection of the worker's own."""
        stop = cancelled()
        for one, last in _try_scenarios(self._location, self._session, stop):
            if stop():
                return
            then(self, self._take, one, last)

    def _take(self, one: Scenario, last: bool) -> None:
        self._found.append(one)
        shown = mark_best(self._found) if last else tuple(self._found)
        listing = self.scenarios_list
        listing.found = shown
        in_force = next((place for place, one in enumerate(shown) if one.actual), 0)
        listing.show(ListRows(shown), cursor=listing.cursor or in_force if last else listing.cursor)
        self._draw_requests()
        answer = self.query_one(AnswerBar)
        answer.waiting = f"Replaying the conversation: {len(shown):,} settings tried …"
        if last:
            answer.answer = Headline(verdict(shown, self._happened, self._engine))

    def on_resize(self, event: Resize) -> None:
        """Draw the requests if there is room."""
        self.set_class(event.size.height >= TALL, "-tall")
        self._draw_requests()

    @on(RowList.Moved)
    def _draw_requests(self) -> None:
        """Draw the requests as they would have been with the setting under the cursor."""
        chart, one = self.query_one(CurveChart), self.scenarios_list.current
        self.scenarios_list.styles.height = len(self._found) + 1 if self.has_class("-tall") else "1fr"
        if one is not None:
            chart.values = tuple(prompt for prompt, _ in one.outcome.requests)
            chart.threshold = one.outcome.threshold
            times = fmt.plural(len(one.outcome.firings), "compaction")
            chart.caption = f"prompt tokens of {fmt.plural(one.outcome.calls, 'call')} at {one.name}: {times}"


def spent_on(one: Scenario) -> float:
    """The value of a setting's bar: US dollars, or prompt tokens without prices."""
    outcome = one.outcome
    return float(outcome.prompt_tokens if outcome.usd is None else outcome.usd)


def verdict(found: Sequence[Scenario], happened: int, engine: str = "") -> str:
    """The setting in force, the range of thresholds with the same result, and the cheapest setting.

    `engine` is the context engine that decides instead of Hermes' own.
    """
    actual = next((one for one in found if one.actual), None)
    if actual is None:
        return "Nothing to compare: the context window is unknown."
    times = fmt.plural(len(actual.outcome.firings), "compaction")
    cost = "" if actual.outcome.usd is None else f", {fmt.money(actual.outcome.usd, mark=fmt.ESTIMATE)}"
    said = f"In force is {actual.name}: {times}{cost}."
    if engine:
        own = f"Hermes' own compressor would have run {times} at {actual.name}{cost}"
        said = f"The engine {engine} decides here; {own}."
    elif happened != len(actual.outcome.firings):
        said = f"{said[:-1]} ({happened:,} really ran; {NOT_REPLAYED})."
    same = [one.name for one in found if _is_share(one) and _came_of(one) == _came_of(actual)]
    if len(same) > 1:
        said += f" The same result from {same[0]} to {same[-1]}."
    best = next((one for one in found if one.best and not one.actual), None)
    if best is None:
        return (
            f"{said} No other setting {'sends fewer tokens' if actual.outcome.usd is None else 'is cheaper'}."
        )
    usd = best.outcome.usd
    price = f", {fmt.money(usd, mark=fmt.ESTIMATE)}" if usd is not None else ""
    least = "Fewest tokens" if usd is None else "Cheapest"
    return f"{said} {least}: {best.name}{price} with {fmt.plural(len(best.outcome.firings), 'compaction')}."


def _is_share(one: Scenario) -> bool:
    return one.name.replace(".", "", 1).isdigit()


def _came_of(one: Scenario) -> tuple[int, int, int]:
    outcome = one.outcome
    return len(outcome.firings), outcome.prompt_tokens, outcome.summarised_tokens


def _try_scenarios(location: Location, session: str, stop: Cancelled) -> Iterator[tuple[Scenario, bool]]:
    """Each scenario once it is replayed, and whether it is the last."""
    with Store(location, cancelled=stop) as store:
        yield from scenarios(open_context(store, session))
