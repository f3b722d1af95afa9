"""Lists can be cut short and put in another order, for people and for scripts alike."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from core.model.transcript.session import Session
from inspector.cli.main import run
from inspector.payloads.values import session_cost
from tests.core.account.homes import Book, tokens
from tests.inspector.cli.conftest import Json, Text

LONG = "Webhooks are delivered twice"
AUTH = "Refactor the auth module"


def test_the_worst_findings_come_first_and_the_rest_is_counted(as_json: Json, as_text: Text) -> None:
    every = as_json("findings")["findings"]
    assert as_json("findings", "--limit", "3")["findings"] == every[:3]
    assert f"the worst 3 of {len(every)}" in as_text("findings", "--limit", "3")


def test_results_come_in_the_order_asked_for(as_json: Json, as_text: Text) -> None:
    found = as_json("results", LONG, "--sort", "tokens", "--limit", "4")["results"]
    sizes = [one["tokens"] for one in found]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 4
    rows = [one["row"] for one in as_json("results", LONG, "--sort", "row")["results"]]
    assert rows == sorted(rows)
    assert f"2 of {len(rows)} results" in as_text("results", LONG, "--limit", "2")


def test_the_newest_turns_are_kept(as_json: Json) -> None:
    every = as_json("why", AUTH, "--turns")["turns"]
    assert as_json("why", AUTH, "--turns", "--limit", "2")["turns"] == every[-2:]


def test_what_a_conversation_cost_is_one_number(as_json: Json, as_text: Text) -> None:
    """In the list, in usage with its summary's call, and in the chain."""
    listed = next(one for one in as_json("sessions")["sessions"] if one["title"] == AUTH)["cost"]
    rows = as_json("usage", "--by", "conversation")["rows"]
    main = next(row for row in rows if row["label"] == AUTH and not row["task"])["cost"]
    assert (main["usd"], main["auxiliary_usd"]) == (listed["usd"], listed["auxiliary_usd"])
    assert main["usd"] != main["recorded_usd"]
    (node,) = (one for one in as_json("chain", AUTH)["nodes"] if one["title"] == AUTH)
    assert node["cost"]["usd"] == listed["usd"]
    printed = f"${float(listed['usd']):.2f}"
    for words in (("usage", "--by", "session"), ("usage", AUTH), ("chain", AUTH), ("sessions",)):
        assert printed in as_text(*words), words


@pytest.mark.parametrize(("stored", "told"), [("0", None), ("0.25", "0.25")])
def test_side_tasks_that_hermes_did_not_price_are_not_reported_as_free(stored: str, told: str | None) -> None:
    """Run with 0.19.0: it books summaries on provider `auto`, for which it has no price, and stores 0."""
    session = Session("s", Path("state.db"), auxiliary_usd=Decimal(stored))
    assert session_cost(session)["auxiliary_usd"] == told


@pytest.mark.parametrize(
    ("url", "cost"), [("https://api.anthropic.com", "≥$0.75"), ("http://localhost:8080/v1", "$0.75")]
)
def test_a_list_gives_a_lower_bound_where_a_side_task_has_no_price_as_usage_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], url: str, cost: str
) -> None:
    book = Book(tmp_path / "state.db")
    book.session("s", model="claude-opus-4-5", estimated_cost_usd=0.75, **tokens(1000, calls=3))
    counted = tokens(1000, calls=3)
    book.usage("s", "claude-opus-4-5", billing_provider="anthropic", estimated_cost_usd=0.75, **counted)
    free = {"billing_provider": "auto", "billing_base_url": url, "estimated_cost_usd": 0.0}
    book.usage("s", "claude-opus-4-5", "compression", **free, **tokens(500))
    for command in ("sessions", "usage"):
        assert run([command, "--db", str(book.path)]) == 0
        assert f" {cost} " in capsys.readouterr().out, command
