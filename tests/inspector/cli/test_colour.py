"""Colour is for terminals: what decides it, what is coloured, and that no text can bring its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inspector.terminal.ink import Ink, inked, joined, printed
from inspector.terminal.stdout import is_coloured
from tests.inspector.cli.conftest import Cli

CODE = re.compile(r"\x1b\[([0-9;]*)m")
AUTH = "Refactor the auth module"


@pytest.fixture(autouse=True)
def no_wishes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "COLORTERM", "TEXTUAL_COLOR_SYSTEM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize(
    ("terminal", "environment", "coloured"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (True, {"TERM": "vt100"}, False),
        (True, {"TERM": "vt220-w"}, False),
        (True, {"TERM": "vt100", "COLORTERM": "truecolor"}, True),
        (True, {"TERM": "vt100", "FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "1"}, True),
        (True, {"FORCE_COLOR": "0"}, False),
        (True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_who_decides_on_colour(
    terminal: bool, environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert is_coloured() is coloured


def test_the_worst_is_red_and_the_text_is_the_same_without_colour(
    sample_home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (["findings"], ["why", AUTH], ["usage"], ["cache", AUTH], ["sessions"]):
        plain = cli(*words, "--home", sample_home).out
        assert CODE.search(plain) is None
        monkeypatch.setenv("FORCE_COLOR", "1")
        coloured = cli(*words, "--home", sample_home).out
        monkeypatch.delenv("FORCE_COLOR")
        # Findings alike in weight come in the order in which they are found.
        assert sorted(CODE.sub("", coloured).splitlines()) == sorted(plain.splitlines())
        assert CODE.search(coloured) is not None
        if words == ["findings"]:
            assert "\x1b[1;31m■ " in coloured


def test_json_is_never_coloured(sample_home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in cli("why", AUTH, "--json", "--home", sample_home).out


def test_a_coloured_text_brings_no_code_of_its_own_and_keeps_its_credentials_masked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    secret = "sk-ant-api03-" + "aB3" * 30
    line = joined(inked("\x1b[31mred", Ink.STRONG), " ", inked(secret[:40], Ink.MUTED), secret[40:])
    [shown] = printed([line])
    assert "\x1b[31m" not in shown
    assert secret[20:40] not in CODE.sub("", shown)


def test_a_colour_continues_over_a_line_break(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    rows = list(printed([inked("twelve letters and some more of them", Ink.CRITICAL)]))
    assert len(rows) > 1
    assert all(row.lstrip(" ").startswith("\x1b[1;31m") and row.endswith("\x1b[0m") for row in rows)
