"""What every test uses: its own folders, and the sample sessions, built once."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

from core.redact.known_values import KNOWN
from sample_sessions.builder import build

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has what it starts behind it ignore this

# How long an example takes says how busy the machine is, not what is wrong.
settings.register_profile("new", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("new"), derandomize=True)
settings.load_profile("same")  # --hypothesis-profile=new draws other examples every time

NOW = datetime(2026, 11, 21, 18, 0, tzinfo=UTC)
"""The moment the sample sessions are built for."""


def pytest_collection_finish() -> None:
    """What was imported stays: the collector walks over it no more, a tenth of the time of all tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)  # as the command does


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample sessions as a HERMES_HOME. Not to be written to: a test that writes works on a copy."""
    return build(tmp_path_factory.mktemp("samples"), now=NOW)


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    """What a test or the command under test sets in the environment ends with the test."""
    with patch.dict(os.environ):
        yield


@pytest.fixture(autouse=True)
def own_folders(environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests out of the user's folders, the user's out of the tests, and temporary ones in sight."""
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    for variable in ("HOME", "TMPDIR"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for variable in ("HERMES_HOME", "COLUMNS", "LINES", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture(autouse=True)
def nothing_learned() -> Iterator[None]:
    """No test masks what another one's conversation gave away."""
    yield
    KNOWN.forget()


@pytest.fixture(autouse=True)
def busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A write is not refused for how long it took here: the machine may be busy with other tests."""
    monkeypatch.setattr("core.apply.checks.database.PAUSE_SECONDS", 60.0)
