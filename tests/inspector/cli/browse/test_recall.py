"""`recall` finds what compactions took out of a conversation."""

from __future__ import annotations

from tests.inspector.cli.conftest import Json, Text

QUEUE = "Queue incident of Tuesday"


def test_hits_name_row_generation_and_a_line(as_json: Json) -> None:
    found = as_json("recall", QUEUE, "error", "failed", "--limit", "3")
    assert found["query"] == "error failed"
    assert 0 < len(found["hits"]) <= 3
    first = found["hits"][0]
    assert first["row"] > 0
    assert first["generation"] >= 1
    assert not first["live"]
    assert first["excerpt"]


def test_live_messages_are_found_when_asked_for(as_json: Json) -> None:
    gone = as_json("recall", QUEUE, "error", "--limit", "500")["hits"]
    everything = as_json("recall", QUEUE, "error", "--all", "--limit", "500")["hits"]
    assert len(everything) >= len(gone)
    assert all(not hit["live"] for hit in gone)


def test_what_nobody_said_is_stated_to_be_missing(as_text: Text) -> None:
    nothing = as_text("recall", QUEUE, "zeppelinschlepper")
    assert "0 messages" in nothing
    assert "Try other words, or --all" in nothing
    assert "--all" not in as_text("recall", QUEUE, "zeppelinschlepper", "--all")


def test_of_all_messages_each_is_said_to_be_live_or_dropped(as_json: Json, as_text: Text) -> None:
    asked = ("recall", QUEUE, "error", "--limit", "500")
    assert "that a compaction removed" in as_text(*asked)
    shown = as_text(*asked, "--all")
    assert "that a compaction removed" not in shown
    live = sum(hit["live"] for hit in as_json(*asked, "--all")["hits"])
    assert 0 < live == sum(" live " in line for line in shown.splitlines())
