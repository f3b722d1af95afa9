"""Why did it fire, and was it right? The curve, the compactions, the verdict on the one under the cursor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.message import Message as Event

from core.explain.events import explain
from core.explain.explanation import Explanation
from core.store.store import Store
from inspector import format
from inspector.commands import bindings
from inspector.glyphs import FAILED, SWITCHED
from inspector.line import Line
from inspector.palette import Palette
from inspector.screens.why_card import event_lines, now_lines
from inspector.screens.why_curve import Curve, curve_of
from inspector.screens.why_list import EventList, Moment, mark_token
from inspector.views import Cursor, Subject, View
from inspector.widgets.curve_chart import CurveChart, Mark
from inspector.widgets.row_list import RowList
from inspector.widgets.rows import ListRows
from inspector.widgets.status_line import Piece, StatusLine
from inspector.widgets.text_pane import TextPane
from inspector.workers import cancelled, in_thread


class WhyView(View):
    """Reads the explanation once, then only draws."""

    BINDINGS = bindings("why")
    DEFAULT_CSS = """
    WhyView {
        CurveChart { height: 9; margin: 1 1 0 0; }
        EventList { height: auto; max-height: 8; min-height: 2; padding: 0 1; border-top: solid $rule; }
        #card { height: 1fr; padding: 0 1; border-top: solid $rule; }
    }
    """

    moments = getters.query_one(EventList)
    card = getters.query_one("#card", TextPane)
    chart = getters.query_one(CurveChart)

    @dataclass
    class Explained(Event):
        """The conversation was explained."""

        explanation: Explanation
        curve: Curve

    def __init__(self) -> None:
        super().__init__()
        self._explanation: Explanation | None = None

    def compose(self) -> ComposeResult:
        """Verdict, curve, compactions, card."""
        yield StatusLine(id="verdict")
        yield CurveChart()
        yield EventList(empty="Reading rows, log and config …")
        yield TextPane(id="card")

    def watch_subject(self, subject: Subject | None) -> None:
        """Explain the conversation anew."""
        if subject is not None:
            self.explain(subject)

    @in_thread("why")
    def explain(self, subject: Subject) -> None:
        """Join rows, log lines and config on a connection of the worker's own."""
        stop = cancelled()
        with Store(subject.location, cancelled=stop) as store:
            explanation = explain(store, subject.conversation.tip.id)
        if not stop():
            self.post_message(self.Explained(explanation, curve_of(explanation)))

    @on(Explained)
    def _take(self, event: Explained) -> None:
        explanation, curve = event.explanation, event.curve
        self._explanation = explanation
        self.query_one("#verdict", StatusLine).left = verdict_pieces(explanation)
        self.chart.values = tuple(sample.tokens for sample in curve.samples)
        self.chart.threshold = curve.threshold
        marks = zip(curve.marks, explanation.events, strict=True)
        self.chart.marks = tuple(Mark(after, mark_token(one)) for after, one in marks)
        self.chart.asides = asides(curve)
        self.chart.caption = caption(curve)
        moments = [Moment(place, one, explanation.now) for place, one in enumerate(explanation.events)]
        moments.append(Moment(len(moments), None, explanation.now))
        self.moments.styles.height = len(moments) + 1  # the rule above it
        self.moments.show(ListRows(moments), cursor=_place(explanation, self.cursor))
        self._show_card()

    @on(RowList.Moved)
    def _moved(self) -> None:
        self._show_card()

    def _show_card(self) -> None:
        moment, explanation = self.moments.current, self._explanation
        if moment is None or explanation is None:
            return
        self.chart.selected = moment.index
        self.card.show(partial(_lines, moment, explanation))

    def action_event(self, step: int) -> None:
        """Go to the next or previous compaction."""
        self.moments.action_move(step)

    def action_findings(self) -> None:
        """Examine this conversation."""
        from inspector.screens.findings import FindingsScreen

        if self.subject is not None:
            conversation = self.subject.conversation
            title = conversation.name
            self.app.push_screen(
                FindingsScreen([self.subject.location], session=conversation.tip.id, title=title)
            )

    def action_turns(self) -> None:
        """Show what was checked in every turn, beginning with the compaction under the cursor."""
        from inspector.screens.turns import TurnsScreen

        if self.subject is not None:
            tip, moment = self.subject.conversation.tip, self.moments.current
            title = self.subject.conversation.name
            event = moment.index if moment is not None and moment.event is not None else None
            self.app.push_screen(TurnsScreen(self.subject.location, tip.id, title, event=event))

    def action_other_settings(self) -> None:
        """Live through the conversation under other thresholds."""
        from inspector.screens.other_settings import OtherSettingsScreen

        if self.subject is not None:
            tip = self.subject.conversation.tip
            title = self.subject.conversation.name
            self.app.push_screen(OtherSettingsScreen(self.subject.location, tip.id, title))

    def action_scroll_card(self, step: int) -> None:
        """Scroll the card."""
        self.card.action_line(step)

    def action_before_after(self) -> None:
        """Show what the compaction under the cursor left, on the map."""
        moment = self.moments.current
        if moment is None:
            return
        closed = moment.event.generation if moment.event else None
        self.move_to(generation=0 if closed is None else closed + 1)
        self.post_message(self.Wanted("map"))

    def copy_text(self) -> str:
        """The card as plain text."""
        return self.card.text


def _lines(moment: Moment, explanation: Explanation, width: int, ink: Palette) -> list[Line]:
    if moment.event is None:
        return list(now_lines(moment.now, explanation.notes, width, ink))
    return list(event_lines(moment.event, width, ink))


def _place(explanation: Explanation, cursor: Cursor) -> int:
    """The compaction that opened the generation the cursor is in, else the newest, else the present."""
    for place, event in enumerate(explanation.events):
        if cursor.generation and event.generation == cursor.generation - 1:
            return place
    return max(0, len(explanation.events) - 1)


def verdict_pieces(explanation: Explanation) -> tuple[Piece, ...]:
    """How often, and how it stands."""
    events, now = explanation.events, explanation.now
    given_up = sum(1 for event in events if not event.completed)
    times = format.plural(len(events) - given_up, "compaction")
    pieces: list[Piece] = [("ink!", times if len(events) > given_up else "Never compacted")]
    if given_up:
        pieces.append(("severity-critical", f" · {format.plural(given_up, 'attempt')} given up"))
    if now.threshold is not None:
        pieces.append(("ink-muted", f" · now {format.count(now.tokens)} of {now.threshold:,}"))
    pieces.append(("ink-muted", f" · Hermes {explanation.release.release}"))
    return tuple(pieces)


def asides(curve: Curve) -> tuple[Mark, ...]:
    """Model switches, and over them the calls that failed."""
    switches = (Mark(after, "severity-info", SWITCHED) for after in curve.switches)
    return (*switches, *(Mark(after, "severity-critical", FAILED) for after in curve.errors))


def caption(curve: Curve) -> str:
    """What the curve shows, and over which time."""
    if not curve.samples:
        return "no call and no compaction tells a size"
    what = f"prompt tokens of {format.plural(len(curve.samples), 'call')}"
    if not curve.measured:
        what = "no log line of a call survives: sizes around compactions only"
    if curve.switches:
        what += f" · {SWITCHED} {format.plural(len(curve.switches), 'model switch', 'model switches')}"
    if curve.errors:
        what += f" · {FAILED} {format.plural(len(curve.errors), 'failed call')}"
    times = [sample.at for sample in curve.samples if sample.at is not None]
    return f"{what} · {format.span(times[0], times[-1])}" if times else what
