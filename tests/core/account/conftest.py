from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from sample_sessions import build


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample sessions, built once."""
    return build(tmp_path_factory.mktemp("account"), now=datetime(2026, 11, 21, 18, 0, tzinfo=UTC))


@pytest.fixture(autouse=True)
def own_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the user's cache or configuration."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache-home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))
