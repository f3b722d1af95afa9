"""What came of a compaction beyond its sizes: what its summary lost, what it cost, what it earned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.explain.prompt_cache import conversation_cache
from core.model.accounting.prompt_cache import Payback
from core.model.compaction.event import CompressionEvent
from core.model.compaction.preview import Retention
from core.preview.past import past_of
from core.store.database.connect import Cancelled
from core.store.store import Store
from inspector.screens.workspace.views import Subject

NEAR = timedelta(minutes=2)
"""How far a bill may lie from the end of its compaction: different sources may time the two."""


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What a compaction lost and cost; None where nothing tells."""

    kept: Retention | None
    payback: Payback | None


def bills(subject: Subject, stop: Cancelled) -> tuple[Payback, ...]:
    """What each compaction of a conversation cost, as far as its log tells."""
    with Store(subject.location, cancelled=stop) as store:
        return conversation_cache(store, subject.conversation.tip.id).paybacks


def bill_of(event: CompressionEvent, found: Sequence[Payback]) -> Payback | None:
    """The bill of one compaction."""
    if event.at is None or not found:
        return None
    end = event.at + timedelta(seconds=event.duration or 0)
    nearest = min(found, key=lambda one: abs(one.at - end))
    return nearest if abs(nearest.at - end) <= NEAR else None


def survival(subject: Subject, event: CompressionEvent, stop: Cancelled) -> Retention | None:
    """What its summary kept; None where no row holds it."""
    generations = subject.conversation.generations
    if not event.completed or not event.generation or event.generation > len(generations):
        return None
    with Store(subject.location, cancelled=stop) as store:
        past = past_of(store, generations, generations[event.generation - 1])
    return past.kept(event.focus) if past else None
