"""Who writes the summary of a preview, and what is seen while they write."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.message import Message as Event

from core.compress.summarise.base import RESTART, FailureKind, SummaryFailure
from core.model.compaction.plan import Plan
from core.preview.comparison import begun
from core.preview.foreseen import Basis
from core.preview.summarisers import Offers, Writer, offers, prompt_of
from inspector.base.workers import cancelled, in_thread
from inspector.screens.workspace.preview.header import PreviewHeader
from inspector.screens.workspace.preview.panes import SIDES, TEXT, SidesView
from inspector.screens.workspace.preview.summariser_choice import Another, WriterChoice

PACE = 0.15
"""Seconds between two looks at what a model has written."""
UNREAD = "Given up; r reads again."
UNWRITTEN = "Given up; f, t or m begins another."
STILL = "Still reading."
PAST = "This compaction happened. Press ] for the newest generation to try another."
WHOLE = "There is no middle to summarise here."


class WritingView(SidesView):
    """Makes previews with the writer and the focus chosen, and can be told to stop."""

    @dataclass
    class Offered(Event):
        """Who could write the summary."""

        offers: Offers

    @dataclass
    class PromptRead(Event):
        """What a model would be sent."""

        text: str

    def __init__(self) -> None:
        super().__init__()
        self.basis: Basis | None = None
        self.writer: Writer | None = None
        self.focus_topic: str | None = None
        self.kept_turns = ""
        self.busy = False
        self._cut: Plan | None = None
        self._written: list[str] = []

    @property
    def header(self) -> PreviewHeader:
        """The first two lines."""
        return self.query_one(PreviewHeader)

    @property
    def refusal(self) -> str:
        """Why no summary can be made here; empty when one can."""
        if self.basis is None:
            return STILL if self.busy else PAST if self.shown else UNREAD
        return "" if self.basis.plan.middle.size else WHOLE

    def rest(self, waiting: str) -> None:
        """Nothing is under way: show what there is, else why there is nothing."""
        self.busy = False
        price = self.writer.price if self.writer and self.basis else None
        self.header.show(self.shown, price=price, waiting=waiting)

    def use(self, writer: Writer) -> None:
        """Make the preview again with another writer."""
        self.writer = writer
        self.make()

    def make(self) -> None:
        """Make a preview with the writer and focus chosen."""
        if self.basis is None or self.writer is None:
            return
        self.asked += 1
        self.busy, self._written = True, []
        self.header.show(None, waiting=self._waiting())
        if self._cut is not self.basis.plan:
            self._cut = self.basis.plan
            self._begin(f"{self.writer.title} is writing …")
        self.foresee(self.basis, self.writer.summariser, self.focus_topic, self.asked)

    def give_up(self) -> None:
        """Stop waiting; what was shown of this cut before stays."""
        self.workers.cancel_group(self, "preview")
        self.asked += 1
        self.rest(UNREAD if self.basis is None else UNWRITTEN)
        if self.basis is None:
            self.tell(None, UNREAD)
        elif self.shown is None:
            self._begin("No summary was made.")

    def _begin(self, words: str) -> None:
        """Show the cut; both sides are there before the summary is."""
        if self.basis is not None and self.basis.plan.middle.size:
            self.begin(begun(self.basis.reading.measured.messages, self.basis.plan, words))

    def _waiting(self) -> str:
        assert self.writer is not None
        words = f"{self.writer.title} is writing the summary …"
        if self.writer.sends is None:
            return words
        return f"{words} {sum(map(len, self._written)):,} characters · esc cancels"

    @on(SidesView.Compared)
    def _compared(self, event: SidesView.Compared) -> None:
        if event.asked != self.asked:
            return
        self.tell(event.comparison)
        self.rest("Nothing followed this generation.")
        if self.mode == TEXT:
            self.look(SIDES)

    @on(SidesView.Written)
    def _wrote(self, event: SidesView.Written) -> None:
        if event.asked != self.asked or not self.busy:
            return
        if event.text == RESTART:  # an attempt failed half way and begins again
            self._written.clear()
            return
        if not self._written:
            self.set_timer(PACE, self._show_written)
        self._written.append(event.text)

    def _show_written(self) -> None:
        """Show what arrived, a few times a second however small the pieces."""
        if self.busy and self._written:
            self.header.show(None, waiting=self._waiting())
            self.read_text("".join(self._written))
            self.set_timer(PACE, self._show_written)

    @in_thread("preview-writers")
    def offer(self, basis: Basis, focus: str | None, named: str = "") -> None:
        """Find out who could write, where the text would go and what it would cost."""
        self.post_message(self.Offered(offers(basis, focus, named)))

    @in_thread("preview-prompt")
    def read_prompt(self, basis: Basis, focus: str | None) -> None:
        """Put together what a model would be sent."""
        stop, text = cancelled(), prompt_of(basis, focus).text
        if not stop():
            self.post_message(self.PromptRead(text))

    @on(PromptRead)
    def _prompt_read(self, event: PromptRead) -> None:
        if self.mode == TEXT and not self.busy:
            self.read_text(event.text)

    @on(Offered)
    def _offered(self, event: Offered) -> None:
        self.app.push_screen(WriterChoice(event.offers), self._chosen)

    def _chosen(self, writer: Writer | Another | None) -> None:
        if isinstance(writer, Another):
            self.ask_model()
        elif writer is not None:
            self.use(writer)

    def ask_model(self) -> None:
        """Ask which other model is meant; a subclass knows how."""

    def report(self, error: BaseException) -> None:
        """A failure leaves what was shown before; giving up is no failure."""
        self.rest("No preview.")
        if not (isinstance(error, SummaryFailure) and error.kind is FailureKind.CANCELLED):
            super().report(error)
