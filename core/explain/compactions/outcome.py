"""What became of one attempt's summary: who wrote it, or why it failed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from core.compress.sizing.estimate import text_tokens
from core.explain.compactions.attempts import BY_AGENT, Attempt
from core.explain.compactions.foreign_engine import rules_of_another
from core.explain.context.context import ConversationContext
from core.explain.context.rows.boundary_rows import BoundaryRows
from core.hermes.config.in_force import engine_loaded
from core.hermes.log.record import Kind, LogRecord
from core.hermes.log.stopped import MODEL_CALLS, is_last, was_stopped
from core.hermes.provider_errors.failure import failure_of as provider_failure
from core.hermes.provider_errors.meaning import meaning_of
from core.model.compaction.event import Failure, SummaryOutcome, SummaryStatus
from core.model.transcript.session import Session
from core.support.program_files import shared_table

if TYPE_CHECKING:
    from core.explain.compactions.matching import Match

_METHODS = {
    "llm_summary": SummaryStatus.MODEL,
    "aux_fallback_main": SummaryStatus.MODEL,
    "provider": SummaryStatus.MODEL,
    "deterministic_fallback": SummaryStatus.FALLBACK,
}
_LOCK = timedelta(minutes=5)
"""How long a lock stays after its holder is gone."""
_KEPT = 4
"""How many messages after the head every release keeps."""
_CEILING = timedelta(minutes=10)
"""How long a gateway lets a compression run on behind a turn."""
_STATUS = re.compile(r"(?:error code|http|status(?: code)?):? (\d{3})\b", re.IGNORECASE)
_CAUSE_KINDS = (Kind.SUMMARY_FAILED, Kind.STALLED, Kind.HYGIENE_FAILED)
"""Lines that state the reason itself; other lines say what was done about it."""
_NO_KEY = "the API key of its provider"
_entries: Callable[[], Sequence[Mapping[str, Any]]] = partial(
    shared_table, "core/explain/compactions/failures.yaml"
)


def summary_outcome(context: ConversationContext, pair: Match, release: str) -> SummaryOutcome:
    """Who wrote the summary: the row knows best, then the telemetry, then the lines in between."""
    (attempt, rows), own = pair, pair.own
    if rows is not None and rows.pruned:
        return SummaryOutcome(SummaryStatus.UNKNOWN, None, None)
    pausing = _pausing(context, attempt) if attempt is not None else None
    status = _written_by(context, pair, pausing)
    model = own.model if own is not None else None
    if own is None and status is SummaryStatus.MODEL:
        model = _model(context, attempt, rows)
    tokens = replaced = None
    if rows is not None and rows.summary is not None:
        tokens = text_tokens(rows.summary.body, context.policy(release).estimate.unit)
        replaced = rows.summary.dropped
    if status not in (SummaryStatus.ABORTED, SummaryStatus.FALLBACK):
        return SummaryOutcome(status, model, tokens)
    failure = failure_of(attempt, rows, _provider(context, release))
    if attempt is not None and status is SummaryStatus.ABORTED:
        failure = replace(failure, cause=_why_aborted(context, pair, attempt, release, failure))
    elif attempt is not None and pausing is not None and failure.cause == "unknown":
        failure = failure_of(replace(attempt, inner=(pausing,)), None, failure.provider)
    return SummaryOutcome(status, model, tokens, failure, replaced)


def _written_by(context: ConversationContext, pair: Match, pausing: LogRecord | None) -> SummaryStatus:
    """Who wrote the summary; the release itself where a pause let it ask no model."""
    (attempt, _), own, status = pair, pair.own, _status(pair)
    if own is not None and status in (SummaryStatus.MODEL, SummaryStatus.FALLBACK):
        return SummaryStatus.MODEL if own.model else SummaryStatus.INSPECTOR
    if status is SummaryStatus.MODEL and not _called(attempt) and _another_engine(context, attempt):
        status = SummaryStatus.UNKNOWN  # the form is Hermes' own, but any engine can write it
    return SummaryStatus.FALLBACK if status is SummaryStatus.UNKNOWN and pausing is not None else status


def _why_aborted(
    context: ConversationContext, pair: Match, attempt: Attempt, release: str, failure: Failure
) -> str:
    """The cause of an attempt that ended without a summary; another engine's has words of its own."""
    cause = _cause_from_context(context, attempt, failure, release)
    by_another = pair.rows is None and rules_of_another(context, pair) is not None
    return str(_entry(cause).get("of_engine", cause)) if by_another else cause


