"""`why`: the keys promised, and the samples' compactions reported as they were made."""

from __future__ import annotations

from pathlib import Path

from tests.core.explain.home import Home
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli, Json, Text

EVENT = {
    "session", "mode", "at", "generation", "trigger", "verdict", "tokens", "threshold", "window",
    "messages_before", "messages_after", "tokens_after", "focus", "summary", "evidence", "explanation",
}  # fmt: skip


def test_every_compaction_of_a_conversation_is_reported_in_order(as_json: Json) -> None:
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
    assert "[from the log]" in shown
    assert "agent.log:" in shown


def test_one_command_says_why_what_was_lost_and_what_it_cost(as_text: Text) -> None:
    shown = as_text("why", "Webhooks are delivered twice").splitlines()
    top = shown[: shown.index("")]
    assert top[1].startswith("▲ Compressed before your message")
    assert "of what matters" in top[1]
    labels = [line[:9].strip() for line in top if line[:9].strip() in ("lost", "missing", "cost", "now")]
    assert labels == ["lost", "missing", "cost", "now"]
    assert any("Never retry refunds automatically" in line for line in top)
    assert any(line.startswith("cost     $0.64 · summary $0.46") for line in top)
    (size,) = (line for line in shown if line.strip().startswith("size "))
    exact = size.split()[1]
    stated = [line for line in shown if exact in line and not line.strip().startswith("log ")]
    assert stated == [size], "the exact size is stated once"
    assert sum("had passed the 150K limit" in line for line in shown) == 1, "the answer is not said again"


def test_json_and_text_begin_with_the_same_sentence_and_remedy(as_json: Json, as_text: Text) -> None:
    found, text = as_json("why", "Refactor the auth module"), as_text("why", "Refactor the auth module")
    assert f"▲ {found['headline']}" == text.splitlines()[1]
    assert f"Fix: {found['remedy']}" == text.splitlines()[2].strip()
    assert found["headline"] in [event["headline"] for event in found["events"]]


def test_a_failure_says_what_helps_and_nothing_of_a_loss(as_text: Text) -> None:
    shown = as_text("why", "Why is the deploy slow")
    assert "■ Compression failed: the summary model's API key was refused (401)." in shown
    assert "lost  " not in shown


def test_attempts_that_fail_alike_take_a_line_each(tmp_path: Path, cli: Cli) -> None:
    home = Home(tmp_path)
    home.db.session("S")
    home.turn(history=24)
    home.talk(7)
    for number in range(4):
        home.started(55_000 + number, 28)
        home.line("Failed to generate context summary: Error code: 401 - bad key.")
        home.call(2 + number, 55_000)
    home.db.connection.close()
    lines = cli("why", "S", "--home", tmp_path).out.splitlines()
    assert sum(" the same · " in line for line in lines) == 2
    assert sum("see above" in line for line in lines) == 1


def test_an_unknown_session_is_exit_3(home: Path, cli: Cli) -> None:
    assert cli("why", "nobody", "--home", home, code=3).err.count("\n") == 1


def test_each_check_of_the_newest_turn_can_be_seen(as_json: Json, as_text: Text) -> None:
    plain = as_json("why", "Split the tenant settings table")
    assert "why_not" not in plain
    turn = as_json("why", "Split the tenant settings table", "--decisions")["why_not"]
    first = turn["decisions"][0]
    assert first["trigger"] == "preflight"
    size = next(check for check in first["checks"] if check["name"] == "size")
    assert size["needed"] == f">= {plain['now']['threshold']:,} tokens"
    assert size["passed"] is (first["tokens"] >= plain["now"]["threshold"])
    if not size["passed"]:
        assert first["fires"] is False
    shown = as_text("why", "Split the tenant settings table", "--decisions")
    assert "check" in shown
    assert f"{first['tokens']:,} tokens" in shown


def test_where_nobody_asked_nothing_was_decided(tmp_path: Path, cli: Cli) -> None:
    with SessionDatabase(tmp_path / "state.db") as database:
        database.session("empty")
    place = ["why", "empty", "--decisions", "--db", str(tmp_path / "state.db")]
    assert "nothing was decided" in cli(*place).out
    assert cli(*place, "--json").json["why_not"] is None


def test_any_turn_can_be_asked_for_by_number_or_by_time(as_json: Json) -> None:
    session = "Split the tenant settings table"
    turns = as_json("why", session, "--turns")["turns"]
    assert [turn["turn"] for turn in turns] == list(range(1, len(turns) + 1))
    assert {turn["standing"] for turn in turns} >= {"below"}
    first = as_json("why", session, "--at", "1")["why_not"]
    assert first["turn"] == 1
    assert first["decisions"][0]["trigger"] == "preflight"
    timed = next(turn for turn in turns if turn["turn"] > 1 and turn["at"])
    assert as_json("why", session, "--at", timed["at"])["why_not"]["turn"] == timed["turn"]


def test_turns_are_listed_with_their_outcome(as_text: Text) -> None:
    shown = as_text("why", "Split the tenant settings table", "--turns")
    assert "outcome" in shown
    assert "not large enough: " in shown


def test_a_turn_that_is_not_there_is_not_found(home: Path, cli: Cli) -> None:
    assert (
        "no turn" in cli("why", "Split the tenant settings table", "--at", "999", "--home", home, code=3).err
    )


def test_what_if_tries_other_settings_on_the_same_history(as_json: Json) -> None:
    found = as_json("why", "Refactor the auth module", "--what-if")["what_if"]
    (actual,) = (one for one in found if one["actual"])
    assert actual["changes"] is None
    assert sum(one["best"] for one in found) == 1
    assert len({one["calls"] for one in found}) == 1, "the same history under each"
    by_threshold = sorted(found, key=lambda one: one["threshold"])
    fired = [len(one["compactions"]) for one in by_threshold if one["window"] == actual["window"]]
    assert fired == sorted(fired, reverse=True), "a higher threshold never fires more often"
    assert "what_if" not in as_json("why", "Refactor the auth module")


def test_what_if_marks_what_is_in_force_for_people(as_text: Text) -> None:
    text = as_text("why", "Refactor the auth module", "--what-if")
    assert text.count("in force") == 1
    assert text.count("cheapest") == 1
