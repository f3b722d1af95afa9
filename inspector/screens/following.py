"""What is happening now? The session Hermes writes to: its pace, its last hour, and events as they come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice

from textual import getters
from textual.app import ComposeResult

from core.errors import DatabaseError, InspectorError
from core.explain.events import explain
from core.explain.explanation import Explanation
from core.live.alerts import Limits
from core.live.event import LiveEvent
from core.live.follow import Follower, begin_each
from core.live.log_tail import event_of
from core.live.status import Pace, pace_of
from core.store.database.locate import LATEST, Location
from core.store.store import Store, resolve_in
from core.support import formatting as fmt
from inspector.base import event_words
from inspector.base.app_protocol import shell
from inspector.base.commands import bindings
from inspector.base.live import PACE, Rhythm
from inspector.base.workers import start, then
from inspector.screens.page import Page
from inspector.screens.workspace.why.curve import request_curve
from inspector.settings.config_file import own_settings
from inspector.settings.notifier import Notifier, limits_of
from inspector.terminal.glyphs import LIVE
from inspector.terminal.line import Line, Palette
from inspector.widgets.bars.answer_and_keys import AnswerBar, KeyBar
from inspector.widgets.bars.status_line import Banner, Piece, StatusLine
from inspector.widgets.charts.curve import RequestCurve
from inspector.widgets.charts.curve_chart import CurveChart
from inspector.widgets.panes.card import paragraph
from inspector.widgets.panes.text_pane import TextPane

MAX_EVENTS = 200
"""Events kept on screen, the newest first."""
NOTHING_YET = "Calls and compactions appear here as Hermes writes them."
BEFORE, MAX_BEFORE = "Before that, newest first:", 40
"""Above what the log holds of the session from before it was followed, and most lines of that."""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of one check of the files.

    Attributes:
        place: The database of the followed session.
        curve: The sizes of its requests.
        events: New events in writing order, each with whether it alerts the user.
        problem: What could not be read; empty if nothing.
        earlier: Calls and failures of the session that the log held already, newest first.
    """

    place: Location
    pace: Pace
    curve: RequestCurve
    events: tuple[tuple[LiveEvent, bool], ...]
    problem: str
    earlier: tuple[LiveEvent, ...] = ()


class FollowingScreen(Page):
    """Follows the session written to last; alerts with bell and desktop as the user's settings say."""

    BINDINGS = bindings("follow")
    DEFAULT_CSS = """
    FollowingScreen {
        layout: vertical;
        CurveChart { height: 40%; margin: 1 1 0 0; }
        TextPane { height: 1fr; padding: 0 1; border-top: solid $rule; }
        &.-flat CurveChart { display: none; }
    }
    """

    answer = getters.query_one(AnswerBar)
    pane = getters.query_one(TextPane)

    def __init__(self, locations: Sequence[Location]) -> None:
        super().__init__()
        self._locations = tuple(locations)
        self._followers: tuple[Follower, ...] = ()
        self._caller: Notifier | None = None
        self._rhythm = Rhythm(self)
        self._found: Found | None = None
        self._told: deque[tuple[LiveEvent, bool]] = deque(maxlen=MAX_EVENTS)
        self._earlier: tuple[LiveEvent, ...] = ()

    def compose(self) -> ComposeResult:
        """Session, answer, error, figures, curve, events, key bar."""
        yield StatusLine(id="head")
        yield AnswerBar()
        yield Banner()
        yield StatusLine(id="figures")
        yield CurveChart()
        yield TextPane()
        yield KeyBar()

    def on_mount(self) -> None:
        """Start following."""
        self.answer.waiting = "Reading the newest session …"
        self.pane.show(self._drawn)
        self.pane.focus()
        self._look()
        self.set_interval(PACE, self._look)

    def _look(self) -> None:
        self._say_where()
        if not self._rhythm.due or shell(self).live.paused:
            return
        if self._found is None or any(follower.pending for follower in self._followers):
            self._rhythm.begin(first=self._found is None)
            start(self, "follow", self._read, exclusive=False)

    def _read(self) -> None:
        """In a thread: read what is new and alert the user."""
        try:
            if self._caller is None:
                own = own_settings()
                self._followers = _begun(self._locations, limits_of(own))
                self._caller = Notifier(own.alerts, lambda: self.app.call_from_thread(self.app.bell))
            found = _new_events(self._followers, self._found)
        except InspectorError as error:
            then(self, self._explain, error)
            return
        undelivered = self._caller.tell([event for event, calls in found.events if calls])
        then(self, self._take, found, undelivered)

    def _explain(self, error: InspectorError) -> None:
        self.answer.waiting = "Nothing can be followed yet; it is tried again by itself."
        banner = self.query_one(Banner)
        if error.line != banner.message:
            shell(self).failures.append(error)
            banner.say(error.line)

    def _take(self, found: Found, undelivered: str) -> None:
        self.query_one(Banner).say(found.problem)
        if undelivered:
            self.toast(undelivered, "warning")
        first, self._found = self._found is None, found
        if first:
            self._earlier = found.earlier
        if found.events:
            shell(self).live.changed = shell(self).now()
            self._told.extendleft(found.events)
        if found.events or first:
            self.pane.show(self._drawn, keep_place=self.pane.scroll_y > 0)
        self.answer.answer = found.pace.standing
        self.query_one("#figures", StatusLine).left = _figures(found.pace)
        self.query_one(CurveChart).show(found.curve)
        self._say_where()
        self.refresh_bindings()

    def _say_where(self) -> None:
        app, head = shell(self), self.query_one("#head", StatusLine)
        name = self._found.pace.title if self._found else "the newest session"
        head.left = (("ink-muted", "Following "), ("ink!", name))
        sign = app.live.sign(app.now()) or f"{LIVE} live, nothing written yet"
        head.right = (("live", sign),)

    def _drawn(self, width: int, ink: Palette) -> Iterator[Line]:
        here = self._found.pace.session if self._found else None
        for event, calls in self._told:
            token = "severity-warning" if calls else "ink"
            yield from paragraph(event_words.text(event, here), width, ink, token, bold=calls)
        if not self._told:
            yield from paragraph(NOTHING_YET, width, ink, "ink-muted")
        if self._earlier:
            yield Line()
            yield from paragraph(BEFORE, width, ink, "ink-muted")
        for event in self._earlier:
            yield from paragraph(event_words.text(event, here), width, ink, "ink-muted")

    def action_open(self) -> None:
        """Open the conversation being followed."""
        if self._found is not None:
            shell(self).open_conversation(self._found.place, self._found.pace.session, view="why")

    def action_refresh(self) -> None:
        """Check the files at once."""
        self._rhythm = Rhythm(self)
        self._look()

    def action_copy(self) -> None:
        """Copy answer and events."""
        self.copy(f"{self.answer.text}\n{self.pane.text}")


