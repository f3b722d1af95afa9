"""`explain-error`: our reading and each release's, for people and for scripts."""

from __future__ import annotations

import io
import json

import pytest

from core.hermes.policy.policy import releases
from tests.inspector.cli.conftest import Cli

TEXT = (
    "This model's maximum context length is 8192 tokens. However, you requested 8256 tokens "
    "(64 in the messages, 8192 in the completion). Please reduce the length of the messages or completion."
)


def test_json_holds_our_reading_and_that_of_every_release(cli: Cli) -> None:
    found = cli("explain-error", TEXT, "--status", "400", "--provider", "openai", "--json").json
    assert found["meaning"]["class"] == "output_cap"
    assert (found["meaning"]["limit"], found["meaning"]["available"]) == (8192, 8128)
    assert tuple(found["releases"]) == releases()
    assert found["releases"]["0.13"]["action"] == "compress"
    assert found["releases"]["0.22"]["action"] == "reduce_output"
    assert found["headline"]
    assert found["remedy"]


def test_the_text_may_come_from_standard_input(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(TEXT))
    shown = cli("explain-error", "-", "--release", "0.19").out
    assert "output_cap: " in shown
    assert "0.19" in shown
    assert "0.13" not in shown


def test_standard_input_may_be_closed_or_hold_bytes_of_no_text(
    monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff " + TEXT.encode()), "utf-8"))
    assert "output_cap: " in cli("explain-error", "-").out
    monkeypatch.setattr("sys.stdin", None)
    assert "there is no text" in cli("explain-error", "-", code=2).err


def test_a_body_counts_more_than_the_text(cli: Cli) -> None:
    body = json.dumps({"error": {"message": "x", "n_prompt_tokens": 14429, "n_ctx": 8192}})
    assert (
        cli("explain-error", "x", "--status", "400", "--body", body, "--json").json["meaning"]["limit"]
        == 8192
    )


def test_no_text_is_a_usage_error(cli: Cli) -> None:
    assert cli("explain-error", " ", code=2).err.count("\n") == 1


def test_a_key_in_the_text_is_not_printed(cli: Cli) -> None:
    key = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"
    assert key not in cli("explain-error", f"Incorrect API key provided: {key}.", "--status", "401").out


def test_the_same_failure_of_a_summary_call_is_followed_too(cli: Cli) -> None:
    found = cli("explain-error", "Request timed out", "--json").json["summary_call"]
    assert found["0.13"] == {"asks_main_model": True, "pause": 30, "auth": None, "network": None}
    assert found["0.22"] == {"asks_main_model": True, "pause": 60, "auth": False, "network": True}


def test_what_the_first_line_says_is_not_said_again(cli: Cli) -> None:
    shown = cli("explain-error", "Error code: 413 - request too large").out
    assert shown.count("too large in bytes") == 1
    assert "class: payload" in shown
