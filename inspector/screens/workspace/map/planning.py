"""How the map gets its plan: read the generation, measure it, plan with the what-if values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from core.compress.engines.run import OtherEngine
from core.compress.planning.measure import Measured
from core.model.compaction.plan import Plan
from core.model.finding import NO_HEADLINE
from core.model.transcript.conversation import Generation
from core.preview.generation import Reading, followed
from core.preview.headline import limit_in_force, plan_headline, refused_before
from core.preview.what_if import Hypothesis
from inspector.base.commands import key_of
from inspector.base.workers import ask
from inspector.screens.workspace.map.detail import MapDetail
from inspector.screens.workspace.map.header import MapHeader, header_line, waiting_line
from inspector.screens.workspace.map.listing import MapListing
from inspector.screens.workspace.map.work import EngineCut, MapWork, engine_cut, measured_for
from inspector.screens.workspace.views import NO_MESSAGES, GenerationView, use_engine
from inspector.widgets.bars.answer_and_keys import AnswerBar
from inspector.widgets.bars.what_if import WhatIfBar
from inspector.widgets.charts.context_strip import ContextStrip

Found = TypeVar("Found")


@dataclass
class PlanWidgets:
    """The widgets that show a plan: answer, header, strip; and the what-if bar."""

    answer: AnswerBar = field(default_factory=AnswerBar)
    header: MapHeader = field(default_factory=MapHeader)
    strip: ContextStrip = field(default_factory=ContextStrip)
    bar: WhatIfBar = field(default_factory=WhatIfBar)


class MapPlanner:
    """Plans the generation with the what-if values, and shows the plan.

    Args:
        view: Provides the subject and threads.
        work: What is known of the messages.
        widgets: Show the plan.
        listing: Lists the rows and places the bands.
        detail: Updates message and sums.
    """

    def __init__(
        self,
        view: GenerationView,
        work: MapWork,
        widgets: PlanWidgets,
        listing: MapListing,
        detail: MapDetail,
    ) -> None:
        self._view = view
        self._work = work
        self._widgets = widgets
        self._listing = listing
        self._detail = detail

    def enter(self, generation: Generation | None) -> None:
        """Show a generation's rows at once; measure it in a worker once rows are on screen."""
        self._work.forget()
        count = len(generation.row_ids) if generation else 0
        self._widgets.answer.answer = NO_HEADLINE if count else NO_MESSAGES
        self._view.set_class(not count, "-nothing")
        self.wait(f"Measuring {count:,} messages …")
        self._widgets.strip.show(None)
        self._widgets.bar.show(None)
        self._listing.enter(partial(self._read, generation) if generation and count else None)
        self._detail.enter()

    def renew(self, generation: Generation | None) -> None:
        """Read what was added to the generation; the screen does not change until it is read."""
        self._work.number += 1
        if generation is not None:
            self._read(generation)

    def wait(self, words: str) -> None:
        """Show what is being waited for."""
        self._widgets.header.show(partial(waiting_line, words))

    def _read(self, generation: Generation) -> None:
        if (subject := self._view.subject) is not None:
            before, whole = self._work.reading, subject.conversation
            job = partial(followed, subject.location, generation, conversation=whole, before=before)
            ask(self._view, "map-read", job, partial(self._take_reading, self._work.number))

    def _take_reading(self, number: int, reading: Reading) -> None:
        if number == self._work.number:
            again = self._work.reading is not None
            self._work.read(reading)
            self._listing.list_rows()
            self._widgets.bar.show(reading.what_if.supposing(self._view.cursor.supposed))
            self.replan()
            self._detail.count_soon(again=again)

    def follow(self) -> None:
        """Take over what-if values and engine from another view."""
        state, supposed = self._widgets.bar.state, self._view.cursor.supposed
        other = self._view.cursor.engine != self._work.engine
        if state is not None and (other or state.supposing(supposed) != state):
            self._widgets.bar.show(state.supposing(supposed))
            self.replan()

    def replan(self) -> None:
        """Plan with the what-if values; another release must be measured first."""
        state, reading = self._widgets.bar.state, self._work.reading
        if state is None or reading is None:
            return
        plan, release = self._work.plan(state.supposed), state.supposed.release
        if plan is None:
            self.wait(f"Measuring {len(reading.messages):,} messages as Hermes {release} does …")
            self._measure(partial(measured_for, reading=reading, release=release), self._take_measured)
            return
        engine = self._view.cursor.engine
        if engine is not None and self._work.engine_plan_of(engine, state.supposed) is None:
            self._run(engine, state.supposed, plan)
            return
        plan = self._work.lay(plan, engine)
        context, ended = reading.context.context, reading.context.ended
        self._widgets.answer.answer = self._work.broken or plan_headline(plan, context, ended)
        line = partial(
            header_line,
            plan,
            supposed=state.changed,
            engine="" if engine is None else engine.title,
            before=refused_before(plan, context),
            elsewhere=not plan.engine and context.engine is not None,
            ended=bool(ended),
        )
        self._widgets.header.show(line)
        fires_at = limit_in_force(plan, context)
        self._widgets.strip.show(replace(plan, threshold_tokens=fires_at))
        self._listing.lay_bands()
        self._detail.show_sums()
        self._detail.show_row()

    def _run(self, engine: OtherEngine, supposed: Hypothesis, cut: Plan) -> None:
        """Run an engine with the current what-if values."""
        reading = self._work.reading
        self._work.engine = engine
        self._widgets.answer.answer = NO_HEADLINE
        busy = f"{engine.title} is compacting a copy of {cut.messages:,} messages …"
        self.wait(f"{busy} · {key_of('map.close')} cancels")
        if reading is not None:
            job = partial(engine_cut, engine=engine, reading=reading, cut=cut, supposed=supposed)
            self._measure(job, self._take_engine)

    def _measure(self, job: Callable[..., Found | None], take: Callable[[int, Found], None]) -> None:
        """Run a measurement in a thread, which reads the texts."""
        if (subject := self._view.subject) is not None:
            where = partial(job, subject.location)
            ask(self._view, "map-measure", lambda stop: where(stop=stop), partial(take, self._work.number))

    @property
    def running(self) -> bool:
        """Whether an engine is running."""
        here = self._view.cursor.engine
        return here is not None and self._work.engine == here and self._work.engine_cut is None

    def give_up(self) -> None:
        """Stop the running engine and return to ours."""
        self._view.workers.cancel_group(self._view, "map-measure")
        use_engine(self._view, None)

    def _take_engine(self, number: int, found: EngineCut) -> None:
        if number == self._work.number:
            self._work.engine_cut = found
            self.replan()

    def _take_measured(self, number: int, measured: Measured) -> None:
        if number == self._work.number:
            self._work.measured = measured
            self.replan()
