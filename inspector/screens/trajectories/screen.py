"""Which trajectories are too long, and what would compression do to each?"""

from __future__ import annotations

import time
from collections.abc import Sequence

from textual import getters, on
from textual.app import ComposeResult

from core.model.finding import Headline, Severity
from core.redact.quick_check import masked_start
from core.support import formatting as fmt
from core.trajectory.browse import Listed, State, Sums, survey
from core.trajectory.shards.job import Job
from inspector.base.commands import bindings, hint
from inspector.base.workers import cancelled, in_thread, then
from inspector.screens.page import Page
from inspector.screens.trajectories.one import LONGER, TrajectoryScreen
from inspector.terminal.line import Line
from inspector.terminal.text import cell_len
from inspector.widgets.bars.answer_and_keys import AnswerBar, KeyBar
from inspector.widgets.bars.status_line import StatusLine
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList

TELL_SECONDS = 0.2
"""Seconds between updates while the file is read."""

SIGNS = {
    State.FITS: ("✓", "severity-ok"),
    State.SHORTENED: ("↓", "part-middle"),
    State.OVER: ("▲", "severity-warning"),
    State.FAILED: ("×", "severity-critical"),
    State.WITHOUT: ("–", "ink-faint"),
}
FILTERS: tuple[tuple[str, frozenset[State]], ...] = (
    ("all", frozenset(State)),
    ("failed", frozenset({State.FAILED})),
    ("still over the limit", frozenset({State.OVER})),
    ("over the limit", frozenset({State.SHORTENED, State.OVER})),
)
"""What `/` lists in turn: what went wrong first. What holds of none is passed over."""

COLUMNS = ("line", "tokens", "after", "turns", "saved")
CELLS = (7, 9, 10, 7, 7)
FATE, ASKED = 46, 12
"""Width of `what would happen`, and cells the first request needs after it to be shown."""
REST = {
    State.OVER: "{count} would still be longer",
    State.FAILED: "{count} could not be read",
    State.WITHOUT: "{count} without turns",
}
LOOK = "{trajectories.filter} lists those that failed, each with its reason."


class TrajectoryList(RowList[Listed]):
    """Line, tokens before and after, turns, what would happen, first request."""

    HEADER_LINES = 1
    DEFAULT_CSS = "TrajectoryList { padding: 0 1; }"

    def draw_header(self, width: int) -> list[Line]:
        """The column titles."""
        ink = self.palette.style("ink-muted")
        line = Line().gap(2)
        for name, cells in zip(COLUMNS, CELLS, strict=True):
            line.cell(name, cells, ink, right=True)
        line.gap(2)
        if width - line.width < FATE + ASKED:
            return [line.add("what would happen", ink, most=max(0, width - line.width))]
        return [line.cell("what would happen", FATE, ink).add("first request", ink)]

    def draw_row(self, row: Listed, index: int, width: int) -> Line:
        """Draw one trajectory."""
        ink = self.palette
        sign, token = SIGNS[row.state]
        muted, style = ink.style("ink-muted"), ink.style(token)
        line = Line().add(f"{sign} ", style).cell(f"{row.line:,}", CELLS[0], muted, right=True)
        found = row.metrics
        if found is None:
            far = sum(CELLS[1:]) + 2  # below the title, where there is room for the whole reason
            line.gap(far if line.width + far + cell_len(row.problem) <= width else 2)
            return line.add(row.problem, style, most=max(0, width - line.width))
        line.cell(fmt.count(found.original_tokens), CELLS[1], ink.style("ink"), right=True)
        after = fmt.count(found.compressed_tokens, mark=fmt.ESTIMATE) if found.was_compressed else ""
        line.cell(after, CELLS[2], ink.style("ink"), right=True)
        line.cell(f"{found.original_turns:,}", CELLS[3], muted, right=True)
        line.cell(fmt.percent(1 - found.compression_ratio) if after else "", CELLS[4], style, right=True)
        left = width - line.gap(2).width
        if left < FATE + ASKED:
            return line.add(_words(row, left), style, most=max(0, left))
        line.cell(_words(row, FATE), FATE, style)
        return line.add(masked_start(row.asked, left), muted, most=left - FATE)


