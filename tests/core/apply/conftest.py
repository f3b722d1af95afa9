from __future__ import annotations

from pathlib import Path

import pytest

from core.apply.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state" / "journal.db")
