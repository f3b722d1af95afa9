"""Where a list of several databases puts a row."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from core.store.conversations.sort_order import place

ROW: Any = SimpleNamespace(model=None, source=None, tokens=SimpleNamespace())


def test_texts_go_upwards_whatever_their_case_and_rows_without_one_come_last() -> None:
    titles = [None, "beta", "", "Alpha", "Gamma"]
    told = sorted(titles, key=lambda title: place("title", title, ROW, ROW))
    assert told == ["Alpha", "beta", "Gamma", None, ""]
