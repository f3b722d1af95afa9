"""What the map reads in the background leaves nothing open behind it."""

from __future__ import annotations

from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.screens.workspace.map import work
from tests.core.compress.builders import user


def test_a_count_that_is_cancelled_closes_what_it_read_in_its_own_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = []

    def texts(*_args: Any) -> Generator[Any, None, None]:
        try:
            for number in range(100_000):
                yield user(f"message {number}")
        finally:
            closed.append(True)

    still_held = texts()
    monkeypatch.setattr(work, "texts_of", lambda *_args: still_held)
    reading: Any = SimpleNamespace(context=SimpleNamespace(settings=SimpleNamespace(model="gpt-4o")))
    location: Any = None
    asked = iter((False, True))
    assert work.count_tokens(location, reading, lambda: next(asked, True)) is None
    assert closed == [True]
