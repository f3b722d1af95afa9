"""`usage`: sums that equal plain SQL, the same total by every dimension, and no invented zero."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import ExitStack, closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from core.account.pricing.price_book import PriceBook
from core.account.spending.ledger import collect
from core.model.accounting.amounts import Buckets
from core.model.accounting.usage import RecordedUse
from core.store.database.locate import locate
from core.store.store import Store
from inspector.cli.main import run
from inspector.cli.money.usage import BY
from inspector.payloads import usage as usage_json
from tests.inspector.cli.conftest import Cli, Json, Text

BUCKETS = ("input", "cache_read", "cache_write", "output")


def _plain(home: Path) -> list[int]:
    """Main-loop and auxiliary tokens of all databases, added up by hand."""
    columns = ", ".join(f"sum({name}_tokens)" for name in BUCKETS)
    totals = [0] * len(BUCKETS)
    for path in home.rglob("state.db"):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            queries = [f"SELECT {columns} FROM sessions"]
            if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'session_model_usage'").fetchone():
                queries.append(f"SELECT {columns} FROM session_model_usage WHERE task <> ''")
            for query in queries:
                row = db.execute(query).fetchone()
                totals = [have + (more or 0) for have, more in zip(totals, row, strict=True)]
    return totals


@pytest.mark.parametrize("by", BY)
def test_every_dimension_adds_up_to_the_same_total_as_plain_sql(home: Path, as_json: Json, by: str) -> None:
    found = as_json("usage", "--by", by)
    assert found["by"] == by
    assert [found["totals"]["tokens"][name] for name in BUCKETS] == _plain(home)
    for name in BUCKETS:
        assert sum(row["tokens"][name] or 0 for row in found["rows"]) == found["totals"]["tokens"][name]


@pytest.mark.parametrize("prices", [None, PriceBook()], ids=["unpriced", "priced"])
@pytest.mark.parametrize("by", BY)
def test_a_document_written_row_by_row_is_the_one_made_of_the_ledger(
    home: Path, by: str, prices: PriceBook | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_json, "PIECE", 2)
    with ExitStack() as stack:
        opened = [stack.enter_context(Store(place)) for place in locate(home=home)]
        books = collect(opened, by=by, prices=prices)
    assert json.loads("".join(usage_json.document(books))) == usage_json.payload(books.ledger())


def test_the_keys_are_those_promised(as_json: Json) -> None:
    found = as_json("usage")
    assert set(found) >= {"by", "rows", "totals", "lower_bound", "notes"}
    for row in (*found["rows"], found["totals"]):
        assert set(row) >= {"key", "calls", "tokens", "cost", "hit_rate"}
        assert set(row["tokens"]) >= {*BUCKETS, "reasoning", "prompt", "total"}
        assert set(row["cost"]) >= {"recorded_usd", "computed_usd", "status", "price_source"}


def test_reasoning_is_never_added(as_json: Json) -> None:
    tokens = as_json("usage")["totals"]["tokens"]
    assert tokens["reasoning"] > 0
    assert tokens["total"] == tokens["prompt"] + tokens["output"]
    assert tokens["prompt"] == tokens["input"] + tokens["cache_read"] + tokens["cache_write"]


def test_an_unpriced_model_has_no_cost(as_json: Json, as_text: Text) -> None:
    rows = {row["key"]: row for row in as_json("usage", "--by", "model")["rows"]}
    cost = rows["nous/hermes-5-preview"]["cost"]
    assert cost["recorded_usd"] is None
    assert cost["computed_usd"] is None
    assert "$0.00" not in as_text("usage", "--by", "model")


def test_missing_usage_makes_a_lower_bound_of_every_sum_and_says_why(as_json: Json, as_text: Text) -> None:
    total = next(line for line in as_text("usage").splitlines() if line.startswith("total"))
    assert total.count("≥$") == 2
    found = as_json("usage")
    assert found["lower_bound"] is True
    assert any("no recorded usage" in note for note in found["notes"])


def test_auxiliary_calls_are_rows_of_their_own(as_json: Json) -> None:
    tasks = {row["task"] for row in as_json("usage", "--by", "model")["rows"]}
    assert tasks == {"", "compression"}


def test_what_has_no_title_goes_by_its_first_words_as_in_the_list(as_json: Json, as_text: Text) -> None:
    words = "Find outage reports about Celery"
    (untitled,) = (one for one in as_json("sessions")["sessions"] if (one["preview"] or "").startswith(words))
    assert any(line.startswith(words) for line in as_text("usage").splitlines())
    assert {one["label"] for one in as_json("usage")["rows"] if one["key"] == untitled["id"]} == {""}


def test_where_no_conversation_began_it_is_said_what_counts(as_text: Text) -> None:
    told = as_text("usage", "--since", "2099-01-01")
    assert "Nothing was spent." in told
    assert "Only conversations that began in that time count." in told


def test_one_conversation_can_be_asked_for(as_json: Json) -> None:
    rows = as_json("usage", "Port the parser to Rust", "--by", "session")["rows"]
    assert len({row["key"] for row in rows}) == 3


def test_prices_can_be_left_out(as_json: Json) -> None:
    totals = as_json("usage", "--no-prices")["totals"]
    assert totals["cost"]["computed_usd"] is None
    assert Decimal(totals["cost"]["recorded_usd"]) > 0


def test_a_spreadsheet_gets_the_same_numbers(home: Path, as_json: Json, cli: Cli) -> None:
    rows: list[dict[str, Any]] = list(
        csv.DictReader(io.StringIO(cli("usage", "--by", "model", "--csv", "--home", home).out))
    )
    found = as_json("usage", "--by", "model")
    assert [int(row["total"]) for row in rows] == [
        row["tokens"]["total"] for row in (*found["rows"], found["totals"])
    ]


def test_no_title_becomes_a_formula(home: Path, cli: Cli) -> None:
    cells = [
        cell for row in csv.reader(io.StringIO(cli("usage", "--csv", "--home", home).out)) for cell in row
    ]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


def test_json_and_csv_exclude_each_other(home: Path, cli: Cli) -> None:
    assert cli("usage", "--csv", "--json", "--home", home, code=2).err.count("\n") == 1


def test_a_budget_that_is_passed_is_exit_6_and_the_result_is_still_there(home: Path, cli: Cli) -> None:
    shown = cli("usage", "--budget", "1", "--home", home, code=6)
    assert "total" in shown.out
    assert "passed the budget of $1.00" in shown.err
    assert "within the budget" in cli("usage", "--budget", "$1,000", "--home", home).err


def test_logs_of_other_tools_are_added_up_like_a_database(tmp_path: Path, cli: Cli) -> None:
    log = tmp_path / "one.jsonl"
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 900}
    message = {"id": "m1", "model": "claude-opus-4-5", "stop_reason": "end_turn", "usage": usage}
    line = {"sessionId": "s1", "requestId": "r1", "timestamp": "2026-01-09T10:00:00Z", "message": message}
    log.write_text(f"{json.dumps(line)}\n" * 2)
    found = cli("usage", "--transcript", log, "--json").json
    assert [(row["key"], row["calls"], row["tokens"]["total"]) for row in found["rows"]] == [("s1", 1, 1020)]
    assert found["totals"]["cost"]["computed_usd"] == "0.00145"
    assert "s1" in cli("usage", "--transcript", log, "--budget", "0.001", code=6).out
    assert run(["usage", "latest", "--transcript", str(log)]) == 2
    assert "no such file" in cli("usage", "--transcript", tmp_path / "none.jsonl", code=3).err


def test_a_limit_leaves_out_the_cheapest_rows_and_no_total(as_json: Json, cli: Cli, home: Path) -> None:
    every, few = as_json("usage", "--sort", "cost"), as_json("usage", "--limit", "3")
    assert few["rows"] == every["rows"][:3]
    assert {**few, "rows": []} == {**every, "rows": []}
    table = list(csv.DictReader(io.StringIO(cli("usage", "--limit", "3", "--csv", "--home", home).out)))
    assert [row["key"] for row in table] == [*(row["key"] for row in few["rows"]), "total"]


def test_a_time_that_ends_before_it_begins_is_refused(home: Path, cli: Cli) -> None:
    time = ("--since", "2026-02-01", "--until", "2026-01-01")
    assert "--until comes before --since" in cli("usage", *time, "--home", home, code=2).err


def test_what_a_recorder_saw_is_told_in_any_order(as_json: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    use = RecordedUse(3, Buckets(input=5), {}, {}, {}, ())
    monkeypatch.setattr("inspector.cli.money.recorded_usage._recording", lambda args: use)
    asked = ("usage", "Refactor the auth module")
    assert as_json(*asked, "--sort", "name")["recorded"] == as_json(*asked)["recorded"]


def test_every_log_counts_once_however_the_option_is_given(tmp_path: Path, cli: Cli) -> None:
    files = []
    for name in ("s1", "s2", "s3"):
        usage = {"input_tokens": 100, "output_tokens": 20}
        message = {"id": f"m-{name}", "model": "claude-opus-4-5", "stop_reason": "end_turn", "usage": usage}
        at = "2026-01-09T10:00:00Z"
        line = {"sessionId": name, "requestId": f"r-{name}", "timestamp": at, "message": message}
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text(f"{json.dumps(line)}\n")
    one, two, three = map(str, files)
    given = ["--transcript", one, "--transcript", two, three, "--transcript", one]
    found = cli("usage", *given, "--json").json
    assert sorted(row["key"] for row in found["rows"]) == ["s1", "s2", "s3"]
    assert found["totals"]["calls"] == 3


def test_a_hit_rate_that_counts_summaries_says_what_it_is_without_them_as_cache_does(
    sample_home: Path, cli: Cli
) -> None:
    where = ("Refactor the auth module", "--home", str(sample_home))
    told, cached = cli("usage", *where).out, cli("cache", *where).out
    assert "97% of all prompt tokens were cached" in cached
    assert "note: cache hit 96%, 97% without summaries" in told
    assert (
        "cache hit 9" not in cli("usage", "Split the tenant settings table", "--home", str(sample_home)).out
    )
