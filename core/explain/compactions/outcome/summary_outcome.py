"""What became of the summary of one attempt, and who wrote it."""

from __future__ import annotations

from core.compress.sizing.estimate import text_tokens
from core.explain.compactions.attempts import Attempt
from core.explain.compactions.outcome.failure import failure_of
from core.explain.context.context import ConversationContext
from core.explain.context.rows.boundary_rows import BoundaryRows
from core.hermes.config.config import engine_in_charge, engine_loaded
from core.hermes.log.record import Kind, LogRecord
from core.model.compaction.event import SummaryOutcome, SummaryStatus
from core.model.transcript.session import Session

_METHODS = {
    "llm_summary": SummaryStatus.MODEL,
    "aux_fallback_main": SummaryStatus.MODEL,
    "provider": SummaryStatus.MODEL,
    "deterministic_fallback": SummaryStatus.FALLBACK,
}


_CALLS = frozenset({Kind.SUMMARY_CALL, Kind.AUX_CALL})


def summary_outcome(
    context: ConversationContext,
    attempt: Attempt | None,
    rows: BoundaryRows | None,
    *,
    completed: bool,
    release: str | None,
) -> SummaryOutcome:
    """Who wrote the summary: the row itself knows best, then the telemetry, then the lines in between."""
    status = _status(attempt, rows, completed)
    if status is SummaryStatus.MODEL and not _called(attempt) and _another_engine(context, attempt):
        status = SummaryStatus.UNKNOWN  # its form is Hermes' own, but any engine can write that
    model = _model(context, attempt, rows) if status is SummaryStatus.MODEL else None
    tokens = None
    if rows is not None and rows.summary is not None:
        tokens = text_tokens(rows.summary.body, context.policy(release).estimate.unit)
    failed = status in (SummaryStatus.ABORTED, SummaryStatus.FALLBACK)
    failure = failure_of(attempt, rows, _provider(context, release)) if failed else None
    return SummaryOutcome(status, model, tokens, failure)


def _provider(context: ConversationContext, release: str | None) -> str | None:
    """Whom Hermes is told to ask for summaries: the one set for them, else the main model's."""
    for key in ("auxiliary.compression.provider", "model.provider"):
        provider = context.config.value(key, release or context.release.release)
        if provider and provider != "auto":
            return str(provider)
    return context.conversation.tip.provider


def _status(attempt: Attempt | None, rows: BoundaryRows | None, completed: bool) -> SummaryStatus:
    if not completed:
        return SummaryStatus.ABORTED
    if rows is not None and rows.summary is not None:
        return SummaryStatus.FALLBACK if rows.summary.fallback else SummaryStatus.MODEL
    if attempt is None:
        return SummaryStatus.UNKNOWN
    record = attempt.telemetry.telemetry if attempt.telemetry else None
    if record is not None and record.method in _METHODS:
        return _METHODS[record.method]
    kinds = {line.kind for line in attempt.inner}
    if kinds & {Kind.FALLBACK, Kind.SUMMARY_FAILED} and Kind.MAIN_MODEL_RETRY not in kinds:
        return SummaryStatus.FALLBACK
    # A call that fails is always told; one that is not has written it.
    return SummaryStatus.MODEL if kinds & _CALLS else SummaryStatus.UNKNOWN


def _called(attempt: Attempt | None) -> bool:
    """Whether the log shows that a model wrote the summary."""
    if attempt is None:
        return False
    record = attempt.telemetry.telemetry if attempt.telemetry else None
    if record is not None and record.method:
        return _METHODS.get(record.method) is SummaryStatus.MODEL
    return bool({line.kind for line in attempt.inner} & _CALLS)


def _another_engine(context: ConversationContext, attempt: Attempt | None) -> bool:
    """Whether an engine besides Hermes' own is set now, or was at hand when the attempt began."""
    lines = context.log.records
    if engine_in_charge(context.config, lines, context.release.release) is not None:
        return True
    loaded = engine_loaded(line for line in lines if attempt is None or line.at <= attempt.first.at)
    return loaded is not None and loaded.kind is Kind.ENGINE_REGISTERED


def _model(context: ConversationContext, attempt: Attempt | None, rows: BoundaryRows | None) -> str | None:
    if attempt is not None:
        record = attempt.telemetry.telemetry if attempt.telemetry else None
        if record is not None and record.aux_model:
            return record.aux_model
        called = _last(attempt, Kind.SUMMARY_CALL) or _last(attempt, Kind.AUX_CALL)
        if called is not None and called.model:
            return called.model
    session = context.sessions.get(rows.session) if rows else None
    return _booked(context, session) if session else None


def _last(attempt: Attempt, kind: Kind) -> LogRecord | None:
    return next((line for line in reversed(attempt.inner) if line.kind is kind), None)


def _booked(context: ConversationContext, session: Session) -> str | None:
    """The one model the session booked summary calls on; several leave it open."""
    rows = context.store.model_usage([session.id])
    models = {row.model for row in rows if row.task == "compression" and row.model}
    return models.pop() if len(models) == 1 else None