class TrajectoriesScreen(Page):
    """A file of trajectories, listed while it is read.

    Args:
        job: The input, and how it would be compressed; nothing is written.
    """

    BINDINGS = bindings("trajectories")

    trajectories = getters.query_one(TrajectoryList)
    head = getters.query_one(StatusLine)

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job, sources = job, job.sources
        self._file = sources[0].name if len(sources) == 1 else fmt.plural(len(sources), "file")
        self._found: list[Listed] = []
        self._rows: list[Listed] = []
        self._sums = Sums()
        self._whole = False
        self._filter = 0

    def compose(self) -> ComposeResult:
        """Head, answer, trajectories, key bar."""
        yield StatusLine()
        yield AnswerBar()
        yield TrajectoryList(empty="Reading …")
        yield KeyBar()

    def on_mount(self) -> None:
        """Start reading."""
        self.trajectories.focus()
        self.read_all()

    @in_thread("trajectories")
    def read_all(self) -> None:
        """Read and plan every entry, and report in batches."""
        stop = cancelled()
        batch: list[Listed] = []
        shown_at = time.monotonic()
        for listed in survey(self.job):
            if stop():
                return
            batch.append(listed)
            if time.monotonic() - shown_at >= TELL_SECONDS:
                then(self, self._take, batch, whole=False)
                batch, shown_at = [], time.monotonic()
        then(self, self._take, batch, whole=True)

    def _take(self, entries: Sequence[Listed], *, whole: bool) -> None:
        self._found += entries
        self._rows += (row for row in entries if row.state in FILTERS[self._filter][1])
        for entry in entries:
            self._sums.add(entry)
        self._whole = whole
        self._show(keep=True)

    def _show(self, *, keep: bool) -> None:
        name = FILTERS[self._filter][0]
        if self._whole:
            self.trajectories.empty = "There are no trajectories." if name == "all" else f"None is {name}."
        self.trajectories.show(ListRows(self._rows), cursor=None if keep else 0)
        self._tell(len(self._rows))

    def _tell(self, shown: int) -> None:
        bar = self.query_one(AnswerBar)
        found = fmt.plural(len(self._found), "trajectory", "trajectories")
        if self._whole:
            bar.answer = answer(self._sums, self.job.settings.target)
        else:
            bar.waiting = f"Reading … {found} so far"
        name = FILTERS[self._filter][0]
        listed = f" · {name}: {shown:,}" if self._filter else ""
        self.head.left = (("ink!", self._file), ("ink-muted", f" · {found}{listed}"))
        target = f"target {self.job.settings.target:,} · Hermes {self.job.settings.release}"
        self.head.right = (("ink-muted", target),)

    @on(RowList.Opened)
    def _open(self) -> None:
        found = self.trajectories.current
        if found is not None:
            self.app.push_screen(TrajectoryScreen(self.job, found))

    def action_next_filter(self) -> None:
        """Show all, those that failed, those that stay over the limit, or those over it now."""
        turns = (*range(self._filter + 1, len(FILTERS)), 0)
        self._filter = next(at for at in turns if not at or any(map(self._sums.counts.get, FILTERS[at][1])))
        self._rows = [row for row in self._found if row.state in FILTERS[self._filter][1]]
        self._show(keep=False)

    def action_back(self) -> None:
        """Return to the previous screen; quit if there is none."""
        if len(self.app.screen_stack) > 2:
            super().action_back()
        else:
            self.app.exit()

    def action_copy(self) -> None:
        """Copy file and line of the trajectory under the cursor."""
        found = self.trajectories.current
        self.copy(f"{self.job.sources[found.source].path}:{found.line}" if found else "")


def answer(sums: Sums, target: int) -> Headline:
    """How many are too long, what compression saves, and what helps with those still too long."""
    counts, total = sums.counts, sums.counts.total()
    if not total:
        return Headline("The file has no trajectories.", None, Severity.INFO)
    over, found = f"{sums.over:,}" if sums.over else "None", fmt.plural(total, "trajectory", "trajectories")
    parts = [f"{over} of {found} {'is' if sums.over == 1 else 'are'} over {target:,} tokens"]
    if sums.over:
        saved = fmt.count(sums.saved, mark=fmt.ESTIMATE)
        parts.append(
            f"cutting saves {saved} of {fmt.count(sums.tokens)} ({fmt.percent(sums.saved / sums.tokens)})"
        )
    parts += [words.format(count=f"{counts[state]:,}") for state, words in REST.items() if counts[state]]
    remedy = hint(LOOK) if counts[State.FAILED] else LONGER if counts[State.OVER] else None
    return Headline(f"{', '.join(parts)}.", remedy, Severity.WARNING if remedy else None)


def _words(row: Listed, width: int) -> str:
    """What would happen, in a shorter form if the width requires it."""
    found = row.metrics
    if found is None or row.state is State.WITHOUT:
        return "has no turns"
    over = "still over: " if row.state is State.OVER else ""
    if found.region is None:
        words = "nothing between its protected turns" if over else "fits"
        short = f"{over}nothing{' more' if row.done else ''} to cut" if over else "fits"
    else:
        first, last = found.region.start, found.region.end - 1
        words = f"turns {first:,} to {last:,} become one summary"
        short = f"{over}turns {first:,}–{last:,} cut{' again' if row.done else ''}"
    whole = f"{over}{words}{', compressed before' if row.done else ''}"
    return whole if len(whole) <= width else short
