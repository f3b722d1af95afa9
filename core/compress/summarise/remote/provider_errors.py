"""What a provider's error means, in one of our kinds, in words without secrets.

What the provider says is read by the one table of provider errors. Both SDKs raise classes of the same
names, and their transports others that differ by version, so what says nothing is told apart by status and by
the names in their class hierarchy.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from email.utils import mktime_tz, parsedate_tz
from functools import cache
from typing import Any

from core.compress.summarise.base import FailureKind, SummaryFailure
from core.hermes.provider_errors.failure import failure_of as provider_failure
from core.hermes.provider_errors.meaning import meaning_of
from core.redact.text import redact_text
from core.support.yaml_tables import load_table

_LONGEST = 200
_RETRY_HEADERS = ("retry-after-ms", "retry-after")


def failure_of(error: BaseException, where: str, secrets: Iterable[str] = ()) -> SummaryFailure:
    """Translate an error.

    Args:
        error: What an SDK or its transport raised.
        where: The endpoint and model asked.
        secrets: Texts that must not be repeated: the key.
    """
    if isinstance(error, SummaryFailure):
        return _placed(error, where)
    said = _provider_words(error, secrets)
    kind = _kind(error, said.lower())
    entry = _table()["kinds"][kind.value]
    what = entry["what"] + (f": {said}" if said else "")
    return SummaryFailure(kind, what, where=where, remedy=entry["remedy"], retry_after=_retry_after(error))


def is_worth_retrying(failure: SummaryFailure) -> bool:
    """Whether the same request may succeed a moment later."""
    return bool(_table()["kinds"][failure.kind.value].get("retry"))


def _placed(failure: SummaryFailure, where: str) -> SummaryFailure:
    """A failure of our own, told where it happened and what to do."""
    remedy = failure.remedy or _table()["kinds"][failure.kind.value]["remedy"]
    return SummaryFailure(
        failure.kind,
        failure.what,
        where=failure.where or where,
        remedy=remedy,
        retry_after=failure.retry_after,
    )


def _kind(error: BaseException, said: str) -> FailureKind:
    table = _table()
    status = getattr(error, "status_code", None)
    number = status if isinstance(status, int) else None
    meaning = meaning_of(provider_failure(said, status=number)).kind
    kind = table["meanings"].get(meaning)
    if kind is not None and (kind, number) != ("auth", 403):
        return FailureKind(kind)
    if isinstance(status, int):
        return FailureKind(table["statuses"].get(status) or ("server" if status >= 500 else "other"))
    names = {cls.__name__ for cls in type(error).__mro__}
    for of_class, classes in table["classes"].items():
        if names.intersection(classes):
            return FailureKind(of_class)
    return FailureKind.OTHER


def _provider_words(error: BaseException, secrets: Iterable[str]) -> str:
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    message = inner.get("message") if isinstance(inner, Mapping) else None
    text = str(message or error)
    for secret in secrets:
        text = text.replace(secret, "[key]") if secret else text
    line = " ".join(redact_text(text).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _retry_after(error: BaseException) -> float | None:
    """Seconds the server asks to wait, given as a number or as the date to wait for."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    for name in _RETRY_HEADERS:
        said = headers.get(name, "")
        try:
            value = float(said)
        except ValueError:
            if (until := parsedate_tz(said)) is not None:
                return max(0.0, mktime_tz(until) - time.time())
            continue
        return value / 1000 if name.endswith("-ms") else value
    return None


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = load_table("core/compress/summarise/remote/faults.yaml")
    return table