def _begun(locations: Sequence[Location], limits: Limits) -> tuple[Follower, ...]:
    followers = tuple(Follower(place, limits) for place in locations)
    begin_each(followers)
    return followers


def _new_events(followers: Sequence[Follower], before: Found | None) -> Found:
    """Read new events; the session's state is recomputed only if there are any."""
    spoken = tuple((event, one.limits.should_notify(event)) for one in followers for event in one.look())
    problems = [follower.problem for follower in followers if follower.problem]
    if before is not None and not spoken:
        return replace(before, events=spoken, problem=" · ".join(problems))
    readable = [follower for follower in followers if not follower.problem] or followers
    with ExitStack() as stack:
        opened = [stack.enter_context(Store(follower.place)) for follower in readable]
        found, errors = resolve_in(opened, LATEST)
        if not found:
            raise errors[0]
        store, session = found[0]
        store.learn(session.id)
        known = explain(store, session.id)
        earlier = _earlier(known) if before is None else ()
        problem = " · ".join((*problems, *(one.line for one in errors if isinstance(one, DatabaseError))))
        return Found(store.location, pace_of(known), request_curve(known), spoken, problem, earlier)


def _earlier(known: Explanation) -> tuple[LiveEvent, ...]:
    """The newest calls and failures of a session in its log, newest first."""
    context = known.context
    own = (one for one in reversed(context.log.records) if one.session in context.sessions)
    events = (event_of(one.where, one, lambda _: context.clock) for one in own)
    return tuple(islice(filter(None, events), MAX_BEFORE))


def _figures(pace: Pace) -> tuple[Piece, ...]:
    """Context used, and what the last hour cost."""
    limit = f" of {fmt.round_number(pace.threshold)}" if pace.threshold else ""
    used = f"{fmt.short(pace.tokens, mark=fmt.ESTIMATE)}{limit} tokens"
    return (("ink", used), ("ink-faint", " · "), ("ink", _hour(pace)))


def _hour(pace: Pace) -> str:
    if pace.hour is None:
        return "no log, so the cost of the last hour is unknown"
    calls = fmt.plural(pace.hour.calls, "call")
    if pace.hour.usd is None:
        return f"last hour: {calls} without a known price"
    mark = fmt.LOWER_BOUND if pace.hour.at_least else fmt.ESTIMATE
    return f"last hour: {fmt.money(pace.hour.usd, mark=mark if pace.hour.calls else '')} in {calls}"
