"""`findings`: worst first, with what they rest on, of a conversation or of the databases."""

from __future__ import annotations

import pytest

from tests.inspector.cli.conftest import Json, Text

ORDER = ["critical", "warning", "info"]
KEYS = {"rule", "name", "severity", "sentence", "verdict", "session", "numbers", "evidence", "remedy"}


@pytest.mark.parametrize("words", [(), ("Refactor the auth module",), ("Port the parser to Rust",)])
def test_findings_come_worst_first_with_every_key(as_json: Json, words: tuple[str, ...]) -> None:
    found = as_json("findings", *words)
    severities = [ORDER.index(finding["severity"]) for finding in found["findings"]]
    assert severities == sorted(severities)
    assert all(set(finding) >= KEYS for finding in found["findings"])
    assert all(set(rule) >= {"rule", "name", "why"} for rule in found["unknown"])


def test_the_samples_hold_something_to_find(as_json: Json) -> None:
    titles = {session["title"]: session["id"] for session in as_json("sessions")["sessions"]}
    orphaned = as_json("findings", titles["Explain the query plan"])
    assert orphaned["findings"]


def test_milder_findings_can_be_left_out(as_json: Json) -> None:
    every = as_json("findings", "Refactor the auth module")["findings"]
    graver = as_json("findings", "Refactor the auth module", "--severity", "warning")["findings"]
    assert graver == [finding for finding in every if finding["severity"] != "info"]


def test_people_read_how_many_there_are(as_text: Text) -> None:
    assert "finding" in as_text("findings", "Refactor the auth module")
