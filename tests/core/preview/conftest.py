"""Homes to preview compactions in, and compactions that happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.store.database.locate import Location
from tests.core.explain.conftest import make_home

__all__ = ["make_home"]


@pytest.fixture
def samples(sample_home: Path) -> Location:
    return Location(sample_home / "state.db", sample_home)
