"""Where the figures of a compaction, or of how it stands now, come from."""

from __future__ import annotations

from collections.abc import Iterator

from core.explain.explanation import Now
from core.model.accounting.prices import Term
from core.model.accounting.prompt_cache import Payback
from core.model.accounting.usage import Origin
from core.model.compaction.event import CompressionEvent
from core.model.compaction.preview import Retention
from inspector.base.figure_origins import FigureOrigin, located
from inspector.screens.workspace.why.reading import Aftermath

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
