"""What the Why screen reads in threads: the explanation, then what each compaction lost and cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.explain.context.context import open_context
from core.explain.events import explain
from core.explain.explanation import Explanation, Now
from core.explain.prompt_cache import conversation_cache
from core.model.accounting.ledger import Term
from core.model.accounting.prompt_cache import Payback
from core.model.accounting.usage import Origin
from core.model.compaction.event import CompressionEvent
from core.model.compaction.preview import Retention
from core.model.transcript.conversation import Conversation
from core.preview.past import Aftermath, kept_of_event
from core.preview.words import kind_word
from core.store.store import Store
from inspector.base.app_protocol import FigureOrigin, located
from inspector.screens.workspace.why.curve import Curve, curve_of
from inspector.widgets.charts.stack import Layer

MEASURED = "as the release estimated or the provider counted it when it was compared"


@dataclass(frozen=True, slots=True)
class Explained:
    """An explanation with its curve, ready to draw."""

    explanation: Explanation
    curve: Curve
    values: tuple[int, ...]
    layers: tuple[Layer, ...]


def explain_conversation(conversation: Conversation, store: Store) -> Explained:
    """Explain a conversation from rows, log and configuration."""
    explanation = explain(store, conversation.tip.id, conversation=conversation)
    curve = curve_of(explanation)
    return Explained(explanation, curve, curve.values, curve.layers)


def bills(conversation: Conversation, store: Store) -> tuple[Payback, ...]:
    """What each compaction of a conversation cost, as far as its log tells."""
    return conversation_cache(store, conversation.tip.id, results=False, markers=False).paybacks


def kept_by_summaries(
    conversation: Conversation, place: int, event: CompressionEvent, store: Store
) -> dict[int, Retention | None]:
    """What a compaction kept, under the number it was requested by."""
    context = open_context(store, conversation.tip.id, conversation=conversation)
    return {place: kept_of_event(context, event)}


def event_origins(event: CompressionEvent, aftermath: Aftermath | None) -> Iterator[FigureOrigin]:
    """Origins of the size compared, the threshold, the effect, what was lost and what it cost."""
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


def now_origins(now: Now) -> Iterator[FigureOrigin]:
    """Origins of the next request's size and of the threshold."""
    yield FigureOrigin(Origin("prompt tokens", now.tokens, "the next request", rows=located(now.evidence)))
    known = "; ".join(now.sums) or "the window is unknown"
    lacking = f"{now.refused_at}, and no line on record states its limit" if now.elsewhere else known
    yield FigureOrigin(Origin("threshold", now.limit, lacking))
    left = None if now.elsewhere else now.headroom
    yield FigureOrigin(Origin("tokens to go", left, "threshold - prompt tokens"))


def _lost(kept: Retention) -> Origin:
    counts = kept.by_category.items()
    terms = tuple(Term(f"of {count.of:,} {kind_word(kind)}", count.lost) for kind, count in counts)
    formula = "1 - share kept of the 40 heaviest facts; one outweighs many half as heavy"
    return Origin("share of facts lost", kept.lost_share, formula, terms)


def _summary(payback: Payback) -> Origin:
    formula = "the cost of the session's summaries divided by their number"
    return Origin("cost of the summary", payback.summariser_usd, formula, notes=payback.notes)
