"""What would another threshold, tail or window have done? The same conversation, lived through again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from textual import getters, on
from textual.app import ComposeResult
from textual.message import Message as Event

from core.account.pricing.price_book import open_book
from core.explain.events import explained
from core.explain.what_if.simulate import Outcome, cheapest, compare
from core.model.compaction.settings import Settings
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.store.store import Store
from inspector.base.commands import bindings
from inspector.base.workers import cancelled, in_thread
from inspector.screens.page import Page
from inspector.terminal import formatting as format
from inspector.terminal.line import Line
from inspector.widgets.bars.key_bar import KeyBar
from inspector.widgets.bars.status_line import StatusLine
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.lists.rows import ListRows

SHARES = (0.35, 0.50, 0.60, 0.70, 0.75, 0.80, 0.85, 0.90)
RATIOS = (0.10, 0.40)
"""Shares of the threshold kept as the tail, beside the one in force."""
WINDOWS = {"64K": 64_000, "128K": 128_000, "200K": 200_000, "400K": 400_000, "1M": 1_000_000}
"""Context lengths, beside the one in force: of another model, or set lower in config.yaml."""
NAME = 11
COLUMNS = (("fires at", 8), ("times", 5), ("summary", 8), ("prompts", 8), ("peak", 7), ("cost", 8))


@dataclass(frozen=True, slots=True)
class Life:
    """The conversation under one setting.

    Attributes:
        name: What differs from the setting in force.
        actual: It is the one in force.
    """

    name: str
    outcome: Outcome
    actual: bool = False
    best: bool = False


class LifeList(RowList[Life]):
    """One line a setting."""

    HEADER_LINES = 1
    OPENS = False

    def draw_header(self, width: int) -> list[Line]:
        """Column titles."""
        line = Line().cell("threshold", NAME, self.palette.style("ink-muted"))
        for title, cells in COLUMNS:
            line.cell(title, cells, self.palette.style("ink-muted"), right=True).gap(1)
        return [line]

    def draw_row(self, row: Life, index: int, width: int) -> Line:
        """What it would have cost in tokens."""
        ink, one = self.palette, row.outcome
        line = Line().cell(row.name, NAME, ink.style("ink"))
        figures = (one.threshold, len(one.firings), one.summarised_tokens, one.prompt_tokens, one.peak)
        cells_of = (*map(format.short, figures), format.money(one.usd, mark=format.ESTIMATE))
        for (_, cells), text in zip(COLUMNS, cells_of, strict=True):
            line.cell(text, cells, ink.style("ink-muted"), right=True).gap(1)
        if row.actual:
            line.add("in force", ink.style("part-head", bold=True)).gap(1)
        if one.loops:
            line.add("▲ would loop", ink.style("severity-warning", bold=True)).gap(1)
        best = "◀ least read by models" if one.usd is None else "◀ cheapest"
        return line.add(best if row.best else "", ink.style("severity-ok", bold=True))


class OtherSettingsScreen(Page):
    """Settings side by side, each as soon as it is worked out.

    Args:
        location: The database.
        session: Any session of the conversation.
        title: What it is called.
    """

    CSS_PATH = "other_settings.tcss"
    BINDINGS = bindings("other_settings")

    lives = getters.query_one(LifeList)

    @dataclass
    class Lived(Event):
        """The conversation was lived through under one more setting."""

        life: Life
        last: bool

    def __init__(self, location: Location, session: str, title: str) -> None:
        super().__init__()
        self._location, self._session, self._title = location, session, title
        self._lives: list[Life] = []

    def compose(self) -> ComposeResult:
        """What is asked, the thresholds, keys."""
        yield StatusLine(id="head")
        yield LifeList(empty="Living through the conversation again …")
        yield KeyBar()

    def on_mount(self) -> None:
        """Start."""
        words = (("part-head!", "Other settings"), ("ink-faint", " · "), ("ink", self._title))
        self.query_one(StatusLine).left = (*words, ("ink-muted?", " · on this same history"))
        self.lives.focus()
        self.live()

    @in_thread("lives")
    def live(self) -> None:
        """Work the settings out on a connection of the worker's own."""
        stop = cancelled()
        for life, last in _lives(self._location, self._session, stop):
            if stop():
                return
            self.post_message(self.Lived(life, last))

    @on(Lived)
    def _take(self, event: Lived) -> None:
        self._lives.append(event.life)
        # Of equals the one in force is best: nothing is gained by changing it.
        best = cheapest(life.outcome for life in sorted(self._lives, key=lambda life: not life.actual))
        rows = [replace(life, best=event.last and life.outcome is best) for life in self._lives]
        self.lives.show(ListRows(rows))

    def action_back(self) -> None:
        """Stop and go back."""
        self.workers.cancel_group(self, "lives")
        self.app.pop_screen()


def _lives(location: Location, session: str, stop: Cancelled) -> Iterator[tuple[Life, bool]]:
    """Each life as it is worked out, and whether it is the last."""
    with Store(location, cancelled=stop) as store:
        frame, explanation = explained(store, session)
        actual = explanation.settings
        if actual.window is None:
            return
        ttl = frame.config.value("prompt_caching.cache_ttl", explanation.release.release)
        prices = open_book(one_hour=ttl == "1h")
        tried = variations(actual)
        outcomes = compare(frame, [settings for _, settings in tried], prices=prices)
        for place, ((name, settings), outcome) in enumerate(zip(tried, outcomes, strict=True), 1):
            yield Life(name, outcome, settings == actual), place == len(tried)
        prices.save()


def variations(actual: Settings) -> tuple[tuple[str, Settings], ...]:
    """Settings worth looking at, each with what differs: thresholds, tails and windows, lowest first."""
    shares = sorted({*SHARES, actual.threshold})
    return (
        *((f"{share:.2f}", replace(actual, threshold=share)) for share in shares),
        *(
            (f"tail {ratio:.2f}", replace(actual, target_ratio=ratio))
            for ratio in RATIOS
            if ratio != actual.target_ratio
        ),
        *(
            (f"window {name}", replace(actual, window=window))
            for name, window in WINDOWS.items()
            if window != actual.window
        ),
    )
