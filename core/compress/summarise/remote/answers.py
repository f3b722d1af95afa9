"""Waits for a model's answer without hanging, and translates errors into our kinds of failure.

A thread reads; the caller's thread watches the clock and the user.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from functools import cache
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from core.compress.summarise.answer_check import ModelAnswer
from core.compress.summarise.base import RESTART, Cancelled, FailureKind, OnText, SummaryFailure
from core.hermes.provider_errors.failure import failure_of as provider_failure
from core.hermes.provider_errors.meaning import meaning_of
from core.redact.text import redact_text
from core.support.program_files import load_table

Reader = Callable[[OnText], ModelAnswer]
"""Asks a model: passes on each piece of text as it arrives and returns the whole."""

_TICK = 0.05
_CEILING = 5
"""Limit of an answer's total time in timeouts, even if data keeps arriving."""

_MAX_MESSAGE_CHARS = 200
_RETRY_HEADERS = {"retry-after-ms": 0.001, "retry-after": 1.0}
"""Headers that ask to wait, each with its unit in seconds."""


@dataclass(frozen=True, slots=True)
class Listener:
    """The user who waits for the answer: may read along, may cancel, waits a limited time."""

    on_text: OnText | None
    given_up: Cancelled | None
    deadline: float = math.inf

    def cancelled(self) -> bool:
        """Whether the user has cancelled.

        Raises:
            SummaryFailure: The time for all attempts together is over.
        """
        if time.monotonic() > self.deadline:
            raise SummaryFailure(FailureKind.TIMEOUT, "the time for all attempts together is over")
        return self.given_up is not None and self.given_up()

    @property
    def streams(self) -> bool:
        """Whether text is wanted as it arrives."""
        return self.on_text is not None

    def restart(self) -> None:
        """Report that the text so far is void."""
        if self.on_text is not None:
            self.on_text(RESTART)

    def wait(self, seconds: float) -> None:
        """Wait, unless the user cancels or the time is over; both are checked even for zero seconds."""
        until = time.monotonic() + seconds
        while not self.cancelled():
            if (left := until - time.monotonic()) <= 0:
                return
            time.sleep(min(left, 0.1))
        raise SummaryFailure(FailureKind.CANCELLED, "the summary was cancelled")


def pump(
    read: Reader,
    *,
    close: Callable[[], None],
    timeout: float,
    on_text: OnText | None,
    cancelled: Cancelled | None,
) -> ModelAnswer:
    """Run a reader in a thread and wait for its answer, at most `timeout` seconds without data.

    The connection is closed once nobody waits any longer; text is passed on in the caller's thread.

    Raises:
        SummaryFailure: Cancelled, or out of time.
    """
    queue: SimpleQueue[str | ModelAnswer | BaseException] = SimpleQueue()
    Thread(target=_read_into, args=(queue, read), daemon=True).start()
    started = last_piece = time.monotonic()
    while True:
        try:
            item = queue.get(timeout=_TICK)
        except Empty:
            item = None
        now = time.monotonic()
        if cancelled is not None and cancelled():
            close()
            raise SummaryFailure(FailureKind.CANCELLED, "the summary was cancelled")
        if isinstance(item, ModelAnswer):
            return item
        if isinstance(item, BaseException):
            raise item
        if item:
            last_piece = now
            if on_text is not None:
                on_text(item)
        if now - last_piece > timeout or now - started > _CEILING * timeout:
            close()
            raise TimeoutError(f"no answer for {now - last_piece:.0f} s")


def _read_into(queue: SimpleQueue[str | ModelAnswer | BaseException], read: Reader) -> None:
    try:
        queue.put(read(queue.put))
    except BaseException as error:  # noqa: BLE001 - the edge of a worker: whatever it was is raised on the other side
        queue.put(error)


def failure_of(error: BaseException, where: str, secrets: Iterable[str] = ()) -> SummaryFailure:
    """The failure that an exception of an SDK or its transport means; `secrets` are masked in its text."""
    if isinstance(error, SummaryFailure):
        return _placed(error, where)
    message = _provider_words(error, secrets)
    kind = _kind(error, message.lower())
    entry = _table()["kinds"][kind.value]
    what = entry["what"] + (f": {message}" if message else "")
    return SummaryFailure(kind, what, where=where, remedy=entry["remedy"], retry_after=_retry_after(error))


def is_worth_retrying(failure: SummaryFailure) -> bool:
    """Whether the same request may succeed a moment later."""
    return bool(_table()["kinds"][failure.kind.value].get("retry"))


def _placed(failure: SummaryFailure, where: str) -> SummaryFailure:
    """One of our own failures, with its place and remedy filled in."""
    remedy = failure.remedy or _table()["kinds"][failure.kind.value]["remedy"]
    return SummaryFailure(
        failure.kind,
        failure.what,
        where=failure.where or where,
        remedy=remedy,
        retry_after=failure.retry_after,
    )


def _kind(error: BaseException, message: str) -> FailureKind:
    table = _table()
    status = getattr(error, "status_code", None)
    number = status if isinstance(status, int) else None
    meaning = meaning_of(provider_failure(message, status=number)).kind
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
    return line if len(line) <= _MAX_MESSAGE_CHARS else line[: _MAX_MESSAGE_CHARS - 1] + "…"


def _retry_after(error: BaseException) -> float | None:
    """Seconds the server asks to wait, given as a number or as a date; None without such a time."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, unit in _RETRY_HEADERS.items():
        text = headers.get(name, "")
        try:
            until = parsedate_tz(text)
            seconds = float(text) * unit if until is None else mktime_tz(until) - time.time()
        except (ValueError, OverflowError):  # neither, or of a year that no calendar has
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = load_table("core/compress/summarise/remote/faults.yaml")
    return table
