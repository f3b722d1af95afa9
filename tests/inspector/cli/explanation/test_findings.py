"""`findings`: worst first, with what they rest on, of a conversation or of the databases."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from core.model.finding import Finding, FindingGroup, Severity, Verdict
from inspector.cli.explanation.findings import lines
from tests.inspector.cli.conftest import Cli, Json, Text

ORDER = ["critical", "warning", "info"]
KEYS = {"rule", "name", "severity", "sentence", "verdict", "session", "numbers", "evidence", "remedy"}


@pytest.mark.parametrize("words", [(), ("Refactor the auth module",), ("Port the parser to Rust",)])
def test_findings_come_worst_first_with_every_key(as_json: Json, words: tuple[str, ...]) -> None:
    found = as_json("findings", *words)
    severities = [ORDER.index(finding["severity"]) for finding in found["findings"]]
    assert severities == sorted(severities)
    assert all(set(finding) >= KEYS for finding in found["findings"])
    assert all(set(rule) >= {"rule", "name", "why"} for rule in found["unknown"])


def test_what_was_not_checked_is_told_in_words(as_text: Text, as_json: Json) -> None:
    told = as_text("findings").split("\nnot checked (")[1:]
    assert told[0].splitlines()[0].endswith("): whether SQLite finds damage in the database file (H3)")
    assert "): whether the usage of calls is missing (F3); " in told[1].splitlines()[0]
    assert all(rule["asks"] for rule in as_json("findings")["unknown"])


def test_the_samples_hold_something_to_find(as_json: Json) -> None:
    titles = {session["title"]: session["id"] for session in as_json("sessions")["sessions"]}
    orphaned = as_json("findings", titles["Explain the query plan"])
    assert orphaned["findings"]


def test_milder_findings_can_be_left_out(as_json: Json) -> None:
    every = as_json("findings", "Refactor the auth module")["findings"]
    graver = as_json("findings", "Refactor the auth module", "--severity", "warning")["findings"]
    assert graver == [finding for finding in every if finding["severity"] != "info"]


def test_that_milder_findings_were_left_out_is_stated_and_nothing_is_said_to_be_well(as_text: Text) -> None:
    shown = as_text("findings", "Refactor the auth module", "--severity", "critical")
    assert shown.startswith("● No rule found anything as severe as that.\n")
    assert re.search(r"^\d+ milder findings? (is|are) left out$", shown, re.MULTILINE)


def test_people_read_first_how_many_there_are_to_fix(as_text: Text) -> None:
    first, *rest = as_text("findings").splitlines()
    counted = re.fullmatch(r"■ (\d+) to fix now, (\d+) costing money and (\d+) good to know\.", first)
    assert counted
    titles = [line for line in rest if re.fullmatch(r"(Fix now|Costs money|Good to know) \(\d+\)", line)]
    assert titles == [
        f"Fix now ({counted[1]})",
        f"Costs money ({counted[2]})",
        f"Good to know ({counted[3]})",
    ]


def test_what_failed_comes_first_with_the_title_of_its_conversation(as_text: Text) -> None:
    first = as_text("findings").split("\n■ ")[1]
    assert first.startswith("Compression failed: ")
    assert " · Why is the deploy slow · " in first


def test_a_terminal_gets_each_quoted_line_on_one_row(as_text: Text, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    quoted = [line for line in as_text("findings").splitlines() if line.startswith("  log agent.log:")]
    assert quoted
    assert all(len(line) <= 80 for line in quoted)
    assert any(line.endswith("…") for line in quoted)


def test_what_cannot_be_fixed_is_good_to_know() -> None:
    images = Finding("D5", "images", Severity.WARNING, "images", Verdict.PROVED)
    assert images.group is FindingGroup.GOOD_TO_KNOW
    assert replace(images, remedy="do this").group is FindingGroup.FIX_NOW


def test_cache_breaks_on_a_server_of_ones_own_cost_no_money() -> None:
    breaks = Finding("G1", "cache-break-with-cause", Severity.INFO, "breaks", Verdict.PROVED)
    assert breaks.group is FindingGroup.COSTS
    assert replace(breaks, billed=False).group is FindingGroup.GOOD_TO_KNOW


def test_nothing_of_a_conversation_on_a_server_of_ones_own_costs_money(as_text: Text) -> None:
    assert "\nCosts money" in as_text("findings", "Refactor the auth module")
    assert "\nCosts money" not in as_text("findings", "Sort the photo archive")


def test_how_certain_a_claim_is_is_said_in_the_words_of_the_app_and_not_in_those_of_the_json(
    as_text: Text, as_json: Json
) -> None:
    verdicts = {finding["verdict"] for finding in as_json("findings")["findings"]}
    assert verdicts == {"proved", "derived", "suspected"}
    for command in ("findings", "doctor"):
        shown = as_text(command)
        assert not re.search(r"\b(?:proved|derived|suspected)\b", shown)
        assert "[from the rows] Rows of the session database say so." in shown
        assert "[computed] " in shown


def test_what_several_databases_share_names_the_profile_of_each(
    sample_home: Path, tmp_path: Path, cli: Cli
) -> None:
    home = shutil.copytree(sample_home, tmp_path / "home")
    for profile in ("work", "laptop"):
        (home / "profiles" / profile / "state.db").chmod(0o644)
    shown = cli("findings", "--home", home).out
    for profile in ("work", "laptop"):
        told = shown.partition(f"chmod 600 {home / 'profiles' / profile}")[2]
        assert told.splitlines()[1].endswith(f"I2 loose-permissions · checked · profile {profile}")
    assert "· profile" not in cli("findings", "--home", home, "--profile", "work").out


def test_a_terminal_is_told_of_the_worst_meanwhile(as_text: Text, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("inspector.terminal.waiting.say", told.append)
    printed = as_text("findings")
    rule = told[0].partition(", worst ")[2]
    assert told[0].startswith("examining · ")
    assert rule in printed


def test_what_conversations_share_is_stated_once_and_of_one_rule_no_more_than_ten() -> None:
    shared = [_finding("A1", "the same", session=f"s{number}") for number in range(3)]
    own = [_finding("E1", f"session {number} ended") for number in range(12)]
    text = list(lines([*own, *shared]))
    assert sum(line.startswith("• session ") for line in text) == 10
    assert "and 2 more of E1 (--json names them)" in text
    assert [line for line in text if "A1" in line] == ["  info A1 rule · checked · s0 and 2 more"]
    assert text[0] == "• 15 good to know."


def _finding(rule: str, sentence: str, session: str | None = None) -> Finding:
    return Finding(rule, "rule", Severity.INFO, sentence, Verdict.PROVED, session)
