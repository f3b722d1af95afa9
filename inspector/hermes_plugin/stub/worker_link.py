"""The pipe to the worker: one JSON object per line each way, with a time limit; a failed worker is ended."""

from __future__ import annotations

import atexit
import json
import logging
import os
import queue
import subprocess
import threading
import time
from contextlib import suppress
from typing import Any

from .settings import Settings, own_environment

Rows = list[dict[str, Any]]
MIRRORED = (
    "threshold_tokens",
    "context_length",
    "compression_count",
    "threshold_percent",
    "protect_first_n",
    "protect_last_n",
    "last_prompt_tokens",
    "last_completion_tokens",
    "last_total_tokens",
)
"""What Hermes reads of an engine, and the worker's compressor knows."""
_MARK = "__hermes_inspector_kept__"
"""Marks the place of a value that JSON cannot hold and that therefore stays here."""

log = logging.getLogger(__name__)

_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from inspector.hermes_plugin.worker import main; main()"
)
_PAUSE = 60.0
"""Seconds before a failed worker is started again."""
_FIRST_ANSWER = 20.0
"""Extra seconds for the first answer, which includes loading the program."""


class WorkerLink:
    """One worker for all engines of this process; calls wait for each other."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._number = 0
        self._rest_until = 0.0
        self._warned = False

    def call(self, order: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        """Run something in the worker; None if there is no worker, or it failed or took too long."""
        with self._lock:
            if time.monotonic() < self._rest_until:
                return None
            try:
                fresh = self._ensure()
                return self._exchange(order, seconds + (_FIRST_ANSWER if fresh else 0.0))
            except (OSError, ValueError, TimeoutError, TypeError) as error:
                self._fail(error)
                return None

    def close(self) -> None:
        """End the worker."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        with suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        try:
            process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _ensure(self) -> bool:
        """Start a worker if none is running; after a fork, the child process starts its own."""
        if self._process is not None and self._owner == os.getpid() and self._process.poll() is None:
            return False
        self._drop()
        self._process = subprocess.Popen(
            [self._settings.python, "-c", _START, self._settings.root],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=own_environment(),
            start_new_session=True,
        )
        self._owner = os.getpid()
        self._lines = queue.SimpleQueue()
        threading.Thread(
            target=_pass_on, args=(self._process, self._lines), name="inspector-worker", daemon=True
        ).start()
        atexit.register(self.close)
        return True

    def _exchange(self, order: dict[str, Any], seconds: float) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdin is None:
            raise OSError("there is no worker")
        self._number += 1
        text = json.dumps({**order, "number": self._number})
        process.stdin.write(f"{text}\n".encode())
        process.stdin.flush()
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError(f"no answer within {seconds:g} s") from None
        if not line:
            raise OSError("the worker ended")
        answer = json.loads(line)
        if not isinstance(answer, dict) or answer.get("number") != self._number:
            raise ValueError("the worker answered something else")
        if "error" in answer:
            raise ValueError(str(answer["error"]))
        return answer

    def _drop(self) -> None:
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            _kill(process)

    def _fail(self, error: Exception) -> None:
        self._rest_until = time.monotonic() + _PAUSE
        self._drop()
        if not self._warned:
            self._warned = True
            log.warning("Hermes Inspector: its worker failed (%s); conversations are unchanged", error)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the worker and close its pipe; unsent data is lost."""
    with suppress(OSError):
        process.kill()
    process.wait()
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()


def _pass_on(process: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    stream = process.stdout
    if stream is not None:
        with suppress(OSError, ValueError):
            for line in stream:
                lines.put(line)
        with suppress(OSError):
            stream.close()
    lines.put(b"")


_LINKS: dict[str, WorkerLink] = {}


def link_for(settings: Settings) -> WorkerLink:
    """The link of this process."""
    return _LINKS.setdefault(settings.home, WorkerLink(settings))


def packed(rows: Rows) -> tuple[Rows, list[Any]]:
    """Rows in a form that JSON can hold, and the values left out of them."""
    aside: list[Any] = []
    return [_plain(row, aside) for row in rows], aside


def unpacked(answer: list[Any], rows: Rows, aside: list[Any]) -> Rows:
    """Restore the rows that a worker sent back: `{"row": i}` for a kept row, `{"new": row}` for any other."""
    return [rows[one["row"]] if "row" in one else _restored(one["new"], aside) for one in answer]


def _plain(row: dict[str, Any], aside: list[Any]) -> dict[str, Any]:
    try:
        json.dumps(row)
    except (TypeError, ValueError):
        return {str(key): _kept(value, aside) for key, value in row.items()}
    return row


def _kept(value: Any, aside: list[Any]) -> Any:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        aside.append(value)
        return {_MARK: len(aside) - 1}
    return value


def _restored(row: dict[str, Any], aside: list[Any]) -> dict[str, Any]:
    return {
        key: aside[value[_MARK]] if isinstance(value, dict) and _MARK in value else value
        for key, value in row.items()
    }
