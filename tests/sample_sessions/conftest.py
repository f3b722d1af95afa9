from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def home(sample_home: Path) -> Path:
    """The home under test."""
    return sample_home


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
