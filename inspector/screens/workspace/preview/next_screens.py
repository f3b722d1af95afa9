"""From a preview to what opens over it: the summarisers, the focus lab, the editor, what would be written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from core.compress.summarise.provided import GivenSummary
from core.preview.foreseen import Basis
from core.preview.summarisers import Offers, Writer, offers
from inspector.base.workers import start
from inspector.screens.apply.screen import ApplyScreen
from inspector.screens.apply.undo import UndoScreen
from inspector.screens.apply.work import compaction, newest_write
from inspector.screens.workspace.engines.opening import open_engines
from inspector.screens.workspace.preview.edit import EditSummary
from inspector.screens.workspace.preview.focus.screen import FocusLab
from inspector.screens.workspace.preview.making import PreviewMaker
from inspector.screens.workspace.preview.summariser_choice import Another, WriterChoice
from inspector.screens.workspace.views import GenerationView

UNTOUCHED = "Nothing was written to this conversation from here that could be taken back."
NOTHING = "There is no summary here to edit or to write."

NOT_OURS = "The list of another engine is neither edited nor written; e goes back to builtin."


class NextScreens:
    """Opens screens over the preview and takes what they return."""

    def __init__(self, view: GenerationView, maker: PreviewMaker) -> None:
        self._view = view
        self._maker = maker
        self._work = maker.work

    def choose_writer(self, ask_another: Callable[[], None], named: str = "") -> None:
        """Offer who could write the summary, a model the user names among them."""
        basis = self._work.basis
        if basis is None or self._work.refusal:
            self._view.toast(self._work.refusal, "warning")
        else:
            start(self._view, "preview-writers", partial(self._offer, basis, named, ask_another))

    def _offer(self, basis: Basis, named: str, ask_another: Callable[[], None]) -> None:
        """Find out, in a thread, where the text would go and what it would cost."""
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
        """Open the focus lab; its three summaries are written offline."""
        basis = self._work.basis
        if basis is not None:
            writer = self._work.offline_writer(basis)
            engine = self._view.cursor.engine
            self._view.app.push_screen(FocusLab(basis, writer, focuses, self._maker.panes.go_to, engine))

    def engines(self) -> None:
        """Choose the engine whose cut is foreseen, or hold all against each other."""
        open_engines(self._view, self._work.focus)

    def edit(self) -> None:
        """Change the summary by hand."""
        shown = self._work.shown
        if shown is not None and shown.engine:
            self._view.toast(NOT_OURS, "warning")
            return
        if shown is None or shown.made is None or not shown.summary:
            self._view.toast(NOTHING, "warning")
            return
        screen = EditSummary(shown.summary)
        self._view.app.push_screen(screen, lambda _: self._edited(screen.kept))

    def _edited(self, text: str | None) -> None:
        if text is not None:
            self._maker.use(Writer("edited", "your own text, offline", GivenSummary(text, "edited")))

    def apply(self) -> None:
        """Review what would be written."""
        shown, subject = self._work.shown, self._view.subject
        made = shown.made if shown else None
        if shown is not None and shown.engine:
            self._view.toast(NOT_OURS, "warning")
            return
        if made is None or made.summary_index is None or subject is None:
            self._view.toast(NOTHING, "warning")
            return
        generation = subject.conversation.generations[-1]
        if shown is not None and shown.supposed:
            self._view.toast(f"This was foreseen under what if: {shown.supposed}.", "warning")
        screen = ApplyScreen(subject.location, compaction(generation.session_id, made))
        self._view.app.push_screen(screen, self._left)

    def undo(self) -> None:
        """Take back what was last written to this conversation from here."""
        subject = self._view.subject
        if subject is None:
            return
        sessions = (session.id for session in subject.conversation.sessions)
        entry = newest_write(subject.location, sessions)
        if entry is None:
            self._view.toast(UNTOUCHED, "warning")
        else:
            self._view.app.push_screen(UndoScreen(entry), self._left)

    def _left(self, _result: None) -> None:
        self._view.post_message(self._view.Stale())
