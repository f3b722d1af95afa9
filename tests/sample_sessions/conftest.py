from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sample_sessions import build

NOW = datetime(2026, 11, 21, 18, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample sessions, built once for all tests."""
    return build(tmp_path_factory.mktemp("samples"), now=NOW)


@pytest.fixture(params=["state.db", "profiles/work/state.db"])
def database(home: Path, request: pytest.FixtureRequest) -> Iterator[sqlite3.Connection]:
    """Each database of the samples."""
    with closing(sqlite3.connect(f"file:{home / request.param}?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        yield db


@pytest.fixture
def state(home: Path) -> Iterator[sqlite3.Connection]:
    """The database of the default profile."""
    with closing(sqlite3.connect(f"file:{home / 'state.db'}?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        yield db
