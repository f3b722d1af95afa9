"""Opens screens from the preview: summarisers, focus lab, editor, apply, undo."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from textual.app import ComposeResult, SuspendNotSupported
from textual.containers import Vertical
from textual.widgets import Static, TextArea

from core.compress.summarise.base import GivenSummary
from core.model.compaction.apply import JournalEntry
from core.preview.foreseen import Basis
from core.preview.offers import Offers, Writer, offers
from inspector.base.commands import bindings, hint
from inspector.base.workers import start, then
from inspector.screens.apply.screen import ApplyScreen
from inspector.screens.apply.undo import UndoScreen
from inspector.screens.apply.work import compaction, newest_write
from inspector.screens.page import Page
from inspector.screens.workspace.engines.screen import open_engines
from inspector.screens.workspace.preview.focus.screen import FocusLab
from inspector.screens.workspace.preview.making import PreviewMaker
from inspector.screens.workspace.preview.summariser_choice import Another, WriterChoice
from inspector.screens.workspace.views import GenerationView, Subject
from inspector.settings.edit import own_editor
from inspector.terminal.text import clean, content
from inspector.widgets.bars.answer_and_keys import KeyBar

UNTOUCHED = "Hermes Inspector has written nothing to this conversation that could be undone."
NOTHING = "There is no summary to edit or to write."

NOT_OURS = (
    "Another engine's messages cannot be edited or written; press {preview.engine} to return to builtin."
)
ADVICE = "When you keep it, retention and sizes are computed again. Nothing is written."


class NextScreens:
    """Opens screens over the preview, and handles what they return."""

    def __init__(self, view: GenerationView, maker: PreviewMaker) -> None:
        self._view = view
        self._maker = maker
        self._work = maker.work

    def choose_writer(self, ask_another: Callable[[], None], named: str = "") -> None:
        """Offer the summarisers, including a model that the user names."""
        basis = self._work.basis
        if basis is None or self._work.refusal:
            self._view.toast(self._work.refusal, "warning")
        else:
            start(self._view, "preview-writers", partial(self._offer, basis, named, ask_another))

    def _offer(self, basis: Basis, named: str, ask_another: Callable[[], None]) -> None:
        """In a thread, find out where the text would go and what it would cost."""
        found = offers(basis, self._work.focus, named)
        self._maker.answer(self._work.number, partial(self._show_offers, found, ask_another))

    def _show_offers(self, found: Offers, ask_another: Callable[[], None]) -> None:
        self._view.app.push_screen(WriterChoice(found), partial(self._chosen, ask_another))

    def _chosen(self, ask_another: Callable[[], None], writer: Writer | Another | None) -> None:
        if isinstance(writer, Another):
            ask_another()
        elif writer is not None:
            self._maker.use(writer)

    def compare(self, focuses: Sequence[str]) -> None:
        """Open the focus lab; its summaries are written offline if a model would cost money."""
        basis = self._work.basis
        if basis is not None:
            writer = self._work.offline_writer(basis)
            engine = self._view.cursor.engine
            self._view.app.push_screen(FocusLab(basis, writer, focuses, self._maker.panes.go_to, engine))

    def engines(self) -> None:
        """Choose the engine to preview with, or compare all engines."""
        open_engines(self._view, self._work.focus)

    def edit(self) -> None:
        """Edit the summary by hand, once it is made."""
        self._maker.at_last.run(self._edit)

    def _edit(self) -> None:
        shown = self._work.shown
        if shown is not None and shown.engine:
            self._view.toast(hint(NOT_OURS), "warning")
            return
        if shown is None or shown.made is None or not shown.summary:
            self._view.toast(self._work.refusal or NOTHING, "warning")
            return
        screen = EditSummary(shown.summary)
        self._view.app.push_screen(screen, lambda _: self._edited(screen.kept))

    def _edited(self, text: str | None) -> None:
        if text is not None:
            self._maker.use(Writer("edited", "your own text, offline", GivenSummary(text, "edited")))

    def apply(self) -> None:
        """Review what would be written, once it is made."""
        self._maker.at_last.run(self._review)

    def _review(self) -> None:
        shown, subject = self._work.shown, self._view.subject
        made = shown.made if shown else None
        if shown is not None and shown.engine:
            self._view.toast(hint(NOT_OURS), "warning")
            return
        if made is None or made.summary_index is None or subject is None:
            self._view.toast(self._work.refusal or NOTHING, "warning")
            return
        generation = subject.conversation.generations[-1]
        if shown is not None and shown.supposed:
            self._view.toast(f"This preview uses what-if values: {shown.supposed}.", "warning")
        proposal = compaction(generation.session_id, made)
        screen = ApplyScreen(subject.location, proposal, subject.conversation.name)
        self._view.app.push_screen(screen, lambda _: self._left(screen.changed))

    def undo(self) -> None:
        """Review undoing what was last written to this conversation."""
        if (subject := self._view.subject) is not None:
            start(self._view, "preview-undo", partial(self._find_written, subject))

    def _find_written(self, subject: Subject) -> None:
        """In a thread, look it up in the journal."""
        sessions = (session.id for session in subject.conversation.sessions)
        then(self._view, self._show_written, subject, newest_write(subject.location, sessions))

    def _show_written(self, subject: Subject, entry: JournalEntry | None) -> None:
        if entry is None:
            self._view.toast(UNTOUCHED, "warning")
        else:
            screen = UndoScreen(subject.location, entry, subject.conversation.name)
            self._view.app.push_screen(screen, lambda _: self._left(screen.done))

    def _left(self, changed: bool) -> None:
        """Read again what was written or undone: a preview of what is there no more would be none."""
        if changed:
            self._view.anew = True
            self._view.post_message(self._view.Stale())


class EditSummary(Page):
    """An editor for a summary; `kept` is the new text, None if the user kept none."""

    CSS_PATH = "edit.tcss"
    BINDINGS = bindings("edit")

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self.kept: str | None = None

    def compose(self) -> ComposeResult:
        """Advice, text, key bar."""
        with Vertical():
            yield Static(content(ADVICE), id="advice")
            yield TextArea(show_line_numbers=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """Load the text with escapes made visible, because a terminal would obey them."""
        area = self.query_one(TextArea)
        area.load_text(clean(self._text))
        area.focus()

    def action_keep(self) -> None:
        """Use this text as the summary."""
        text = self.query_one(TextArea).text
        if not text.strip():
            self.toast("An empty summary would lose everything.", "warning")
            return
        self.kept = text
        self.dismiss()

    def action_leave(self) -> None:
        """Discard the changes."""
        self.dismiss()

    def action_editor(self) -> None:
        """Edit the text in $VISUAL or $EDITOR."""
        if not (editor := own_editor()):
            self.toast("Set $VISUAL or $EDITOR to use an editor.", "warning")
            return
        area = self.query_one(TextArea)
        try:
            with self.app.suspend():
                text = edit_text(area.text, editor)
        except SuspendNotSupported:
            self.toast("An editor opens in a terminal only: change the text here.", "warning")
            return
        if text is None:
            self.toast("The editor failed; the text is unchanged.", "warning")
        else:
            area.load_text(clean(text))


def edit_text(text: str, editor: list[str]) -> str | None:
    """Let a program edit a text in a private file; None if the program fails."""
    with tempfile.TemporaryDirectory(prefix="hermes-inspector-") as folder:
        path = Path(folder) / "summary.md"
        path.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*editor, str(path)], check=True)
            return path.read_text(encoding="utf-8", errors="replace")
        except (OSError, subprocess.CalledProcessError):
            return None
