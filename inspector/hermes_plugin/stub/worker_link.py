"""The pipe to the worker: one JSON object a line each way, with a time limit; one that fails is let go."""

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
_MARK = "__hermes_inspector_kept__"
"""What JSON cannot hold stays here: this marks its place."""

log = logging.getLogger(__name__)

_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from inspector.hermes_plugin.worker import main; main()"
)
_PAUSE = 60.0
"""Seconds before a worker that failed is started again."""
_FIRST_ANSWER = 20.0
"""Seconds for the answer to the first call, which loads the program."""


class WorkerLink:
    """One worker for all engines of this process; calls wait for each other.

    Args:
        settings: Which interpreter, and how long a compaction may take.
    """

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
        """Have the worker do something.

        Returns:
            Its answer; None when there is no worker, or it failed or took too long.
        """
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
        """Start the worker where none runs; a fork's copy of this object starts one of its own."""
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
            _ended(process)

    def _fail(self, error: Exception) -> None:
        self._rest_until = time.monotonic() + _PAUSE
        self._drop()
        if not self._warned:
            self._warned = True
            log.warning("Hermes Inspector: its worker failed (%s); conversations stay as they are", error)


def _ended(process: subprocess.Popen[bytes]) -> None:
    """Kill it, and let go of its pipe; what was not yet sent is lost with it."""
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
    """The one link of this process."""
    return _LINKS.setdefault(settings.home, WorkerLink(settings))


def packed(rows: Rows) -> tuple[Rows, list[Any]]:
    """The rows as JSON can hold them, and the values that were left out."""
    aside: list[Any] = []
    return [_plain(row, aside) for row in rows], aside


def unpacked(answer: list[Any], rows: Rows, aside: list[Any]) -> Rows:
    """The rows a worker sent back.

    Args:
        answer: `{"row": i}` for a row that stays, `{"new": row}` for any other.
        rows: What was sent.
        aside: What was left out of it.
    """
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
