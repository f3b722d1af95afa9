"""What is wrong, how do we know, and what helps? For one conversation, or for everything."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import Resize
from textual.worker import Worker, WorkerState

from core.errors import InspectorError
from core.model.finding import NotKnown
from core.model.transcript.message import Message
from core.store.database.connect import Cancelled
from core.store.database.locate import Location
from core.support import formatting as fmt
from inspector.base.app_protocol import shell
from inspector.base.commands import bindings, hint, key_of
from inspector.base.workers import ask_store, cancelled, in_thread, then
from inspector.screens.apply.screen import ApplyScreen
from inspector.screens.apply.work import repair
from inspector.screens.findings.list_view import (
    FindingList,
    FindingRow,
    Folded,
    Group,
    card,
    place_of,
    proof,
    read_message,
    with_advice,
)
from inspector.screens.findings.results import CLEAN, UNCHECKED, Results, nothing_found, progress
from inspector.screens.findings.sweep import Diagnosis, Step, examine_all, examine_one
from inspector.screens.page import HEIGHTS, CardPage
from inspector.widgets.bars.answer_and_keys import AnswerBar, KeyBar
from inspector.widgets.bars.input_lines import FilterLine
from inspector.widgets.bars.status_line import Banner, StatusLine, titled
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import Card

REPAIRABLE = "kept-tail-lost"
NOWHERE = "This is about the whole database, not one conversation."
UNKNOWN = "There is nothing to open: this was not checked."
ABOVE, SHARE = 4, 0.6
"""Lines above the list, and its most share of the screen while each finding has what helps below it."""
TELL_SECONDS = 0.2
"""Seconds between updates while conversations are checked."""

NOTHING = {
    CLEAN: "Every rule was checked against the database, its log and its configuration.",
    UNCHECKED: "Nothing was found in the rest.",
}
"""What is shown in place of rows, by the answer above it."""
AGAIN = "{page.refresh} checks again, {findings.back} goes back."


class FindingsScreen(CardPage):
    """Findings, worst first, that grow while conversations are checked: all, or one of the first database."""

    BINDINGS = bindings("findings")
    WORK = "findings"

    diagnoses = getters.query_one(FindingList)
    filter_line = getters.query_one(FilterLine)

    def __init__(
        self, locations: Sequence[Location], *, session: str | None = None, title: str = "", text: str = ""
    ) -> None:
        super().__init__()
        self.locations = tuple(locations)
        self._session, self._title, self._text = session, title, text
        self._results, self._told = Results(), 0.0
        self._state = WorkerState.PENDING

    def compose(self) -> ComposeResult:
        """Head, answer, error, findings with their card, filter, key bar."""
        yield StatusLine(id="head")
        yield AnswerBar()
        yield Banner()
        yield Container(FindingList(empty="Checking …"), Card(), id="verdicts")
        yield FilterLine("rule, severity, verdict, words of the sentence, conversation")
        yield KeyBar()

    def on_mount(self) -> None:
        """Start checking."""
        self.diagnoses.focus()
        self._tell()
        if self._text:
            self.filter_line.open(self._text)
        self._begin()

    def _begin(self) -> None:
        if self._session is None:
            shell(self).diagnosed.clear()
        self.examine()

    @in_thread(WORK)
    def examine(self) -> None:
        """Check on connections of the worker's own; results come in batches so that the screen keeps up."""
        stop = cancelled()
        batch, drawn_at, first = list[Step](), time.monotonic(), True
        for step in self._steps(stop):
            if batch and not (batch[-1].found or batch[-1].unknown or batch[-1].errors):
                batch.pop()  # it only reported progress, which this one supersedes
            batch.append(step)
            # The first finding is sent at once; listing all conversations follows it.
            if time.monotonic() - drawn_at >= TELL_SECONDS or (first and step.found):
                then(self, self._take, batch)
                batch, drawn_at, first = [], time.monotonic(), first and not step.found
        then(self, self._take, batch)

    def _steps(self, stop: Cancelled) -> Iterator[Step]:
        if self._session is None:
            return examine_all(self.locations, stop, self._scanned)
        return examine_one(self.locations[0], self._session, stop)

    def _scanned(self, done: int, total: int) -> None:
        if time.monotonic() - self._told >= TELL_SECONDS:
            self._told = time.monotonic()
            then(self, self._look, done, total)

    def _look(self, done: int, total: int) -> None:
        """Show progress while messages are scanned, which comes before any conversation is checked."""
        words = f"scanned {done:,} of {fmt.plural(total, 'message')} · {key_of('findings.back')} stops"
        self.head.right = (("ink-muted", words),)

    def _take(self, steps: Sequence[Step]) -> None:
        for diagnosis in self._results.take(steps):
            self._remember(diagnosis)
        several = len(self.locations) > 1 or self._results.total > 1
        self.diagnoses.titled = self._session is None and several
        for step in steps:
            shell(self).failures += step.errors
        self._draw()

    def _remember(self, diagnosis: Diagnosis) -> None:
        """Pass findings on to the session list, if everything is being checked."""
        finding = diagnosis.finding
        if self._session is None:
            known = shell(self).diagnosed
            known.setdefault((diagnosis.location, finding.session), Counter())[finding.severity] += 1

    @on(FilterLine.Changed)
    @on(Resize)
    def _draw(self) -> None:
        rows = self._results.rows(self.filter_line.text, filtering=self.filter_line.opened)
        if self._state is not WorkerState.PENDING:  # until then more may come, and rows would move twice
            rows = with_advice(rows, room_for_advice(self.app.size.height))
        before = self.diagnoses.current
        # Without a move the cursor stays on the worst finding; after a move, on the one the user reads.
        moved = self.diagnoses.cursor > 1
        first = 1 if rows and isinstance(rows[0], Group) else 0
        place = next((place for place, row in enumerate(rows) if moved and _same(row, before)), first)
        self.diagnoses.empty = self._nothing()
        self.diagnoses.show(ListRows(rows), cursor=place)
        bar = self.answer
        over = self._state is not WorkerState.PENDING and not self._results
        bar.answer = nothing_found(self._results.errors) if over else self._results.answer
        bar.waiting = self._nothing()
        if errors := self._results.errors:
            more = f" (and {len(errors) - 1:,} more)" if len(errors) > 1 else ""
            self.query_one(Banner).say(f"{errors[0].line}{more}")
        self._tell()
        self._show_card()

    @on(RowList.Moved)
    def _show_card(self) -> None:
        """Show the card of the row, and below its evidence the message that this names, once it is read."""
        row = self.diagnoses.current

        def draw(quoted: Sequence[Message] = ()) -> None:
            if row is not None and row is self.diagnoses.current:
                behind = partial(proof, row, quoted=quoted)
                self.card.show(partial(card, row), behind, keep_place=bool(quoted))

        if row is None:
            self.card.clear()
        draw()
        if isinstance(row, Diagnosis) and (named := place_of(row.finding)[1]) is not None:
            ask_store(self, "quoted", row.location, partial(read_message, named), draw)
        self.refresh_bindings()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report the end of a check, or that it failed; a check cancelled by a newer one is ignored."""
        if event.worker.group == self.WORK and event.state in (WorkerState.SUCCESS, WorkerState.ERROR):
            self._state = event.state
            if isinstance(error := event.worker.error, InspectorError):
                self._results.errors.append(error)
            self._draw()

    def _nothing(self) -> str:
        """What is shown in place of rows."""
        if self._results:
            return hint("No finding contains these words. {prompt.leave} clears the filter.")
        if self._state is WorkerState.PENDING:
            return "Checking … nothing so far"
        if self._state is WorkerState.ERROR:
            return hint(
                "The check stopped with an error before it found anything. {page.refresh} starts again."
            )
        return f"{NOTHING[nothing_found(self._results.errors).sentence]}\n{hint(AGAIN)}"

    def _tell(self) -> None:
        head = self.head
        found, over = len(self._results.findings), self._state is not WorkerState.PENDING
        head.left = titled("Findings", self._title or "all conversations")
        if found or over:
            head.left += (("ink", f" · {fmt.plural(found, 'finding')}"),)
        if self.filter_line.opened:
            head.left += (("part-head?", f" · {self.diagnoses.told:,} shown"),)
        if not over:
            head.right = (("ink-muted", progress(self._results.done, self._results.total)),)
        else:
            broken = (("severity-critical", f"stopped at {self._results.done:,} of {self._results.total:,}"),)
            head.right = broken if self._state is WorkerState.ERROR else ()

    @on(RowList.Opened)
    def _open(self) -> None:
        row = self.diagnoses.current
        if isinstance(row, Diagnosis) and row.finding.session is not None:
            view, message = place_of(row.finding)
            shell(self).open_conversation(row.location, row.finding.session, view=view, row=message)
        elif isinstance(row, Folded):
            self._results.fold(row)
            self._draw()
        elif row is not None:
            self.toast(UNKNOWN if isinstance(row, NotKnown) else NOWHERE)

    def action_filter(self) -> None:
        """Open the filter, or edit it again."""
        self.filter_line.open()

    @on(FilterLine.Left)
    def _leave_filter(self) -> None:
        self.diagnoses.focus()

    def action_back(self) -> None:
        """Close the filter; without one, cancel and go back."""
        if self.filter_line.opened:
            self.filter_line.close()
        else:
            super().action_back()

    def action_report(self) -> None:
        """Write the report of the conversation."""
        from inspector.screens.dialogs.save_report import ReportScreen

        row = self.diagnoses.current
        found = row.finding.session if isinstance(row, Diagnosis) else None
        session, location = self._session or found, getattr(row, "location", self.locations[0])
        if session is None:
            self.toast(NOWHERE)
        else:
            self.app.push_screen(ReportScreen(location, session))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The repair key works only on a finding about lost turns."""
        return action != "repair" or self._repairable is not None

    @property
    def _repairable(self) -> Diagnosis | None:
        row = self.diagnoses.current
        lost = isinstance(row, Diagnosis) and row.finding.session and row.finding.name == REPAIRABLE
        return row if lost and isinstance(row, Diagnosis) else None

    def action_repair(self) -> None:
        """Review how the lost turns would be put back."""
        row = self._repairable
        if row is not None and row.finding.session is not None:
            screen = ApplyScreen(row.location, repair(row.finding.session), row.title or "")
            self.app.push_screen(screen, lambda _: self.action_refresh())

    def action_refresh(self) -> None:
        """Check again."""
        self._results, self._state = Results(), WorkerState.PENDING
        self._draw()
        self._begin()

    def action_copy(self) -> None:
        """Copy the remedy, otherwise the sentence."""
        row = self.diagnoses.current
        self.copy((row.finding.remedy or row.finding.sentence) if isinstance(row, Diagnosis) else "")


def room_for_advice(high: int) -> int:
    """Lines for findings with what helps below each, on a screen of a height; the card keeps the rest."""
    return int(high * SHARE) - ABOVE if high >= HEIGHTS[-1][0] else 0


def _same(row: FindingRow, other: FindingRow | None) -> bool:
    if isinstance(row, Folded) and isinstance(other, Folded):
        return row.kind == other.kind
    return row is other