def _cause_from_context(
    context: ConversationContext, attempt: Attempt, failure: Failure, release: str
) -> str:
    """The cause according to lines around an attempt, where its own lines name none or only a lock."""
    own = context.config.value("auxiliary.compression.model", release)
    if attempt.first.kind in BY_AGENT:
        return "stopped" if own else "ended"
    before = [line for line in context.log.records if line.at < attempt.first.at]
    if failure.cause == "skipped":
        return _why_locked(context, attempt.first.at, before) or failure.cause
    if failure.cause == "no_progress" and _is_short(context, attempt):
        return "short"
    if failure.cause != "unknown" or failure.text:
        return failure.cause
    if _ended_in(context, attempt.first):
        return "ended"
    if own and context.store.schema.pools_compression and attempt.telemetry is None and not attempt.inner:
        return "stopped"  # from 0.20 on telemetry follows unless the check of the summary model raises
    last = next((line for line in reversed(before) if line.kind in (Kind.TURN, Kind.SUMMARY_FAILED)), None)
    if last is not None and last.kind is Kind.SUMMARY_FAILED and last.seconds is None:
        return failure_of(replace(attempt, inner=(last,)), None, None).cause  # a retry in the same turn
    if _pausing(context, attempt) is not None:
        return "paused"
    since = datetime.now(UTC) - context.clock.utc(attempt.first.at)
    return "ended" if is_last(attempt.first, context.log.records, since) else failure.cause


def _why_locked(context: ConversationContext, at: datetime, before: Sequence[LogRecord]) -> str | None:
    """Whose lock an attempt met: of a process that ended, or of a gateway that compresses behind the turn."""
    begun = [line for line in before if line.kind is Kind.STARTED and line.at + _LOCK > at]
    if any(_ended_in(context, line) for line in begun):
        return "left_lock"
    failed = (line for line in before if line.at + _CEILING > at and line.kind is Kind.HYGIENE_FAILED)
    return "behind" if any(_cause_in(line) == "held" for line in failed) else None


def _is_short(context: ConversationContext, attempt: Attempt) -> bool:
    """Whether there was nothing after the head but what is always kept."""
    count = attempt.started.before if attempt.started is not None else None
    return count is not None and count <= context.settings_in_force.protect_first + _KEPT


def _pausing(context: ConversationContext, attempt: Attempt) -> LogRecord | None:
    """The earlier failure whose pause this attempt ran into, so that no model was asked."""
    if any(line.kind in MODEL_CALLS for line in attempt.inner):
        return None
    at = attempt.first.at
    failed = (line for line in context.log.records if line.kind is Kind.SUMMARY_FAILED and line.at < at)
    pauses = (line for line in failed if line.at + timedelta(seconds=line.seconds or 0) >= at)
    return next(pauses, None)


def _cause_in(line: LogRecord) -> str:
    entry = _entry_for(_text(line), "")
    return str(entry["cause"]) if entry is not None else ""


def _ended_in(context: ConversationContext, started: LogRecord) -> bool:
    """Whether the process ended during an attempt: no outcome is logged, and a later process continued."""
    return was_stopped(started, context.log.records, context.log.starts)


def _provider(context: ConversationContext, release: str) -> str | None:
    """The provider configured for summaries, else the main model's."""
    for key in ("auxiliary.compression.provider", "model.provider"):
        provider = context.config.value(key, release)
        if provider and provider != "auto":
            return str(provider)
    return context.conversation.tip.provider


def _status(pair: Match) -> SummaryStatus:
    attempt, rows = pair
    if not pair.completed:
        return SummaryStatus.ABORTED
    if rows is not None and rows.summary is not None:
        return SummaryStatus.FALLBACK if rows.summary.fallback else SummaryStatus.MODEL
    if attempt is None:
        return SummaryStatus.UNKNOWN
    record = attempt.record
    if record is not None and record.method in _METHODS:
        return _METHODS[record.method]
    kinds = {line.kind for line in attempt.inner}
    if kinds & {Kind.FALLBACK, Kind.SUMMARY_FAILED} and Kind.MAIN_MODEL_RETRY not in kinds:
        return SummaryStatus.FALLBACK
    # A failed call is always logged, so a call without a failure wrote the summary.
    return SummaryStatus.MODEL if kinds & MODEL_CALLS else SummaryStatus.UNKNOWN


