"""Why did it fire, and was it right? The curve, the compactions, a card about the one under the cursor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container

from core.account.pricing.price import is_local_only
from core.explain.explanation import Explanation
from core.explain.headline.conversation import compaction_to_open
from core.explain.headline.rewritten import counted
from core.model.accounting.prompt_cache import Payback
from core.model.compaction.event import CompressionEvent, Trigger
from core.model.compaction.preview import Retention
from core.model.finding import Headline
from core.preview.past import Aftermath, bill_of
from core.preview.words import kept_headline
from core.support import formatting as fmt
from inspector.base.app_protocol import FigureQuestion
from inspector.base.commands import bindings
from inspector.base.event_words import HEAVIEST
from inspector.base.workers import ask_store
from inspector.screens.workspace.views import Cursor, CurveView, Subject
from inspector.screens.workspace.why.card import EventList, Moment, event_lines, now_lines, proof_lines
from inspector.screens.workspace.why.curve import asides, caption, ends, marks_of, read_out
from inspector.screens.workspace.why.reading import (
    Explained,
    bills,
    event_origins,
    explain_conversation,
    kept_by_summaries,
    now_origins,
)
from inspector.terminal.line import Line, Palette
from inspector.widgets.bars.answer_and_keys import AnswerBar
from inspector.widgets.bars.status_line import Piece, StatusLine
from inspector.widgets.charts.curve_chart import CurveChart
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import Card

READING = "Reading rows, log and config …"
ROOMY = 45
"""Rows of a screen beyond which every second one goes to another lost fact."""


class WhyView(CurveView):
    """Reads the explanation once, then only draws; cost and losses of a compaction follow later."""

    BINDINGS = bindings("why")
    DEFAULT_CSS = "WhyView CurveChart { height: 9; }"

    moments = getters.query_one(EventList)
    answer = getters.query_one(AnswerBar)

    def __init__(self) -> None:
        super().__init__()
        self._explanation: Explanation | None = None
        self._bills: Sequence[Payback] | None = None
        self._survived: dict[int, Retention | None] = {}

    def compose(self) -> ComposeResult:
        """Answer, counts, curve, compactions with their card."""
        yield AnswerBar(READING)
        yield StatusLine(id="verdict")
        yield CurveChart()
        yield Container(EventList(), Card(), id="verdicts")

    def watch_subject(self, subject: Subject | None) -> None:
        """Explain the conversation again."""
        if subject is not None:
            read = partial(explain_conversation, subject.conversation)
            ask_store(self, "why", subject.location, read, self._take)

    def _take(self, found: Explained) -> None:
        explanation = found.explanation
        before, again = self._explanation, self._explanation is not None
        now = self.moments.current is not None and self.moments.current.event is None
        self._explanation = explanation
        new = before is None or before.events != explanation.events
        if new:
            self._bills, self._survived = None, {}
        self.set_class(not explanation.events, "-calm")  # without events there is more room for the curve
        self.query_one("#verdict", StatusLine).left = verdict_pieces(explanation)
        self._draw_curve(found)
        moments = [Moment(place, one, explanation.now) for place, one in enumerate(explanation.events)]
        moments.append(Moment(len(moments), None, explanation.now))
        place = len(explanation.events) if now else self.moments.cursor
        self.moments.show(ListRows(moments), cursor=place if again else _place(explanation, self.cursor))
        if new:
            self._show_card()
        else:
            self._complete_card()
        if new and explanation.events and self.subject is not None:
            read = partial(bills, self.subject.conversation)
            ask_store(self, "why-bills", self.subject.location, read, self._take_bills)

    def _draw_curve(self, found: Explained) -> None:
        curve = found.curve
        self.chart.values, self.chart.made_of = found.values, found.layers
        self.chart.read_out = partial(read_out, curve)
        self.chart.threshold, self.chart.limit_name = curve.threshold, curve.limit_name
        self.chart.marks = marks_of(curve, found.explanation)
        self.chart.asides = asides(curve)
        self.chart.caption, self.chart.ends = caption(curve), ends(curve)

    @on(RowList.Moved)
    def _show_card(self) -> None:
        moment = self.moments.current
        if moment is None or self._explanation is None:
            return
        self.chart.selected, self.chart.pointed = moment.index, -1
        self._draw_card(moment, self._explanation)
        if moment.event is not None and moment.index not in self._survived and self.subject is not None:
            read = partial(kept_by_summaries, self.subject.conversation, moment.index, moment.event)
            ask_store(self, "why-lost", self.subject.location, read, self._take_survival)

    def _headline_of(self, moment: Moment, explanation: Explanation) -> Headline:
        """The answer about a compaction, with what its summary lost once that is known, or the present."""
        if moment.event is None:
            return explanation.unanswered or moment.now.headline
        return kept_headline(moment.event.headline, self._survived.get(moment.index))

    def _take_bills(self, found: Sequence[Payback]) -> None:
        self._bills = found
        self._complete_card()

    def _take_survival(self, found: dict[int, Retention | None]) -> None:
        self._survived.update(found)
        self._complete_card()

    def _complete_card(self) -> None:
        moment = self.moments.current
        if moment is not None and self._explanation is not None:
            self._draw_card(moment, self._explanation, keep_place=True)

    def _draw_card(self, moment: Moment, explanation: Explanation, *, keep_place: bool = False) -> None:
        event, notes = moment.event, explanation.notes
        self.answer.answer = self._headline_of(moment, explanation)
        if event is None:
            face, proof = partial(now_lines, moment.now), moment.now.evidence
        else:
            face = partial(self._event_lines, event, self._aftermath(moment))
            proof, notes = event.evidence, ()
        self.card.show(face, partial(proof_lines, proof, notes), keep_place=keep_place)

    def _event_lines(
        self, event: CompressionEvent, aftermath: Aftermath | None, width: int, ink: Palette
    ) -> Iterator[Line]:
        """The face of the card; a high screen has room for more of what was lost."""
        quotes = HEAVIEST + max(0, self.app.size.height - ROOMY) // 2
        return event_lines(event, width, ink, aftermath, quotes)

    def _aftermath(self, moment: Moment) -> Aftermath | None:
        """What a compaction lost and cost, once both are known."""
        event = moment.event
        if event is None or not event.completed or self._bills is None or moment.index not in self._survived:
            return None
        local = self.subject is not None and is_local_only(self.subject.conversation.sessions)
        return Aftermath(self._survived[moment.index], bill_of(event, self._bills), local)

    def action_findings(self) -> None:
        """Check this conversation for problems."""
        from inspector.screens.findings.screen import FindingsScreen

        if self.subject is not None:
            conversation = self.subject.conversation
            title = conversation.name
            self.app.push_screen(
                FindingsScreen([self.subject.location], session=conversation.tip.id, title=title)
            )

    def action_report(self) -> None:
        """Write the report of the conversation."""
        from inspector.screens.dialogs.save_report import ReportScreen

        if self.subject is not None:
            self.app.push_screen(ReportScreen(self.subject.location, self.subject.conversation.tip.id))

    def action_turns(self) -> None:
        """Show the checks of every turn, starting at the compaction under the cursor."""
        from inspector.screens.workspace.why.turns import TurnsScreen

        if self.subject is not None:
            tip, moment = self.subject.conversation.tip, self.moments.current
            title = self.subject.conversation.name
            event = moment.index if moment is not None and moment.event is not None else None
            self.app.push_screen(TurnsScreen(self.subject.location, tip.id, title, event=event))

    def action_other_settings(self) -> None:
        """Replay the conversation with other thresholds."""
        from inspector.screens.workspace.why.what_if import OtherSettingsScreen

        if self.subject is not None:
            tip, title = self.subject.conversation.tip, self.subject.conversation.name
            found = self._explanation
            events, engine = (found.events, found.context.engine) if found is not None else ((), None)
            happened = sum(event.completed and event.trigger is not Trigger.NATIVE for event in events)
            name = engine.name if engine is not None and not engine.is_ours else ""
            self.app.push_screen(OtherSettingsScreen(self.subject.location, tip.id, title, happened, name))

    def action_before_after(self) -> None:
        """Show on the map what the compaction under the cursor left."""
        moment = self.moments.current
        if moment is None:
            return
        closed = moment.event.generation if moment.event else None
        self.move_to(generation=0 if closed is None else closed + 1)
        self.post_message(self.MapRequested())

    def figures(self) -> FigureQuestion | None:
        """The figures on the card."""
        moment = self.moments.current
        if moment is None:
            return None
        if moment.event is None:
            about = "the present"
            figures = tuple(now_origins(moment.now))
        else:
            about = f"compaction {moment.index + 1}"
            figures = tuple(event_origins(moment.event, self._aftermath(moment)))
        return FigureQuestion(about, lambda _: figures)


def _place(explanation: Explanation, cursor: Cursor) -> int:
    """The compaction that began the cursor's generation, or else what the answer is about."""
    for place, event in enumerate(explanation.events):
        if cursor.generation and event.generation == cursor.generation - 1:
            return place
    if explanation.unanswered is not None:
        return len(explanation.events)
    telling = compaction_to_open(explanation.events)
    return explanation.events.index(telling) if telling is not None else 0


def verdict_pieces(explanation: Explanation) -> tuple[Piece, ...]:
    """How many compactions and failures, and the current size."""
    now, (done, rewritten, failed) = explanation.now, counted(explanation)
    pieces: list[Piece] = [("ink", done)]
    if rewritten:
        pieces.append(("ink", f" · {rewritten}"))
    if failed:
        pieces.append(("severity-critical", f" · {failed}"))
    if now.most is not None:
        pieces.append(("ink-muted?", f" · now {fmt.short(now.tokens)} of {fmt.round_number(now.most)}"))
    elif now.tokens is not None:
        pieces.append(("ink-muted?", f" · now {fmt.short(now.tokens)} tokens"))
    pieces.append(("ink-muted?", f" · Hermes {explanation.context.release.release}"))
    return tuple(pieces)
