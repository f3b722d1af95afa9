"""From a preview to the screens that change it or write it."""

from __future__ import annotations

from core.compress.summarise.provided import GivenSummary
from core.preview.summarisers import Writer
from inspector.screens.apply.screen import ApplyScreen
from inspector.screens.apply.undo import UndoScreen
from inspector.screens.apply.work import compaction, newest_write
from inspector.screens.workspace.preview.edit import EditSummary
from inspector.screens.workspace.preview.work import WritingView

UNTOUCHED = "Nothing was written to this conversation from here that could be taken back."
NOTHING = "There is no summary here to edit or to write."


class NextScreensView(WritingView):
    """The keys that lead on from a preview of the newest generation."""

    def action_edit(self) -> None:
        """Change the summary by hand."""
        if self.shown is None or self.shown.made is None or not self.shown.summary:
            self.toast(NOTHING, "warning")
            return
        screen = EditSummary(self.shown.summary)
        self.app.push_screen(screen, lambda _: self._edited(screen.kept))

    def _edited(self, text: str | None) -> None:
        if text is not None:
            self.use(Writer("edited", "your own text, offline", GivenSummary(text, "edited")))

    def action_apply(self) -> None:
        """Review what would be written."""
        made = self.shown.made if self.shown else None
        if made is None or made.summary_index is None or self.subject is None:
            self.toast(NOTHING, "warning")
            return
        generation = self.subject.conversation.generations[-1]
        if self.shown is not None and self.shown.supposed:
            self.toast(f"This was foreseen under what if: {self.shown.supposed}.", "warning")
        screen = ApplyScreen(self.subject.location, compaction(generation.session_id, made))
        self.app.push_screen(screen, self._left)

    def action_undo(self) -> None:
        """Take back what was last written to this conversation from here."""
        if self.subject is None:
            return
        sessions = (session.id for session in self.subject.conversation.sessions)
        entry = newest_write(self.subject.location, sessions)
        if entry is None:
            self.toast(UNTOUCHED, "warning")
        else:
            self.app.push_screen(UndoScreen(entry), self._left)

    def _left(self, _result: None) -> None:
        self.post_message(self.Stale())
