"""What the screen about compactions reads in threads: the explanation first, then what each one lost."""

from __future__ import annotations

from core.explain.events import explained as about
from core.explain.explanation import Explanation
from core.model.compaction.event import CompressionEvent
from core.model.compaction.preview import Retention
from core.store.database.connect import Cancelled
from core.store.store import Store
from inspector.screens.workspace.views import Subject
from inspector.screens.workspace.why.aftermath import survival
from inspector.screens.workspace.why.curve import Curve, curve_of


def explained(subject: Subject, stop: Cancelled) -> tuple[Explanation, Curve]:
    """Rows, log lines and config joined, on a connection of the thread's own."""
    with Store(subject.location, cancelled=stop) as store:
        _, explanation = about(store, subject.conversation.tip.id, conversation=subject.conversation)
    return explanation, curve_of(explanation)


def weighed(
    subject: Subject, index: int, event: CompressionEvent, stop: Cancelled
) -> dict[int, Retention | None]:
    """What one compaction kept, under its index; None where no row holds its summary."""
    return {index: survival(subject, event, stop)}
