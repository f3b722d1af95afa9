"""What the screen about compactions reads in threads: the explanation, then what each one lost and cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.explain.events import explain
from core.explain.explanation import Explanation, Now
from core.explain.prompt_cache import conversation_cache
from core.model.accounting.prices import Term
from core.model.accounting.prompt_cache import Payback
from core.model.accounting.usage import Origin
from core.model.compaction.event import CompressionEvent
from core.model.compaction.preview import Retention
from core.model.transcript.conversation import Conversation
from core.preview.past import past_of
from core.store.store import Store
from inspector.base.figure_origins import FigureOrigin, located
from inspector.screens.workspace.why.curve import Curve, curve_of
from inspector.widgets.charts.stack import Layer

NEAR = timedelta(minutes=2)
"""How far a bill may lie from the end of its compaction: different sources may time the two."""


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What a compaction lost and cost; None where nothing tells."""

    kept: Retention | None
    payback: Payback | None


@dataclass(frozen=True, slots=True)
class Explained:
    """What the screen draws of a conversation, ready to be drawn."""

    explanation: Explanation
    curve: Curve
    values: tuple[int, ...]
    layers: tuple[Layer, ...]


def explained(conversation: Conversation, store: Store) -> Explained:
    """Rows, log lines and config joined."""
    explanation = explain(store, conversation.tip.id, conversation=conversation)
    curve = curve_of(explanation)
    return Explained(explanation, curve, curve.values, curve.layers)


def bills(conversation: Conversation, store: Store) -> tuple[Payback, ...]:
    """What each compaction of a conversation cost, as far as its log tells."""
    return conversation_cache(store, conversation.tip.id, results=False, markers=False).paybacks


def bill_of(event: CompressionEvent, found: Sequence[Payback]) -> Payback | None:
    """The bill of one compaction."""
    if event.at is None or not found:
        return None
    end = event.at + timedelta(seconds=event.duration or 0)
    nearest = min(found, key=lambda one: abs(one.at - end))
    return nearest if abs(nearest.at - end) <= NEAR else None


def survival(
    conversation: Conversation, index: int, event: CompressionEvent, store: Store
) -> dict[int, Retention | None]:
    """What the summary of a compaction kept, under its index; None where no row holds it."""
    past, generations = None, conversation.generations
    if event.completed and event.generation and event.generation <= len(generations):
        past = past_of(store, generations, generations[event.generation - 1])
    return {index: past.kept(event.focus) if past else None}


MEASURED = "as the release estimated or the provider counted it when it was compared"


def event_told(event: CompressionEvent, aftermath: Aftermath | None) -> Iterator[FigureOrigin]:
    """The number compared, the threshold, the effect, what was lost, what it cost."""
    rows = located(event.evidence)
    yield FigureOrigin(Origin("prompt tokens", event.tokens, event.explanation or MEASURED, rows=rows))
    yield FigureOrigin(Origin("threshold", event.threshold, "; ".join(event.arithmetic) or "not on record"))
    if event.completed:
        left = "the estimate of the messages it left"
        yield FigureOrigin(Origin("tokens after it", event.tokens_after, left, rows=rows))
    if aftermath is None:
        return
    if aftermath.kept is not None:
        yield FigureOrigin(_lost(aftermath.kept))
    if aftermath.payback is not None:
        for found in (_summary(aftermath.payback), *aftermath.payback.origins):
            yield FigureOrigin(found)


def now_told(now: Now) -> Iterator[FigureOrigin]:
    """The size of the next request and what it is held against."""
    yield FigureOrigin(Origin("prompt tokens", now.tokens, "the next request", rows=located(now.evidence)))
    yield FigureOrigin(
        Origin("threshold", now.threshold, "; ".join(now.arithmetic) or "the window is unknown")
    )
    yield FigureOrigin(Origin("tokens to go", now.headroom, "threshold - prompt tokens"))


def _lost(kept: Retention) -> Origin:
    counts = kept.by_category.items()
    of = sum(count.of for _, count in counts)
    lost = sum(count.lost for _, count in counts)
    terms = tuple(Term(f"of {count.of:,} {kind}", count.lost) for kind, count in counts if count.of)
    formula = "facts of the summarised messages that no summary holds / all of them"
    return Origin("share of facts lost", lost / of if of else None, formula, terms)


def _summary(payback: Payback) -> Origin:
    formula = "what the session's summaries cost, by how many there were"
    return Origin("cost of the summary", payback.summariser_usd, formula, notes=payback.notes)
