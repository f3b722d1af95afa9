"""What a terminal shows while a model writes the summary."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inspector.terminal import waiting

if TYPE_CHECKING:
    from core.compress.summarise.base import Cancelled, Endpoint, OnText

_EVERY = 0.5
_WIPE = "\r\x1b[K"


class Progress:
    """One line on a terminal that counts seconds and characters; silent elsewhere.

    Args:
        endpoint: Who is asked; None when nobody is.
    """

    def __init__(self, endpoint: Endpoint | None) -> None:
        self._endpoint = endpoint
        self._shown = endpoint is not None and sys.stderr.isatty()
        self._began = self._told = time.monotonic()
        if self._shown:
            waiting.stop()
        self._characters = 0

    @property
    def on_text(self) -> OnText | None:
        """Takes the summary as it arrives: so it is streamed; None where nobody watches."""
        return self._take if self._shown else None

    @property
    def cancelled(self) -> Cancelled | None:
        """Asked several times a second: the line is brought up to date then."""
        return self._tick if self._shown else None

    def close(self) -> None:
        """Leave an empty line behind."""
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
    """A line that counts while a summary is made."""
    line = Progress(endpoint)
    try:
        yield line
    finally:
        line.close()
