"""`compress`: what is promised of a preview, whatever writes the summary; and that nothing is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import run
from tests.inspector.cli.conftest import Cli, Json, Text

SLOW = "Why is the deploy slow"
KEYS = {
    "plan", "focus", "summariser", "summary", "after", "before_tokens", "after_tokens", "feedback",
    "notes", "retention", "price", "applied", "undo_id", "headline", "remedy", "saves_usd",
}  # fmt: skip


def test_a_preview_has_every_key_promised(as_json: Json) -> None:
    found = as_json("compress", SLOW)
    assert set(found) >= KEYS
    assert set(found["feedback"]) >= {"noop", "aborted", "fallback_used", "headline", "token_line", "note"}
    assert found["feedback"]["remedy"] == found["remedy"]
    assert found["headline"] != found["feedback"]["headline"]
    assert set(found["price"]) >= {"prompt_tokens", "summary_tokens", "usd"}
    assert found["price"]["usd"] == "0"
    assert found["applied"] is False
    assert found["undo_id"] is None


def test_head_and_tail_stay_and_the_middle_becomes_one_message(as_json: Json) -> None:
    found = as_json("compress", SLOW)
    generation = as_json("show", SLOW, "--generation", "last")["generations"][0]
    before = [message["message"] for message in generation["messages"]]
    head, tail = found["plan"]["head"][1], found["plan"]["tail"]
    after = found["after"]
    assert found["summary_index"] == head
    assert [message["role"] for message in after[:head]] == [message["role"] for message in before[:head]]
    assert after[-1] == before[-1]
    assert len(after) <= head + 1 + tail[1] - tail[0]
    assert found["after_tokens"] < found["before_tokens"]


def test_a_summary_from_a_file_is_used_as_it_is(as_json: Json, tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("## Goal\nShip the parser before Friday.\n")
    found = as_json("compress", SLOW, "--summary-file", str(path))
    assert "Ship the parser before Friday." in found["summary"]
    assert "Ship the parser before Friday." in json.dumps(found["after"][found["summary_index"]])


def test_an_empty_summary_file_is_refused(home: Path, tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "empty.md"
    path.write_text(" \n")
    assert run(["compress", SLOW, "--home", str(home), "--summary-file", str(path)]) == 2
    cli("compress", SLOW, "--home", home, "--summary-file", tmp_path / "none", code=3)


def test_the_fallback_can_be_seen_beforehand(as_json: Json) -> None:
    found = as_json("compress", SLOW, "--summariser", "static")
    assert found["summariser"] == "static"
    assert found["feedback"]["fallback_used"] is True


def test_a_focus_is_counted_apart(as_json: Json) -> None:
    found = as_json("compress", SLOW, "--focus", "deploy")
    assert found["focus"] == "deploy"
    assert set(found["retention"]) >= {"anchors", "focus", "score"}


def test_focuses_are_compared_with_none(as_json: Json, as_text: Text) -> None:
    words = ("compress", SLOW, "--compare-focus", "deploy", "--compare-focus", "cache")
    assert [column["focus"] for column in as_json(*words)["compare"]] == [None, "deploy", "cache"]
    assert as_text(*words).count("\n") == 4


def test_what_cannot_be_compressed_says_that_nothing_changes(tmp_path: Path, cli: Cli) -> None:
    messages = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    path = tmp_path / "two.json"
    path.write_text(json.dumps(messages))
    found: dict[str, Any] = cli("compress", "--messages", path, "--window", "200000", "--json").json
    assert found["feedback"]["noop"] is True
    assert found["after"] == messages
    assert found["summary"] is None


def test_a_diff_shows_what_goes_and_what_comes(as_text: Text) -> None:
    shown = as_text("compress", SLOW, "--diff")
    assert shown.startswith("--- before\n+++ after\n")
    assert "\n-" in shown
    assert "\n+" in shown


def test_a_credential_is_masked_for_people(tmp_path: Path, cli: Cli) -> None:
    secret = "sk-ant-api03-" + "Zk3" * 30
    messages = [
        {
            "role": "user" if index % 2 == 0 else "assistant",
            "content": f"{index} key {secret} " + "x " * 2_000,
        }
        for index in range(80)
    ]
    path = tmp_path / "secret.json"
    path.write_text(json.dumps(messages))
    for extra in ([], ["--diff"]):
        assert secret not in cli("compress", "--messages", path, "--window", "64000", *extra).out
    assert secret not in cli("compress", "--messages", path, "--window", "64000", "--json").json["summary"]


def test_the_same_options_as_plan_give_the_same_plan(as_json: Json) -> None:
    options = ("--window", "100000", "--release", "0.16", "--warm")
    plan, preview = as_json("plan", SLOW, *options), as_json("compress", SLOW, *options)
    assert preview["plan"].items() <= plan.items()


@pytest.mark.parametrize(
    "session",
    [
        pytest.param("Sort the photo archive", id="figures in front of paths"),
        pytest.param("Read for the thesis", id="rules whose end is cut off"),
    ],
)
def test_what_a_placeholder_quotes_claims_nothing(as_json: Json, session: str) -> None:
    assert as_json("compress", session, "--summariser", "static")["retention"]["unsupported"] == []
