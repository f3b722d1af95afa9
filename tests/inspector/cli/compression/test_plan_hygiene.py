"""`plan` says what the gateway would do before the turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.explain.home import Home
from tests.inspector.cli.conftest import Cli


@pytest.fixture
def messages(tmp_path: Path) -> str:
    path = tmp_path / "messages.json"
    path.write_text(
        json.dumps([{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}] * 4)
    )
    return str(path)


def test_a_file_is_checked_as_the_gateway_would_with_its_config(
    messages: str, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "config.yaml").write_text("compression: {hygiene_hard_message_limit: 8}\n")
    words = ["plan", "--messages", messages, "--home", str(tmp_path), "--gateway", "--json"]
    found = cli(*words, "--release", "0.13", "--window", "200000", "--last-prompt", "170000").json["hygiene"]
    assert (found["checked"], found["fires"], found["by"]) == (True, True, "both")
    assert (found["threshold"], found["warn"], found["hard_limit"]) == (170_000, 190_000, 8)
    assert (found["tokens"], found["source"], found["messages"]) == (170_000, "actual", 8)


def test_without_a_gateway_nothing_is_stated_about_it(messages: str, cli: Cli) -> None:
    assert cli("plan", "--messages", messages, "--json").json["hygiene"] is None


def test_people_read_what_follows_from_it(messages: str, cli: Cli) -> None:
    words = ["plan", "--messages", messages, "--gateway", "--release", "0.19", "--window", "64000"]
    shown = cli(*words, "--last-prompt", "60000").out
    assert "gateway, before the turn: 60,000 of 54,400 tokens" in shown
    assert "it would compact" in shown


def test_rows_are_held_back_by_0_22_even_with_compression_switched_off(
    messages: str, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "config.yaml").write_text("compression: {enabled: false, hygiene_hard_message_limit: 5}\n")
    words = ["plan", "--messages", messages, "--home", str(tmp_path), "--gateway", "--window", "128000"]
    shown = {}
    for release in ("0.19", "0.22"):
        shown[release] = cli(*words, "--release", release).out
    assert all("it does not check, because compression is switched off" in one for one in shown.values())
    assert ["only 5 rows are sent" in one for one in shown.values()] == [False, True]


@pytest.mark.parametrize("release", ["0.13", "0.18", "0.19", "0.22"])
def test_an_attempt_without_effect_is_repeated_in_every_release(
    messages: str, release: str, cli: Cli
) -> None:
    words = ["plan", "--messages", messages, "--gateway", "--release", release, "--window", "64000"]
    assert "is repeated before every message" in cli(*words, "--last-prompt", "60000").out


def test_the_gateway_compares_what_it_noted_though_nobody_counted_that(tmp_path: Path, cli: Cli) -> None:
    home = Home(tmp_path)
    home.db.session("S", source="telegram")
    home.talk(7)
    note = json.dumps({"session_id": "S", "last_prompt_tokens": 33_000})
    home.db.connection.execute("INSERT INTO gateway_routing VALUES ('', 'k', ?, 1.0)", (note,))
    home.db.connection.commit()
    found = cli("plan", "S", "--home", str(tmp_path), "--json").json
    assert found["hygiene"]["tokens"] == 33_000 != found["compared_tokens"]
