"""Databases that accounting tests write and read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.core.account.homes import Book


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path / "state.db")


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack
