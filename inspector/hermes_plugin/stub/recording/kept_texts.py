"""Keeps texts of requests, if wanted: a worker masks them and writes those missing from the database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..settings import Settings
from ..worker_link import WorkerLink

_SECONDS = 30.0
_MAX_BATCH_BYTES = 1 << 20
"""Most characters sent at once."""
_MAX_WAITING = 4096
Text = tuple[str, str, str, str]
"""A text's name, session, role and content."""


class TextKeeper:
    """Offers texts by name to a worker, and sends those it wants.

    Texts wait until a worker takes them; nothing is written before a worker has masked it.
    """

    def __init__(self, settings: Settings, home: str) -> None:
        self._link, self._home = WorkerLink(settings), home
        self._state = settings.state
        self._waiting: dict[str, Text] = {}
        self._asked = False

    def keep(self, texts: Sequence[Text]) -> bool:
        """Keep texts that are missing from Hermes' database; returns whether this started the worker."""
        self._waiting.update((text[0], text) for text in texts)
        if len(self._waiting) > _MAX_WAITING:
            self._waiting.clear()
        if not self._waiting:
            return False
        first, self._asked = not self._asked, True
        offered = [(name, session) for name, session, _, _ in self._waiting.values()]
        answer = self._ask(do="wanted", names=offered)
        if answer is None:
            return first
        wanted = [self._waiting[name] for name in answer["names"] if name in self._waiting]
        if all(self._ask(do="keep", texts=some) is not None for some in _groups(wanted)):
            self._waiting.clear()
        return first

    def _ask(self, **order: Any) -> dict[str, Any] | None:
        return self._link.call({**order, "home": self._home, "state": self._state}, _SECONDS)


def _groups(texts: Sequence[Text]) -> Iterator[list[Text]]:
    group: list[Text] = []
    size = 0
    for text in texts:
        group.append(text)
        size += len(text[3])
        if size >= _MAX_BATCH_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group
