"""Records requests: a hook queues its arguments and returns; a thread does the rest."""

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

_MAX_WAITING = 256
"""Most calls queued with their messages; of further calls only counts are kept."""
_MAX_THIN = 20_000
_BATCH = 64
_PAUSE = 0.2
_LAST_WORDS = 2.0
"""Seconds that Hermes' exit waits for the queue to be written."""
_GIVES_UP_AFTER = 20
"""After this many failures in a row, recording stops for the rest of this process."""

Taken = tuple[str, float, dict[str, Any]]


class Recorder:
    """Takes the arguments of hooks, and writes them in a thread.

    Attributes:
        dropped: Requests that did not fit in the queue or could not be written.
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

    def hook(self, hook: str) -> Callable[..., None]:
        """The function Hermes calls for a hook; it never raises and never waits."""

        def take(whole: Any = None, **details: Any) -> None:
            try:
                self._ensure_thread()
                if whole is not None:
                    details = _whole(whole, details)
                messages = details.get("request_messages")
                if isinstance(messages, list):
                    details["request_messages"] = list(messages)  # the list is read later and may grow
                waiting = self._queue.qsize()
                if waiting >= _MAX_THIN:
                    self.dropped += 1
                else:
                    kept = details if waiting < _MAX_WAITING else _thin(details)
                    self._queue.put((hook, time.time(), kept))
            except Exception as error:  # noqa: BLE001 - a hook must not break a chat
                self.dropped += 1
                log.debug("Hermes Inspector: not recorded: %s", error)

        return take

    def middleware(self) -> Callable[..., Any]:
        """The function Hermes calls around a request; it looks at the request and passes it on unchanged."""
        take = self.hook(AROUND)

        def send(request: Any, next_call: Callable[[Any], Any], **details: Any) -> Any:
            take(whole=request, **details)
            return next_call(request)

        return send

    def flush(self, seconds: float = _LAST_WORDS) -> None:
        """Wait briefly until the queue is written."""
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
            calls = [self._queue.get()]
            self._open = 1
            time.sleep(_PAUSE)  # so that a request and its answer are written together
            while len(calls) < _BATCH and not self._queue.empty():
                calls.append(self._queue.get_nowait())
            try:
                self._write(reader, calls)
                if keeper.keep(reader.texts()):
                    atexit.register(self.flush)  # again, so that it runs before the new worker is ended
            except Exception as error:  # noqa: BLE001 - nothing above this thread handles errors
                log.debug("Hermes Inspector: not recorded: %s", error)

    def _write(self, reader: ShapeReader, calls: list[Taken]) -> None:
        for hook, at, details in calls:
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
    """The parts that a hook may get cut short, with the keys of the request."""
    seen = {name: request.get(name) for name in ("tools", "system", "instructions")}
    return {"whole": seen, **{name: details.get(name) for name in KEYS}}


def _thin(details: dict[str, Any]) -> dict[str, Any]:
    """A call's details without its messages."""
    heavy = ("request", "request_messages", "conversation_history", "response", "assistant_message")
    return {name: value for name, value in details.items() if name not in heavy}


_RECORDERS: dict[str, Recorder] = {}


def recorder_for(settings: Settings) -> Recorder:
    """The recorder of this process."""
    return _RECORDERS.setdefault(settings.state, Recorder(settings))
