"""Recording requests: a hook puts what it was given into a queue and returns; a thread does the rest."""

from __future__ import annotations

import atexit
import logging
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..settings import Settings
from .kept_texts import TextKeeper
from .recording_file import add_requests
from .request_shape import AROUND, KEYS, ShapeReader

log = logging.getLogger(__name__)

_MOST_WAITING = 256
"""Calls that wait whole; of those behind them only the counts are kept."""
_MOST_THIN = 20_000
_BATCH = 64
_PAUSE = 0.2
_LAST_WORDS = 2.0
"""Seconds the end of Hermes waits for what is still in the queue."""
_GIVES_UP_AFTER = 20
"""Failures in a row; the file is then left alone for the rest of this process."""

Taken = tuple[str, float, dict[str, Any]]


class Recorder:
    """Takes what hooks are given, and writes it in a thread of its own.

    Args:
        settings: Where the file lies.

    Attributes:
        dropped: Requests the queue had no room for, or the file did not take.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings, self._state = settings, Path(settings.state)
        self._home = os.path.realpath(os.environ.get("HERMES_HOME") or settings.home)
        self._queue: queue.SimpleQueue[Taken] = queue.SimpleQueue()
        self._open = 0
        self._thread: threading.Thread | None = None
        self._owner = 0
        self._lock = threading.Lock()
        self._failures = 0
        self.dropped = 0

    def taker(self, hook: str) -> Callable[..., None]:
        """What Hermes calls for a hook; it never raises and never waits."""

        def take(whole: Any = None, **details: Any) -> None:
            try:
                self._ensure_thread()
                if whole is not None:
                    details = _whole(whole, details)
                messages = details.get("request_messages")
                if isinstance(messages, list):
                    details["request_messages"] = list(messages)  # the rows are read later, the list may grow
                waiting = self._queue.qsize()
                if waiting >= _MOST_THIN:
                    self.dropped += 1
                else:
                    kept = details if waiting < _MOST_WAITING else _thin(details)
                    self._queue.put((hook, time.time(), kept))
            except Exception as error:  # noqa: BLE001 - a hook must not break a chat
                self.dropped += 1
                log.debug("Hermes Inspector: not recorded: %s", error)

        return take

    def passer(self) -> Callable[..., Any]:
        """What Hermes calls around a request: it looks, and sends the request on as it is."""
        take = self.taker(AROUND)

        def send(request: Any, next_call: Callable[[Any], Any], **details: Any) -> Any:
            take(whole=request, **details)
            return next_call(request)

        return send

    def flush(self, seconds: float = _LAST_WORDS) -> None:
        """Wait a little until what was taken is written."""
        until = time.monotonic() + seconds
        while (self._open or not self._queue.empty()) and time.monotonic() < until:
            time.sleep(0.01)

    def _ensure_thread(self) -> None:
        if self._thread is not None and self._owner == os.getpid() and self._thread.is_alive():
            return
        with self._lock:
            if self._thread is None or self._owner != os.getpid() or not self._thread.is_alive():
                self._owner = os.getpid()
                self._thread = threading.Thread(target=self._work, name="inspector-recorder", daemon=True)
                self._thread.start()
                atexit.register(self.flush)

    def _work(self) -> None:
        reader = ShapeReader(self._home, texts=self._settings.keep_text)
        keeper = TextKeeper(self._settings, self._home)
        while True:
            self._open = 0
            taken = [self._queue.get()]
            self._open = 1
            time.sleep(_PAUSE)  # a request and its answer are written together
            while len(taken) < _BATCH and not self._queue.empty():
                taken.append(self._queue.get_nowait())
            try:
                self._write(reader, taken)
                if keeper.keep(reader.texts()):
                    atexit.register(self.flush)  # once more, to come before the end of the worker it started
            except Exception as error:  # noqa: BLE001 - this thread has nobody to tell
                log.debug("Hermes Inspector: not recorded: %s", error)

    def _write(self, reader: ShapeReader, taken: list[Taken]) -> None:
        for hook, at, details in taken:
            reader.take(hook, at, details)
        rows, shapes = reader.finished()
        if not rows or self._failures >= _GIVES_UP_AFTER:
            self.dropped += len(rows)
            return
        dropped, self.dropped = self.dropped, 0
        try:
            add_requests(self._state, rows, shapes, dropped)
            self._failures = 0
        except (OSError, sqlite3.Error) as error:
            self._failures += 1
            self.dropped += dropped + len(rows)
            reader.forget()
            log.debug("Hermes Inspector: not recorded: %s", error)


def _whole(request: Mapping[str, Any], details: dict[str, Any]) -> dict[str, Any]:
    """What a hook may have been shown cut, and whose request it is."""
    seen = {name: request.get(name) for name in ("tools", "system", "instructions")}
    return {"whole": seen, **{name: details.get(name) for name in KEYS}}


def _thin(details: dict[str, Any]) -> dict[str, Any]:
    """A call without its messages."""
    heavy = ("request", "request_messages", "conversation_history", "response", "assistant_message")
    return {name: value for name, value in details.items() if name not in heavy}


_RECORDERS: dict[str, Recorder] = {}


def recorder_for(settings: Settings) -> Recorder:
    """The one recorder of this process."""
    return _RECORDERS.setdefault(settings.state, Recorder(settings))
