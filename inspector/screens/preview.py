"""Preview: what would I lose, and is this focus better? For the past: what was lost?"""

from __future__ import annotations

from dataclasses import dataclass

from textual import on, work
from textual.app import ComposeResult
from textual.message import Message as Event

from core.compress.summarise.base import FailureKind, SummaryFailure
from core.model.message import Message
from inspector.commands import bindings
from inspector.screens.focus import FocusLab
from inspector.screens.preview_choice import WriterChoice
from inspector.screens.preview_header import PreviewHeader
from inspector.screens.preview_reading import Basis
from inspector.screens.preview_sides import SIDES, TEXT, SidesView
from inspector.screens.preview_writers import Offers, Writer, extractive, offers, prompt_of
from inspector.views import Cursor
from inspector.widgets.message_list import MessageList
from inspector.widgets.prompt_bar import PromptBar

FOCUS, COMPARE = "focus", "compare"
PACE = 0.15
"""Seconds between two looks at what a model has written."""
PAST = "This compaction happened. Press ] for the newest generation to try another."


class PreviewView(SidesView):
    """The next compaction on paper, or the one that ended an older generation."""

    BINDINGS = bindings("preview")

    @dataclass
    class Offered(Event):
        """Who could write the summary."""

        offers: Offers

    def __init__(self) -> None:
        super().__init__()
        self.basis: Basis | None = None
        self.writer: Writer | None = None
        self.focus_topic: str | None = None
        self._written: list[str] = []
        self._busy = False

    def compose(self) -> ComposeResult:
        """Header, panes, strip, prompt."""
        yield PreviewHeader()
        yield from self.compose_sides()
        yield PromptBar()

    @property
    def header(self) -> PreviewHeader:
        """The first two lines."""
        return self.query_one(PreviewHeader)

    def on_mount(self) -> None:
        """The subject may have come before the widgets."""
        self.link()
        self.enter()
        self.before.focus()

    def watch_subject(self) -> None:
        """Another conversation, or the same one read again."""
        if self.is_mounted:
            self.enter()

    def watch_cursor(self, old: Cursor, new: Cursor) -> None:
        """Another generation is another compaction."""
        if self.is_mounted and old.generation != new.generation:
            self.enter()

    def enter(self) -> None:
        """Foresee the next compaction in the newest generation; look back in an older one."""
        self.asked += 1
        self.basis = None
        generation = self.cursor.within(self.subject.conversation) if self.subject else None
        if generation is None or self.subject is None or not generation.row_ids:
            self.header.show(None, waiting="No messages here, so there is nothing to compress.")
            self.tell(None)
            return
        self.header.show(None, waiting=f"Reading {len(generation.row_ids):,} messages …")
        self._busy = True
        if generation.index < len(self.subject.conversation.generations):
            self.look_back(generation, self.asked)
        else:
            self.prepare(generation, self.asked)

    @on(SidesView.Prepared)
    def _prepared(self, event: SidesView.Prepared) -> None:
        if event.asked == self.asked:
            self.basis = event.basis
            self.writer = extractive(event.basis)
            self.make()

    def make(self) -> None:
        """Make a preview with the writer and focus chosen."""
        if self.basis is None or self.writer is None:
            return
        self.asked += 1
        self._busy, self._written = True, []
        self.header.show(None, waiting=self._waiting())
        self.foresee(self.basis, self.writer.summariser, self.focus_topic, self.asked)

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
        self._busy = False
        price = self.writer.price if self.writer and self.basis else None
        self.header.show(event.comparison, price=price, waiting="Nothing followed this generation.")
        self.tell(event.comparison)
        if self.mode == TEXT:
            self.look(SIDES)

    @on(SidesView.Written)
    def _wrote(self, event: SidesView.Written) -> None:
        if event.asked == self.asked and self._busy:
            if not self._written:
                self.set_timer(PACE, self._show_written)
            self._written.append(event.text)

    def _show_written(self) -> None:
        """Show what arrived, a few times a second however small the pieces."""
        if self._busy:
            self.header.show(None, waiting=self._waiting())
            self.read_text("".join(self._written))
            self.set_timer(PACE, self._show_written)

    # Keys.

    def action_focus_topic(self) -> None:
        """Ask for a topic the summary should keep; an empty one takes it away."""
        if self.basis is None:
            self.toast(PAST, "warning")
            return
        self.query_one(PromptBar).ask(
            FOCUS, "focus", self.focus_topic or "", hint="a topic, as in /compress TOPIC"
        )

    def action_compare(self) -> None:
        """Ask for two topics, then compare them with each other and with none."""
        if self.basis is None or self.writer is None or not self.basis.plan.middle.size:
            self.toast(PAST, "warning")
            return
        start = f"{self.focus_topic} | " if self.focus_topic else ""
        self.query_one(PromptBar).ask(COMPARE, "compare focuses", start, hint="one topic | another")

    @on(PromptBar.Answered)
    def _answered(self, event: PromptBar.Answered) -> None:
        self.before.focus()
        if event.text is None:
            return
        if event.purpose == COMPARE:
            self._compare([part.strip() for part in event.text.split("|") if part.strip()])
            return
        self.focus_topic = event.text.strip() or None
        self.make()

    def _compare(self, focuses: list[str]) -> None:
        if self.basis is None or len(focuses) != 2:
            self.toast("Two topics are needed, with a | between them.", "warning")
            return
        writer = extractive(self.basis) if self.writer is None or self.writer.sends else self.writer
        self.app.push_screen(FocusLab(self.basis, writer, (focuses[0], focuses[1]), self.go_to))

    def action_look(self, mode: str) -> None:
        """Look at the diff, or at what is lost; again for both sides."""
        self.look(mode)

    def action_prompt(self) -> None:
        """Read what a model would be sent."""
        if self.mode == TEXT:
            self.look(SIDES)
        elif self.basis is None or not self.basis.plan.middle.size:
            self.toast("There is no middle to summarise, so no prompt.")
        else:
            self.read_text(prompt_of(self.basis, self.focus_topic).text)

    def action_model(self) -> None:
        """Choose who writes the summary."""
        if self.basis is None or not self.basis.plan.middle.size:
            self.toast(PAST, "warning")
        else:
            self.offer(self.basis, self.focus_topic)

    @work(thread=True, exclusive=True, group="preview-writers", exit_on_error=False)
    def offer(self, basis: Basis, focus: str | None, named: str = "") -> None:
        """Find out who could write, where the text would go and what it would cost."""
        self.post_message(self.Offered(offers(basis, focus, named)))

    @on(Offered)
    def _offered(self, event: PreviewView.Offered) -> None:
        self.app.push_screen(WriterChoice(event.offers), self._chosen)

    def _chosen(self, writer: Writer | None) -> None:
        if writer is not None:
            self.writer = writer
            self.make()

    def action_close(self) -> None:
        """Give up waiting for a model; else back to both sides."""
        if self._busy:
            self.workers.cancel_group(self, "preview")
            self.asked += 1
            self._busy = False
            self.header.show(self.shown, waiting="No preview.")
        if self.mode != SIDES:
            self.look(SIDES)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape falls through to the workspace when there is nothing here to leave."""
        if action == "close":
            return self._busy or self.mode != SIDES
        return True

    @on(MessageList.Opened, "MessageList")
    def _opened(self) -> None:
        row = self._row_under_cursor()
        if row is not None:
            self.move_to(row=row)
            self.post_message(self.Wanted("map"))

    def _row_under_cursor(self) -> int | None:
        message = self._message_under_cursor()
        return message.row.id if message is not None and message.row else None

    def _message_under_cursor(self) -> Message | None:
        place = self.before.message
        if self.shown is None or place is None or place >= len(self.shown.before):
            return None
        return self.shown.before[place]

    def wake(self) -> None:
        """The left side has the keys; before it is mounted there is nothing to wake."""
        for found in self.query(MessageList):
            found.focus()

    def copy_text(self) -> str:
        """The summary."""
        return self.shown.summary if self.shown else ""

    def report(self, error: BaseException) -> None:
        """A failure leaves what was shown before; giving up is no failure."""
        self._busy = False
        gave_up = isinstance(error, SummaryFailure) and error.kind is FailureKind.CANCELLED
        self.header.show(self.shown, waiting="No preview.")
        if not gave_up:
            super().report(error)
