"""Makes a preview: read, cut, summarise, show. Threads run in the view and report back to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from core.compress.engines.run import OtherEngine
from core.model.finding import Headline
from core.model.transcript.conversation import Generation
from core.preview.comparison import Comparison, begun
from core.preview.foreseen import Basis, basis_of, compare
from core.preview.offers import Writer
from core.support import formatting as fmt
from inspector.base.app_protocol import shell
from inspector.base.commands import key_of
from inspector.base.workers import cancelled, start, then
from inspector.screens.workspace.preview.header import PreviewHeader
from inspector.screens.workspace.preview.paired_rows import Sides, mask_first_rows
from inspector.screens.workspace.preview.panes import SIDES, TEXT, PreviewPanes
from inspector.screens.workspace.preview.work import PreviewWork
from inspector.screens.workspace.views import NO_MESSAGES, GenerationView
from inspector.terminal.line import Palette

PACE = 0.15
"""Seconds between updates of what a model has written."""
GROUP = "preview"


class AtLast:
    """What opens once the preview is made; what is typed until then waits for it."""

    def __init__(self, view: GenerationView, work: PreviewWork) -> None:
        self._view = view
        self._work = work
        self._job: Callable[[], None] | None = None

    def run(self, job: Callable[[], None]) -> None:
        """Run a job now, or once the preview is made."""
        if self._work.busy:
            self._job = job
            shell(self._view).keys.hold()
        else:
            job()

    def go_on(self) -> None:
        """Run the job that waited, if nothing is being made any more and the preview is on screen."""
        job = self._job
        if job is None or self._work.busy:
            return
        self.drop()
        if self._view.display and self._view.screen.is_current:
            job()

    def drop(self) -> None:
        """Let nothing wait any more."""
        if self._job is not None:
            self._job = None
            self._view.call_after_refresh(shell(self._view).keys.release)


class PreviewMaker:
    """Makes the requested preview, and shows it in header and panes."""

    def __init__(
        self, view: GenerationView, work: PreviewWork, header: PreviewHeader, panes: PreviewPanes
    ) -> None:
        self._view = view
        self.work = work
        self.header = header
        self.panes = panes
        self._later: list[Callable[[], None]] = []
        self.at_last = AtLast(view, work)

    def when_read(self, job: Callable[[], None]) -> None:
        """Run a job now, or once the generation is read."""
        if self.work.reading:
            self._later.append(job)
        else:
            job()

    def _catch_up(self) -> None:
        """Run the jobs that waited for the generation to be read."""
        jobs, self._later = self._later, []
        for job in jobs:
            job()

    @property
    def looks_back(self) -> bool:
        """Whether an older generation is shown, which later writes cannot change."""
        subject, generation = self._view.subject, self._view.generation
        if subject is None or generation is None:
            return False
        return generation.index < len(subject.conversation.generations)

    def enter(self, generation: Generation | None) -> None:
        """Preview the next compaction for the newest generation; for an older one, show the real one."""
        number, subject = self.work.ask(), self._view.subject
        self._later.clear()
        self.at_last.drop()
        self.work.forget()
        if generation is None or subject is None or not generation.row_ids:
            self.panes.display = False
            self.tell(None)
            self.rest("", NO_MESSAGES)
            return
        self.panes.display = True
        words = f"Reading {fmt.plural(len(generation.row_ids), 'message')} …"
        self.header.show(None, waiting=words)
        self.tell(None, f"{words} first the cut, then the summary · {key_of('preview.close')} cancels")
        self._start(partial(self._look_back if self.looks_back else self._prepare, generation, number))

    def use(self, writer: Writer) -> None:
        """Make the preview again with another summariser."""
        self.work.writer = writer
        self.make()

    def make(self) -> None:
        """Make a preview with the current summariser and focus."""
        basis, writer = self.work.basis, self.work.writer
        if basis is None or writer is None:
            return
        engine = self._view.cursor.engine
        if engine is not None:
            writer = self.work.writer = self.work.offline_writer(basis)
        number = self.work.ask()
        words = ""
        if engine is not None:
            words = f"{engine.title} is compacting a copy … · {key_of('preview.close')} cancels"
        self.header.show(None, waiting=words or self.work.waiting)
        if self.work.cut_is_new():
            self._begin(words or f"{writer.title} is writing …")
        self._start(partial(self._foresee, basis, writer, self.work.focus, number, engine))

    def cut_again(self, turns: str) -> None:
        """Cut at the beginning of the user's last turns; without a number, where the release cuts."""
        if self.work.basis is not None:
            number = self.work.ask()
            self.header.show(None, waiting="Cutting again …")
            self._start(partial(self._recut, self.work.basis, turns, number))

    def give_up(self) -> None:
        """Stop waiting; a result already shown for this cut stays."""
        self.at_last.drop()
        self._view.workers.cancel_group(self._view, GROUP)
        self.work.ask()
        self.rest(self.work.given_up)
        if self.work.basis is None:
            self.tell(None, self.work.given_up)
        elif self.work.shown is None:
            self._begin("No summary was made.")

    def answer(self, number: int, show: Callable[[], None]) -> None:
        """From a thread, show a result, unless something newer was asked for."""
        then(self._view, self._take, number, show)

    def _take(self, number: int, show: Callable[[], None]) -> None:
        if number == self.work.number:
            show()

    def tell(self, comparison: Comparison | None, why: str = "", sides: Sides | None = None) -> None:
        """Show another comparison, or why there is none."""
        self.work.shown, self.work.headline = comparison, None if sides is None else sides.headline
        self.panes.tell(comparison, why, sides)

    def rest(self, waiting: str, broken: Headline | None = None) -> None:
        """Work has ended: show the result, or why there is none."""
        self.work.busy = False
        if broken is not None and self.work.shown is None:
            self._begin("No summary was made.")
        said = broken or self.work.headline
        self.header.show(self.work.shown, price=self.work.price, waiting=waiting, said=said)
        self._view.screen.refresh_bindings()

    def _begin(self, words: str) -> None:
        """Show both sides of the cut before the summary is ready; they cannot be used yet."""
        basis = self.work.basis
        if basis is not None and basis.plan.summarises:
            self.work.shown = self.work.headline = None
            self.panes.begin(begun(basis.reading.measured.messages, basis.plan, words))

    # Run in threads.

    def _start(self, job: Callable[[], None]) -> None:
        start(self._view, GROUP, job)

    def _prepare(self, generation: Generation, number: int) -> None:
        """Read a generation."""
        if self._view.subject is None:
            return
        stop = cancelled()
        basis = basis_of(self._view.subject.location, generation, stop, self._view.cursor.supposed)
        if not stop():
            self._mask(basis)
            self.answer(number, partial(self._prepared, basis))

    def _look_back(self, generation: Generation, number: int) -> None:
        """Reconstruct what the compaction that ended a generation did."""
        from core.preview.past import past_event

        if (subject := self._view.subject) is None:
            return
        comparison = past_event(subject.location, subject.conversation, generation, cancelled())
        self.answer(number, partial(self._compared, comparison, self.panes.sides_of(comparison)))

    def _recut(self, basis: Basis, turns: str, number: int) -> None:
        cut = basis.keeping(int(turns[:9]) if turns else None)
        self._mask(cut)
        self.answer(number, partial(self._was_cut, cut, turns))

    def _mask(self, basis: Basis) -> None:
        messages, tail = basis.reading.measured.messages, basis.plan.tail.start
        mask_first_rows(messages, tail, Palette.of(self._view.app))

    def _foresee(
        self, basis: Basis, writer: Writer, focus: str | None, number: int, engine: OtherEngine | None
    ) -> None:
        """Make a preview; text from a model is shown as it arrives."""
        stop = cancelled()

        def show(text: str) -> None:
            self.answer(number, partial(self._wrote, text))

        if engine is None:
            comparison = compare(basis, writer.summariser, focus, on_text=show, stop=stop)
        else:
            from core.preview.other_engine import compare_by

            comparison = compare_by(engine, basis, writer.summariser, focus, stop)
        self.answer(number, partial(self._compared, comparison, self.panes.sides_of(comparison)))

    # Results of the threads.

    def _prepared(self, basis: Basis) -> None:
        self.work.read(basis)
        self.make()
        self._catch_up()

    def _was_cut(self, basis: Basis, turns: str) -> None:
        self.work.basis, self.work.turns = basis, turns
        self.make()

    def _compared(self, comparison: Comparison | None, sides: Sides | None) -> None:
        self.tell(comparison, sides=sides)
        self.rest("No generation followed this one.")
        self._catch_up()
        self.at_last.go_on()
        if self.panes.mode == TEXT:
            self.panes.look(SIDES)

    def _wrote(self, text: str) -> None:
        if self.work.busy and self.work.take_piece(text):
            self._view.set_timer(PACE, self._show_written)

    def _show_written(self) -> None:
        """Show what has arrived, a few times a second however small the pieces."""
        if self.work.busy and self.work.written:
            self.header.show(None, waiting=self.work.waiting)
            self.panes.read_text(self.work.written)
            self._view.set_timer(PACE, self._show_written)
