"""Waiting for a model without hanging: a thread reads, this side watches the clock and the user."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread

from core.compress.summarise.answer_check import ModelAnswer
from core.compress.summarise.base import RESTART, Cancelled, FailureKind, OnText, SummaryFailure

Reader = Callable[[OnText], ModelAnswer]
"""Asks a model; hands on each piece of text as it comes and returns the whole."""

_TICK = 0.05
_CEILING = 5
"""An answer may take this many timeouts in all, however steadily it trickles."""


@dataclass(frozen=True, slots=True)
class Listener:
    """The user who waits for the answer: reads along, may give up, has a limited time."""

    on_text: OnText | None
    given_up: Cancelled | None
    deadline: float = math.inf

    def cancelled(self) -> bool:
        """Whether the user has given up.

        Raises:
            SummaryFailure: All attempts together have had their time.
        """
        if time.monotonic() > self.deadline:
            raise SummaryFailure(FailureKind.TIMEOUT, "the time for all attempts together is over")
        return self.given_up is not None and self.given_up()

    @property
    def streams(self) -> bool:
        """Whether text is wanted as it comes."""
        return self.on_text is not None

    def restart(self) -> None:
        """Say that the text so far is void."""
        if self.on_text is not None:
            self.on_text(RESTART)

    def wait(self, seconds: float) -> None:
        """Sit out a pause, even of no length, unless the user gives up or the time is over."""
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
    """Run a reader in a thread and wait for its answer.

    Args:
        read: Talks to the server; anything it raises is raised here.
        close: Breaks the connection off; called when nobody waits any longer.
        timeout: Seconds without a word before giving up.
        on_text: Receives the text, on the caller's thread.
        cancelled: Asked several times a second.

    Raises:
        SummaryFailure: Cancelled, or out of time.
    """
    queue: SimpleQueue[str | ModelAnswer | BaseException] = SimpleQueue()
    Thread(target=_read_into, args=(queue, read), daemon=True).start()
    started = heard = time.monotonic()
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
            heard = now
            if on_text is not None:
                on_text(item)
        if now - heard > timeout or now - started > _CEILING * timeout:
            close()
            raise TimeoutError(f"no answer for {now - heard:.0f} s")


def _read_into(queue: SimpleQueue[str | ModelAnswer | BaseException], read: Reader) -> None:
    try:
        queue.put(read(queue.put))
    except BaseException as error:  # noqa: BLE001 - the edge of a worker: whatever it was is raised on the other side
        queue.put(error)
