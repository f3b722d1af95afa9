"""What the preview reads and makes, in workers of its own; each answer carries the number of its question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message as Event

from core.compress.summarise.base import Summariser
from core.model.transcript.conversation import Generation
from core.preview.comparison import Comparison
from core.preview.foreseen import Basis, basis_of, compare
from core.preview.what_if import Hypothesis
from inspector.base.workers import cancelled, in_thread
from inspector.screens.workspace.views import GenerationView
from inspector.widgets.messages.diff_view import DiffLine, message_diff


class PreparingView(GenerationView):
    """The workers behind the preview. A subclass handles the events."""

    @dataclass
    class Prepared(Event):
        """A generation was read; previews of it cost little from now on."""

        basis: Basis
        asked: int

    @dataclass
    class Recut(Event):
        """The same messages were cut elsewhere."""

        basis: Basis
        turns: str
        asked: int

    @dataclass
    class Compared(Event):
        """Both sides are there."""

        comparison: Comparison | None
        asked: int

    @dataclass
    class Written(Event):
        """A piece of the summary arrived from a model."""

        text: str
        asked: int

    @dataclass
    class Diffed(Event):
        """The unified diff is there."""

        lines: Sequence[DiffLine]
        asked: int

    @in_thread("preview")
    def prepare(self, generation: Generation, supposed: Hypothesis | None, asked: int) -> None:
        """Read a generation."""
        if self.subject is None:
            return
        stop = cancelled()
        basis = basis_of(self.subject.location, generation, stop, supposed)
        if not stop():
            self.post_message(self.Prepared(basis, asked))

    @in_thread("preview")
    def recut(self, basis: Basis, turns: str, asked: int) -> None:
        """Cut where the user's last turns begin; where the release cuts when no number is given."""
        stop, cut = cancelled(), basis.keeping(int(turns[:9]) if turns else None)
        if not stop():
            self.post_message(self.Recut(cut, turns, asked))

    @in_thread("preview")
    def foresee(self, basis: Basis, summariser: Summariser, focus: str | None, asked: int) -> None:
        """Make a preview; what a model writes is shown as it arrives."""
        stop = cancelled()

        def show(text: str) -> None:
            self.post_message(self.Written(text, asked))

        comparison = compare(basis, summariser, focus, on_text=show, stop=stop)
        if not stop():
            self.post_message(self.Compared(comparison, asked))

    @in_thread("preview")
    def look_back(self, generation: Generation, asked: int) -> None:
        """Put together what the compaction that ended a generation really did."""
        from core.preview.past import happened

        if self.subject is None:
            return
        stop = cancelled()
        comparison = happened(self.subject.location, self.subject.conversation.generations, generation, stop)
        if not stop():
            self.post_message(self.Compared(comparison, asked))

    @in_thread("preview-diff")
    def diff(self, shown: Comparison, asked: int) -> None:
        """Make the unified diff."""
        stop = cancelled()
        spans = shown.head, shown.middle, shown.tail
        lines: list[DiffLine] = []
        for line in message_diff(shown.before, shown.after, spans, shown.kept, shown.summary):
            if stop():
                return
            lines.append(line)
        self.post_message(self.Diffed(lines, asked))
