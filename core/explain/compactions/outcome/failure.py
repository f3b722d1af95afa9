"""Why an attempt brought no summary, told apart by failures.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from core.explain.compactions.attempts import Attempt
from core.explain.context.rows.boundary_rows import BoundaryRows
from core.hermes.log.record import Kind, LogRecord
from core.model.compaction.event import Failure
from core.support.yaml_tables import load_table

_STATUS = re.compile(r"(?:error code|http|status(?: code)?):? (\d{3})\b", re.IGNORECASE)
_TELLING = (Kind.SUMMARY_FAILED, Kind.STALLED, Kind.HYGIENE_FAILED)
"""Lines that carry the reason itself; the others say what was done about it."""
_NO_KEY = "the API key of its provider"


def failure_of(attempt: Attempt | None, rows: BoundaryRows | None, provider: str | None) -> Failure:
    """The cause of a failed or fallen-back attempt; `unknown` where nothing says.

    What a provider said is read by the one table of provider errors; see failures.yaml.

    Args:
        attempt: As the log tells it.
        rows: As the rows tell it: a fallback names its reason.
        provider: Whom the summary was asked of, where the configuration says.
    """
    lines = attempt.inner if attempt is not None else ()
    told = list(_told(attempt, rows))
    asked = next((line.provider for line in reversed(lines) if line.provider), None) or provider
    for text in told:
        entry = _named(text, asked or "")
        if entry is not None:
            return _failure(entry, text, asked)
    kinds = {line.kind.value for line in lines}
    fitting = (entry for entry in _table() if kinds.intersection(entry.get("kinds", ())))
    return _failure(next(fitting, _table()[-1]), told[0] if told else "", asked)


def _named(text: str, provider: str) -> Mapping[str, Any] | None:
    """The entry a text fits: by Hermes' names, its own words, the table of provider errors, weaker words."""
    # Most conversations hold no failed summary.
    from core.hermes.provider_errors.failure import failure_of as provider_failure
    from core.hermes.provider_errors.meaning import meaning_of

    said, status = text.lower(), _STATUS.search(text)
    for entry in _table():
        if said in entry.get("classes", ()):
            return entry
    for entry in _table():
        own = any(word in said for word in entry.get("texts", ()))
        if own or any(re.search(pattern, said) for pattern in entry.get("patterns", ())):
            return entry
    number = int(status[1]) if status else None
    kind = meaning_of(provider_failure(text, status=number, provider=provider)).kind
    by_meaning = (
        entry
        for entry in _table()
        if kind in entry.get("meanings", ()) and entry.get("status", number) == number
    )
    hinted = (entry for entry in _table() if any(word in said for word in entry.get("hints", ())))
    return next(by_meaning, None) or next(hinted, None)


def words(failure: Failure) -> tuple[str, str]:
    """What is said of a failure, in the middle of a sentence, and what helps."""
    from core.compress.summarise.model_choice import key_variables

    entry = next(entry for entry in _table() if entry["cause"] == failure.cause)
    status = f" ({failure.status})" if failure.status else ""
    keys = key_variables(failure.provider or "")
    return entry["says"].format(status=status), entry["helps"].format(key=keys[0] if keys else _NO_KEY)


def _failure(entry: Mapping[str, Any], text: str, provider: str | None) -> Failure:
    status = _STATUS.search(text)
    return Failure(entry["cause"], text, int(status[1]) if status else None, provider)


def _told(attempt: Attempt | None, rows: BoundaryRows | None) -> Iterator[str]:
    """What is said of the reason, the most telling first."""
    lines = attempt.inner if attempt is not None else ()
    yield from (_text(line) for line in lines if line.kind in _TELLING)
    record = attempt.telemetry.telemetry if attempt is not None and attempt.telemetry is not None else None
    if record is not None and record.failure:
        yield record.failure
    if rows is not None and rows.summary is not None and rows.summary.reason:
        yield rows.summary.reason
    yield from (_text(line) for line in lines if line.kind in (Kind.ABORTED, Kind.FALLBACK))


def _text(line: LogRecord) -> str:
    return (line.text or line.message).strip()


@cache
def _table() -> list[Mapping[str, Any]]:
    table: list[Mapping[str, Any]] = load_table("core/explain/compactions/outcome/failures.yaml")
    return table
