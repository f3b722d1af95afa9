"""A model as summariser, over the command line: agreement, price, and a server on this machine."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.inspector.cli.conftest import Cli

SLOW = "Why is the deploy slow"
HEADING = re.compile(r"^\s*(## [^\n:]+)", re.MULTILINE)


class _Server(BaseHTTPRequestHandler):
    """Answers every chat completion with the same summary."""

    asked: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(asked)
        # The headings a release wants are in the prompt; an answer without them is no summary.
        headings = dict.fromkeys(
            HEADING.findall("\n".join(message["content"] for message in asked["messages"]))
        )
        answer = "\n\n".join(f"{heading}\nThe cache was cold." for heading in headings)
        body = json.dumps(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": "local",
                "choices": [
                    {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}
                ],
                "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""


@pytest.fixture
def server() -> Iterator[str]:
    """The root of an OpenAI-compatible API on this machine."""
    _Server.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}/v1"
        listening.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's own keys are used by a test."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_a_server_on_this_machine_is_asked_at_once(home: Path, server: str, cli: Cli) -> None:
    words = ["compress", SLOW, "--summariser", "openai", "--base-url", server, "--model", "local", "--json"]
    found = cli(*words, "--home", home).json
    assert found["summariser"] == "openai"
    assert "The cache was cold." in found["summary"]
    assert found["price"]["prompt_tokens"] > 0
    assert len(_Server.asked) == 1
    used = {"model": "local", "input": 10, "cache_read": None, "cache_write": 0, "output": 5}
    assert {key: value for key, value in found["usage"].items() if key != "usd"} == used
    assert found["failure"] is None


def test_another_machine_is_not_asked_without_agreement(
    home: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    words = [
        "compress",
        SLOW,
        "--summariser",
        "anthropic",
        "--model",
        "claude-opus-4-5",
        "--api-key",
        "k-123",
    ]
    shown = cli(*words, "--home", home, code=2)
    assert shown.out == ""
    assert "api.anthropic.com" in shown.err
    assert "$" in shown.err
    assert "k-123" not in shown.err


def test_several_focuses_are_agreed_to_at_once(home: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setattr("sys.stdin", None)
    ask = ["compress", SLOW, "--summariser", "anthropic", "--model", "claude-opus-4-5", "--api-key", "k"]
    sizes = []
    for focuses in ([], ["--compare-focus", "deploy", "--compare-focus", "cache"]):
        question = cli(*ask, *focuses, "--home", home, code=2).err
        assert ("in 3 requests" in question) == bool(focuses)
        sizes.append(int(re.sub(r"\D", "", re.findall(r"~([\d,]+) tokens", question)[0])))
    assert sizes[1] > 2.9 * sizes[0]


def test_a_model_without_a_key_says_which_variable_to_set(home: Path, cli: Cli) -> None:
    words = ["compress", SLOW, "--summariser", "anthropic", "--model", "claude-opus-4-5"]
    assert "ANTHROPIC_API_KEY" in cli(*words, "--home", home, "--yes", code=4).err


def test_a_check_asks_again_only_where_something_is_unsupported(home: Path, server: str, cli: Cli) -> None:
    words = ["compress", SLOW, "--summariser", "openai", "--base-url", server, "--model", "local", "--check"]
    found = cli(*words, "--json", "--home", home).json
    assert found["summariser"] == "openai"
    assert found["retention"]["unsupported"] == []
    assert len(_Server.asked) in (1, 2)
    assert found["usage"]["output"] == 5 * len(_Server.asked)
    assert any("checked: " in note for note in found["notes"])


def test_a_check_says_the_price_of_both_requests_first(
    home: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    ask = ["compress", SLOW, "--summariser", "anthropic", "--model", "claude-opus-4-5", "--api-key", "k"]
    questions = [cli(*ask, *words, "--home", home, code=2).err for words in ([], ["--check"])]
    prices = [float(re.search(r"~\$([\d.]+)", question)[1]) for question in questions]  # type: ignore[index]
    assert prices[1] > prices[0]
    assert "in at most 2 requests" in questions[1]


def test_there_is_nothing_to_check_without_a_model(home: Path, cli: Cli) -> None:
    assert "--summariser" in cli("compress", SLOW, "--check", "--home", home, code=2).err


def test_what_an_applied_summary_used_stays_on_record(
    home: Path, tmp_path: Path, server: str, cli: Cli
) -> None:
    copy = tmp_path / "home"
    shutil.copytree(home, copy, ignore=shutil.ignore_patterns("state.db-*"))
    model = ["--summariser", "openai", "--base-url", server, "--model", "local"]
    writing = ["--apply", "--yes", "--force", "activity,writer"]
    cli("compress", SLOW, *model, *writing, "--home", copy)
    [entry] = cli("undo", "--list", "--json", "--home", copy).json["entries"]
    used = {"model": "local", "input": 10, "cache_read": None, "cache_write": 0, "output": 5}
    assert entry["usage"] == {**used, "usd": "0"}
    assert "written by local: 10 tokens in, 5 out, $0" in cli("undo", "--show", "--home", copy).out


def test_a_model_that_nobody_asks_is_noted(home: Path, cli: Cli) -> None:
    noted = cli("compress", SLOW, "--model", "opus", "--home", home).err
    assert "no model is asked: --summariser is extractive" in noted
