from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.store.store import Store
from tests.core.store.database import SessionDatabase


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., SessionDatabase]]:
    """Makes databases of a release; closes them at the end."""
    made: list[SessionDatabase] = []

    def build(release: str = "0.19", name: str = "state.db") -> SessionDatabase:
        made.append(SessionDatabase(tmp_path / name, release))
        return made[-1]

    yield build
    for database in made:
        database.connection.close()


@pytest.fixture
def opened() -> Iterator[Callable[[SessionDatabase | Path], Store]]:
    """Opens stores; closes them at the end."""
    stores: list[Store] = []

    def open_store(database: SessionDatabase | Path) -> Store:
        stores.append(Store(database if isinstance(database, Path) else database.path))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()
