"""`why`: the keys promised, and the samples' compactions told as they were played."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.cli.main import run
from tests.inspector.cli.conftest import Json, Text

EVENT = {
    "session", "mode", "at", "generation", "trigger", "verdict", "tokens", "threshold", "window",
    "messages_before", "messages_after", "tokens_after", "focus", "summary", "evidence", "explanation",
}  # fmt: skip


def test_every_compaction_of_a_conversation_is_told_in_order(as_json: Json) -> None:
    why = as_json("why", "Refactor the auth module")
    assert len(why["events"]) == 2
    assert all(set(event) >= EVENT for event in why["events"])
    assert [event["mode"] for event in why["events"]] == ["in_place", "in_place"]
    assert [event["at"] for event in why["events"]] == sorted(event["at"] for event in why["events"])
    assert all(event["evidence"] for event in why["events"])


def test_the_release_and_the_present_are_there(as_json: Json) -> None:
    why = as_json("why", "Refactor the auth module")
    assert why["release"]["detected"] == "0.19"
    assert isinstance(why["release"]["evidence"], str)
    assert set(why["now"]) >= {"tokens", "threshold", "window", "blocked_by", "headroom"}
    now = why["now"]
    assert now["headroom"] == now["threshold"] - now["tokens"]


def test_a_conversation_never_compacted_has_no_events(as_json: Json) -> None:
    assert as_json("why", "Rename the CLI flag")["events"] == []


def test_people_read_one_sentence_and_a_verdict(as_text: Text) -> None:
    shown = as_text("why", "Refactor the auth module")
    assert "[proved]" in shown
    assert "agent.log:" in shown


def test_an_unknown_session_is_exit_3(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", "nobody", "--home", str(home)]) == 3
    assert capsys.readouterr().err.count("\n") == 1