def _called(attempt: Attempt | None) -> bool:
    """Whether the log shows that a model wrote the summary."""
    if attempt is None:
        return False
    record = attempt.record
    if record is not None and record.method:
        return _METHODS.get(record.method) is SummaryStatus.MODEL
    return bool({line.kind for line in attempt.inner} & MODEL_CALLS)


def _another_engine(context: ConversationContext, attempt: Attempt | None) -> bool:
    """Whether another engine is configured now, or was loaded when the attempt began."""
    if context.engine is not None:
        return True
    loaded = engine_loaded(
        line for line in context.log.records if attempt is None or line.at <= attempt.first.at
    )
    return loaded is not None and loaded.kind is Kind.ENGINE_REGISTERED


def _model(context: ConversationContext, attempt: Attempt | None, rows: BoundaryRows | None) -> str | None:
    if attempt is not None:
        record = attempt.record
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
    """The model on which the session booked summary calls; None where there are several."""
    rows = context.store.model_usage([session.id])
    models = {row.model for row in rows if row.task == "compression" and row.model}
    return models.pop() if len(models) == 1 else None


def failure_of(attempt: Attempt | None, rows: BoundaryRows | None, provider: str | None) -> Failure:
    """The cause of an attempt that failed or fell back; `unknown` where nothing says.

    The words of the provider asked for the summary are interpreted by the one table of provider errors; see
    failures.yaml.
    """
    lines = attempt.inner if attempt is not None else ()
    texts = list(_failure_texts(attempt, rows))
    asked = next((line.provider for line in reversed(lines) if line.provider), None) or provider
    for text in texts:
        entry = _entry_for(text, asked or "")
        if entry is not None:
            return _failure(entry, text, asked)
    kinds = {line.kind.value for line in lines}
    fitting = (entry for entry in _entries() if kinds.intersection(entry.get("kinds", ())))
    return _failure(next(fitting, _entries()[-1]), texts[0] if texts else "", asked)


def words_of(text: str) -> tuple[str, str]:
    """The same for a reason as Hermes stored it, where nothing else is known of the attempt."""
    return words(_failure(_entry_for(text, "") or _entries()[-1], text, None))


def _entry_for(text: str, provider: str) -> Mapping[str, Any] | None:
    """The entry for a text: by class names, exact words, the table of provider errors, weaker words."""
    lowered, status, table = text.lower(), _STATUS.search(text), _entries()
    for entry in table:
        if lowered in entry.get("classes", ()):
            return entry
    for entry in table:
        own = any(word in lowered for word in entry.get("texts", ()))
        if own or any(re.search(pattern, lowered) for pattern in entry.get("patterns", ())):
            return entry
    number = int(status[1]) if status else None
    kind = meaning_of(provider_failure(text, status=number, provider=provider)).kind
    meant = (entry for entry in table if kind in entry.get("meanings", ()))
    by_meaning = (entry for entry in meant if entry.get("status", number) == number)
    hinted = (entry for entry in table if any(word in lowered for word in entry.get("hints", ())))
    return next(by_meaning, None) or next(hinted, None)


def words(failure: Failure) -> tuple[str, str]:
    """What is said of a failure, as part of a sentence, and what helps."""
    from core.compress.summarise.model_choice import key_variables

    entry = _entry(failure.cause)
    status = f" ({failure.status})" if failure.status else ""
    keys = key_variables(failure.provider or "")
    return entry["says"].format(status=status), entry["helps"].format(key=keys[0] if keys else _NO_KEY)


def _entry(cause: str) -> Mapping[str, Any]:
    return next(entry for entry in _entries() if entry["cause"] == cause)


def _failure(entry: Mapping[str, Any], text: str, provider: str | None) -> Failure:
    status = _STATUS.search(text)
    return Failure(entry["cause"], text, int(status[1]) if status else None, provider)


def _failure_texts(attempt: Attempt | None, rows: BoundaryRows | None) -> Iterator[str]:
    """What is on record about the reason, the most specific text first."""
    lines = attempt.inner if attempt is not None else ()
    telling = (line for line in lines if line.text or line.kind is not Kind.HYGIENE_FAILED)
    yield from (_text(line) for line in telling if line.kind in _CAUSE_KINDS)
    record = attempt.record if attempt is not None else None
    if record is not None and record.failure:
        yield record.failure
    if rows is not None and rows.summary is not None and rows.summary.reason:
        yield rows.summary.reason
    yield from (_text(line) for line in lines if line.kind in (Kind.ABORTED, Kind.FALLBACK))


def _text(line: LogRecord) -> str:
    return (line.text or line.message).strip()
