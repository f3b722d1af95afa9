"""All that is said of a conversation: by commands, in reports, to agents, on screens."""

from __future__ import annotations

import html
from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from core.redact.known_values import KNOWN
from inspector.cli.engines import answers
from inspector.cli.engines.mcp import Answers
from inspector.cli.main import run

OF_ONE = (
    *("show {}", "show {} --full", "plan {}", "plan {} --pruned", "compress {}", "compress {} --diff"),
    *("why {}", "why {} --turns", "why {} --decisions", "why {} --what-if", "findings {}", "chain {}"),
    *("cache {}", "usage {}", "results {}", "results {} --check-files", "status {}"),
)
OF_ALL = (
    *("sessions", "sessions --all", "findings", "usage --by conversation", "usage --by session", "status"),
    *("search remember", "search step", "search error", "search deploy", "search did", "search rest"),
    *("search word", "doctor", "watch --once", "engines"),
)
REPORTS = ("md", "html", "json", "jsonl")


def printed(
    capsys: pytest.CaptureFixture[str], home: Path, lines: Iterable[str], *reported: str
) -> Iterator[tuple[str, str]]:
    """What commands print, for people and for scripts, and the reports of some sessions."""
    asked = [[*line.split(), *form] for line in lines for form in ((), ("--json",))]
    asked += [["export", one, "--format", form] for one in reported for form in REPORTS]
    for words in asked:
        KNOWN.forget()
        code = run([*words, "--home", str(home)])
        shown = capsys.readouterr()
        assert code in (0, 1), (words, shown.err)
        yield " ".join(words), shown.out + shown.err


def told(home: Path) -> dict[str, str]:
    """What an agent and a chat get about session `s1`."""
    args = Namespace(db=None, home=home, profile=None, session="s1")
    tools = Answers(args).tools.items()
    questions = ("why", "plan", "cost", "lost deploy")
    return {name: ask("deploy", "s1") if name == "recall" else ask("s1") for name, ask in tools} | {
        question: "\n".join(answers.answer(question.split(), args)) for question in questions
    }


def drawn(home: Path, screen: str, frame: Path) -> str:
    """The texts of a large frame of session `s1`."""
    words = ["--home", str(home), "--session", "s1", "--screen", screen, "--size", "160x60"]
    assert run([*words, "--screenshot", str(frame)]) == 0
    return html.unescape(frame.read_text()).replace("\xa0", " ")
