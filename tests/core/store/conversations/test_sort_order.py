"""Where a list of several databases puts a row."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from core.store.conversations.sort_order import place


def _titled(title: str | None) -> Any:
    return SimpleNamespace(title=title, tip=SimpleNamespace(model=None, source=None))


def test_texts_go_upwards_whatever_their_case_and_rows_without_one_come_last() -> None:
    titles = [None, "beta", "", "Alpha", "Gamma"]
    told = sorted(titles, key=lambda title: place("title", _titled(title)))
    assert told == ["Alpha", "beta", "Gamma", None, ""]
