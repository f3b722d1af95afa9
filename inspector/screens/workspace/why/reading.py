"""What the screen about compactions reads: the explanation first, then what each compaction cost and lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message as Event

from core.explain.events import explain
from core.explain.explanation import Explanation
from core.model.accounting.prompt_cache import Payback
from core.model.compaction.event import CompressionEvent
from core.model.compaction.preview import Retention
from core.store.store import Store
from inspector.base.workers import cancelled, in_thread
from inspector.screens.workspace.views import FigureView, Subject
from inspector.screens.workspace.why.aftermath import bills, survival
from inspector.screens.workspace.why.curve import Curve, curve_of


class ExplainingView(FigureView):
    """Workers, and what they found."""

    @dataclass
    class Explained(Event):
        """The conversation was explained."""

        explanation: Explanation
        curve: Curve

    @dataclass
    class Billed(Event):
        """What its compactions cost is known."""

        bills: Sequence[Payback]

    @dataclass
    class Weighed(Event):
        """What one compaction lost is known."""

        index: int
        kept: Retention | None

    @in_thread("why")
    def explain(self, subject: Subject) -> None:
        """Join rows, log lines and config on a connection of the worker's own."""
        stop = cancelled()
        with Store(subject.location, cancelled=stop) as store:
            explanation = explain(store, subject.conversation.tip.id)
        if not stop():
            self.post_message(self.Explained(explanation, curve_of(explanation)))
        if explanation.events and not stop():
            self.post_message(self.Billed(bills(subject, stop)))

    @in_thread("why-lost")
    def weigh(self, subject: Subject, index: int, event: CompressionEvent) -> None:
        """Hold the middle of one compaction against its summary."""
        stop = cancelled()
        kept = survival(subject, event, stop)
        if not stop():
            self.post_message(self.Weighed(index, kept))
