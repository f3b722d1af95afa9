from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import run

Json = Callable[..., Any]
Text = Callable[..., str]


@pytest.fixture(scope="session")
def home(sample_home: Path) -> Path:
    """The home whose sessions the commands speak of."""
    return sample_home


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
