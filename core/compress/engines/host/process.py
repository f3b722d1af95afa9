"""The child process of one engine: started, driven by JSON lines, limited, and killed with its children."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InspectorError

_START = Path(__file__).parent / "child" / "start.py"
_CHUNK = 1 << 16
_LOOK = 0.1
"""Seconds between two checks whether the user has cancelled."""
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TZ")
"""The environment variables passed on; any other may hold a key."""


class EngineFailed(InspectorError):  # noqa: N818 - an outcome, reported like any other error
    """An engine could not be loaded, hung, died, or answered with something unusable."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What an engine may use.

    Attributes:
        seconds: Elapsed seconds for one order.
        memory: Bytes of address space of each of its processes.
        output: Bytes of one answer.
    """

    seconds: float = 60.0
    memory: int = 1 << 30
    output: int = 64 << 20


Answer = Callable[[dict[str, Any]], str]
"""Answers an engine's call to a summary model; may raise an `InspectorError`."""


class EngineProcess:
    """The process of one engine, by default of our interpreter, with a private home it may write in.

    `answer` answers its model calls; `stop` returns whether the user has cancelled.
    """

    def __init__(
        self,
        python: Path | None,
        home: Path,
        name: str,
        answer: Answer,
        bounds: Bounds | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self._bounds = bounds or Bounds()
        self._stop = stop
        self._name = name
        self._answer = answer
        self._pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._rest = b""
        self._process = subprocess.Popen(
            [str(python or sys.executable), "-B", str(_START)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env=_environment(home),
            start_new_session=True,
        )
        threading.Thread(target=self._read, name=f"engine {name}", daemon=True).start()
        seconds = int(self._bounds.seconds * 4) + 1
        self._send({"folder": str(home), "memory": self._bounds.memory, "seconds": seconds, "path": []})

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def order(self, order: dict[str, Any]) -> dict[str, Any]:
        """Have the engine carry out one order.

        Raises:
            EngineFailed: It raised, hung, died or broke the protocol.
        """
        until = time.monotonic() + self._bounds.seconds
        self._send(order)
        while True:
            answer = self._line(until)
            if "ask" not in answer:
                break
            began = time.monotonic()
            self._send(self._answer_call(answer["ask"]))
            until += time.monotonic() - began  # a model's time does not count as the engine's
        if "error" in answer:
            raise self._failed(str(answer["error"]))
        return answer

    def close(self) -> None:
        """End the process and everything it started."""
        self._kill()
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.wait()

    def _answer_call(self, call: Any) -> dict[str, Any]:
        if not isinstance(call, dict) or not isinstance(call.get("messages"), list):
            return {"refused": "the call holds no messages"}
        try:
            return {"answer": self._answer(call)}
        except InspectorError as error:
            return {"refused": error.line}

    def _send(self, order: dict[str, Any]) -> None:
        stream = self._process.stdin
        if stream is None:
            raise self._failed("it has no pipe")
        try:
            stream.write(f"{json.dumps(order)}\n".encode())
            stream.flush()
        except OSError as error:
            raise self._failed(self._end()) from error

    def _read(self) -> None:
        """Pass on what the process writes; this thread ends with the pipe."""
        stream = self._process.stdout
        if stream is None:
            return
        while True:
            try:
                piece = os.read(stream.fileno(), _CHUNK)
            except (OSError, ValueError):
                piece = b""
            self._pieces.put(piece)
            if not piece:
                break
        with suppress(OSError):
            stream.close()

    def _line(self, until: float) -> dict[str, Any]:
        parts, size = [self._rest], len(self._rest)
        while b"\n" not in parts[-1]:
            piece = self._piece(until)
            if not piece:
                raise self._failed(self._end())
            parts.append(piece)
            size += len(piece)
            if size > self._bounds.output:
                self._kill()
                raise self._failed(f"it answered with more than {self._bounds.output:,} bytes")
        line, _, self._rest = b"".join(parts).partition(b"\n")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self._failed("it wrote garbage into the pipe of the host") from error
        if not isinstance(answer, dict):
            raise self._failed("it wrote garbage into the pipe of the host")
        return answer

    def _piece(self, until: float) -> bytes:
        """The next piece of output; empty at its end."""
        while True:
            left = until - time.monotonic()
            try:
                return self._pieces.get(timeout=max(0.0, min(left, _LOOK)))
            except queue.Empty:
                given_up = self._stop is not None and self._stop()
                if left > 0 and not given_up:
                    continue
            self._kill()
            late = f"it did not answer within {self._bounds.seconds:g} s"
            raise self._failed("it was given up" if given_up else late)

    def _end(self) -> str:
        """How the process ended, in words."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "it closed its pipe"
        if code < 0:
            names = {known.value: known.name for known in signal.Signals}  # those for real time have none
            return f"its process was killed ({names.get(-code, f'signal {-code}')})"
        return f"its process ended by itself (exit code {code})"

    def _kill(self) -> None:
        with suppress(OSError, AttributeError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(OSError):
            self._process.kill()

    def _failed(self, what: str) -> EngineFailed:
        return EngineFailed(" ".join(what.split()), where=f"engine {self._name}")


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return kept | {
        "HERMES_HOME": str(home),
        "HOME": str(home),
        "TMPDIR": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
        "NO_COLOR": "1",
    }
