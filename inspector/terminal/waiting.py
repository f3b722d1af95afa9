"""Progress on stderr while a command runs for more than a second, or a model writes the summary."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from core.compress.summarise.base import Cancelled, Endpoint, OnText

PATIENCE = 0.9
"""Seconds before progress is shown."""
_EVERY = 0.5
_WIPE = "\r\x1b[K"


class Waiting:
    """A line on a terminal's stderr that a thread keeps up to date until there is a result.

    It says what the command does until `say` says something more specific.
    """

    def __init__(self, stream: TextIO, what: str) -> None:
        self._stream, self._what, self._said = stream, what, ""
        self._began = time.monotonic()
        self._drawn = 0
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self.told = False

    def say(self, text: str) -> None:
        """Set what the command does now; empty restores the general text."""
        self._said = text

    def pause(self) -> None:
        """Remove the line; it comes back if the work continues."""
        with self._lock:
            self._wipe()

    def stop(self) -> None:
        """Remove the line for good."""
        self._done.set()
        self.pause()

    def seconds(self) -> float:
        """Seconds since the command began."""
        return time.monotonic() - self._began

    def _run(self) -> None:
        rest = PATIENCE
        while not self._done.wait(rest):
            rest = _EVERY
            with self._lock:
                if not self._done.is_set():
                    self._draw(self._said or self._what, f" · {self.seconds():.0f} s")

    def _draw(self, text: str, tail: str) -> None:
        self.told = True
        text = f"{text[: _columns() - len(tail) - 1]}{tail}"  # a wrapped line could not be wiped
        self._wipe()
        self._stream.write(text)
        self._stream.flush()
        self._drawn = len(text)

    def _wipe(self) -> None:
        if self._drawn:
            self._stream.write(f"\r{' ' * self._drawn}\r")
            self._stream.flush()
            self._drawn = 0


def _columns() -> int:
    try:
        return os.get_terminal_size(2).columns or 80
    except OSError:
        return 80


_now: Waiting | None = None


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show a progress line while the work within takes long, and its duration afterwards; only on a terminal.

    With `TEXTUAL_ANIMATIONS=none` nothing is drawn: a screen reader would read out every update of the line.
    """
    global _now
    still = os.environ.get("TEXTUAL_ANIMATIONS", "").lower() == "none"
    if still or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    _now = Waiting(sys.stderr, what)
    try:
        yield
    finally:
        _now.stop()
        if _now.told:
            sys.stdout.flush()
            sys.stderr.write(f"hermes-inspector: took {_now.seconds():.1f} s\n")
        _now = None


def say(text: str) -> None:
    """Set what the command does now."""
    if _now is not None:
        _now.say(text)


def pause() -> None:
    """Clear the progress line to make room for a message on stderr."""
    if _now is not None:
        _now.pause()


def stop() -> None:
    """End the progress line: a result, a question or another line of progress follows."""
    if _now is not None:
        _now.stop()


class Progress:
    """A progress line on a terminal with seconds and characters of a model's summary; silent elsewhere."""

    def __init__(self, endpoint: Endpoint | None) -> None:
        self._endpoint = endpoint
        self._shown = endpoint is not None and sys.stderr.isatty()
        self._began = self._told = time.monotonic()
        if self._shown:
            stop()
        self._characters = 0

    @property
    def on_text(self) -> OnText | None:
        """Callback for the summary as it streams in; None without a terminal."""
        return self._take if self._shown else None

    @property
    def cancelled(self) -> Cancelled | None:
        """Callback that is polled several times a second and updates the line; it never cancels."""
        return self._tick if self._shown else None

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            sys.stderr.write(_WIPE)
            sys.stderr.flush()

    def _take(self, text: str) -> None:
        from core.compress.summarise.base import RESTART

        self._characters = 0 if text == RESTART else self._characters + len(text)

    def _tick(self) -> bool:
        from inspector.terminal.text import clean_line

        now = time.monotonic()
        if self._endpoint is not None and now - self._told >= _EVERY:
            self._told = now
            written = f", {self._characters:,} characters so far" if self._characters else ""
            line = clean_line(f"{self._endpoint.model} is writing: {now - self._began:.0f} s{written}")
            sys.stderr.write(f"{_WIPE}{line}")
            sys.stderr.flush()
        return False


@contextmanager
def progress(endpoint: Endpoint | None) -> Iterator[Progress]:
    """Show a progress line while a summary is made."""
    line = Progress(endpoint)
    try:
        yield line
    finally:
        line.close()
