"""`cache` and `reconcile`: the keys promised, the samples' breaks, and markers of any list."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from core.model.accounting.amounts import Buckets
from core.model.accounting.usage import RecordedUse
from inspector.cli.main import run
from inspector.cli.money.cache_text import recorded_lines
from tests.inspector.cli.conftest import Cli, Json, Text

AUTH = "Refactor the auth module"


@pytest.fixture
def messages(tmp_path: Path) -> str:
    listed: list[dict[str, Any]] = [{"role": "system", "content": "You are careful."}]
    listed += [
        {"role": "user" if index % 2 == 0 else "assistant", "content": f"message {index}"}
        for index in range(9)
    ]
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(listed))
    return str(path)


def _cache(cli: Cli, *words: str) -> Any:
    return cli("cache", *words, "--json").json


def test_a_conversations_cache_has_every_key_promised(as_json: Json) -> None:
    found = as_json("cache", AUTH)
    assert set(found) >= {"strategy", "layout", "ttl", "breakpoints", "calls", "breaks", "advice"}
    assert all(set(call) >= {"at", "prompt", "cache_read", "hit_rate"} for call in found["calls"])
    assert all(set(one) >= {"at", "cause", "tokens_lost", "cost_usd", "evidence"} for one in found["breaks"])
    assert found["strategy"] == "system_and_3"
    assert found["advice"]["current"] == found["ttl"]


def test_a_spreadsheet_gets_every_call_and_the_break_it_met(home: Path, as_json: Json, cli: Cli) -> None:
    rows = list(csv.DictReader(io.StringIO(cli("cache", AUTH, "--csv", "--home", home).out)))
    found = as_json("cache", AUTH)
    assert [int(row["cache_read"]) for row in rows] == [call["cache_read"] for call in found["calls"]]
    assert [row["break"] for row in rows if row["break"]] == [one["cause"] for one in found["breaks"]]


def test_the_markers_of_a_list_are_a_table_too(messages: str, cli: Cli) -> None:
    rows = list(csv.DictReader(io.StringIO(cli("cache", "--messages", messages, "--csv").out)))
    assert [int(row["index"]) for row in rows] == _cache(cli, "--messages", messages)["breakpoints"]
    assert run(["cache", "--messages", messages, "--csv", "--json"]) == 2


def test_every_compaction_breaks_the_cache(as_json: Json) -> None:
    causes = [one["cause"] for one in as_json("cache", AUTH)["breaks"]]
    assert causes.count("compaction") == 2
    assert "ttl_expired" in causes


def test_people_read_causes_and_prices(as_text: Text) -> None:
    shown = as_text("cache", AUTH)
    assert "compaction" in shown
    assert "$" in shown
    assert "agent.log:" in shown


def test_costs_can_be_left_out(as_json: Json) -> None:
    assert {one["cost_usd"] for one in as_json("cache", AUTH, "--no-prices")["breaks"]} == {None}


def test_a_list_carries_at_most_four_markers(messages: str, cli: Cli) -> None:
    found = _cache(cli, "--messages", messages, "--release", "0.19", "--layout", "native")
    assert found["breakpoints"] == [0, 7, 8, 9]
    assert found["layout"] == "native"
    assert [marker["ttl"] for marker in found["markers"]] == ["5m"] * 4
    assert _cache(cli, "--messages", messages, "--layout", "none")["breakpoints"] == []
    hour = _cache(cli, "--messages", messages, "--layout", "envelope", "--ttl", "1h")
    assert {marker["ttl"] for marker in hour["markers"]} == {"1h"}


@pytest.mark.parametrize("words", [[], ["latest", "--layout", "native"], ["latest", "--messages", "x.json"]])
def test_what_excludes_each_other_is_refused(words: list[str], home: Path, cli: Cli) -> None:
    cli("cache", *words, "--home", home, code=2)


def test_an_export_is_matched_by_day_and_model(
    home: Path, tmp_path: Path, as_json: Json, as_text: Text, cli: Cli
) -> None:
    day = next(row["key"] for row in as_json("usage", "--by", "day")["rows"])
    export = tmp_path / "activity.csv"
    export.write_text(
        "date,model_permaslug,provider_name,usage,requests,prompt_tokens,completion_tokens,reasoning_tokens\n"
        f"{day},anthropic/claude-haiku-4-5,Anthropic,0.01,4,27939,189,0\n"
    )
    found = as_json("reconcile", str(export))
    assert set(found) >= {"mapping", "rows", "covered", "holes", "skipped"}
    assert {row["day"] for row in found["rows"]} == {day}
    assert "provider's tokens" in as_text("reconcile", str(export))
    assert cli("reconcile", export, "--csv", "--home", home).out.startswith("day,model,verdict,")


def test_a_file_of_another_kind_is_refused(home: Path, tmp_path: Path, cli: Cli) -> None:
    other = tmp_path / "other.csv"
    other.write_text("colour,size\nred,3\n")
    assert run(["reconcile", str(other), "--home", str(home)]) == 2
    assert cli("reconcile", tmp_path / "none.csv", "--home", home, code=3).err.count("\n") == 2


def test_an_export_may_come_through_a_pipe(home: Path, cli: Cli) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"day,model,in,out\n2026-01-01,gpt-5,90,10\n")
    os.close(writer)
    named = ("--columns", "day=day,model=model,input=in,output=out", "--home", home)
    assert "2026-01-01" in cli("reconcile", f"/dev/fd/{reader}", *named).out
    os.close(reader)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"system": 10, "tools": 30, "user": 60}, "tools 30%, user 60%"),
        ({"system": 10, "user": 60}, "; tools not recorded completely"),
        ({"user": 60}, "; system and tools not recorded completely"),
        ({}, "this proves usage, but no break"),
    ],
)
def test_what_a_recorder_was_not_shown_is_stated(parts: dict[str, int], said: str) -> None:
    use = RecordedUse(1, Buckets(input=10), {}, parts, {}, ())
    assert list(recorded_lines(use))[-1].endswith(said)
