from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import run
from sample_sessions import build

NOW = datetime(2026, 11, 21, 18, 0, tzinfo=UTC)
Json = Callable[..., Any]
Text = Callable[..., str]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample sessions, built once for all tests."""
    return build(tmp_path_factory.mktemp("samples"), now=NOW)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests out of the user's folders, and the user's out of the tests."""
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("HERMES_HOME", raising=False)


@pytest.fixture
def as_json(home: Path, capsys: pytest.CaptureFixture[str]) -> Json:
    """Runs a command on the samples and reads the JSON it prints."""

    def call(*words: str) -> Any:
        assert run([*words, "--home", str(home), "--json"]) == 0
        shown = capsys.readouterr()
        assert shown.err == ""
        return json.loads(shown.out)

    return call


@pytest.fixture
def as_text(home: Path, capsys: pytest.CaptureFixture[str]) -> Text:
    """Runs a command on the samples and returns what a person sees."""

    def call(*words: str) -> str:
        assert run([*words, "--home", str(home)]) == 0
        shown = capsys.readouterr()
        assert shown.err == ""
        return shown.out

    return call
