from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from inspector.cli.main import run

Json = Callable[..., Any]
Text = Callable[..., str]


@dataclass(frozen=True)
class Printed:
    """What a command printed."""

    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout."""
        return json.loads(self.out)


class Cli(Protocol):
    """Runs a command, expects an exit code (None: any), and returns what was printed since the last one."""

    def __call__(self, *words: object, code: int | None = 0) -> Printed: ...


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    def call(*words: object, code: int | None = 0) -> Printed:
        found = run([*map(str, words)])
        shown = Printed(*capsys.readouterr())
        assert code in (None, found), shown.err
        return shown

    return call


@pytest.fixture(scope="session")
def home(sample_home: Path) -> Path:
    """The home whose sessions the commands speak of."""
    return sample_home


@pytest.fixture
def as_json(home: Path, cli: Cli) -> Json:
    """Runs a command on the samples and reads the JSON it prints."""

    def call(*words: str) -> Any:
        shown = cli(*words, "--home", home, "--json")
        assert shown.err == ""
        return shown.json

    return call


@pytest.fixture
def as_text(home: Path, cli: Cli) -> Text:
    """Runs a command on the samples and returns what a person sees."""

    def call(*words: str) -> str:
        shown = cli(*words, "--home", home)
        assert shown.err == ""
        return shown.out

    return call
