"""`status`: one line that agrees with the longer answers, and costs next to nothing while nothing changes."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.arguments import target
from inspector.cli.live.status import FIELDS
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli, Json, Text

AUTH = "Refactor the auth module"
KEYS = {"session", "title", "tokens", "threshold", "share", "today_usd", "hit_rate", "worst"}


def line(cli: Cli, *words: str) -> str:
    return cli("status", *words).out.removesuffix("\n")


def test_its_figures_are_those_of_why_and_of_the_list(as_json: Json) -> None:
    found, now = as_json("status", AUTH), as_json("why", AUTH)["now"]
    assert set(found) >= KEYS
    assert (found["tokens"], found["threshold"]) == (now["tokens"], now["threshold"])
    assert found["share"] == pytest.approx(now["tokens"] / now["threshold"])
    listed = next(one for one in as_json("sessions")["sessions"] if one["title"] == AUTH)
    assert found["hit_rate"] == listed["tokens"]["cache_read"] / listed["tokens"]["prompt"]


def test_the_worst_finding_is_one_that_findings_tells(as_json: Json) -> None:
    worst = as_json("status", AUTH)["worst"]
    told = {(one["rule"], one["severity"], one["sentence"]) for one in as_json("findings", AUTH)["findings"]}
    assert (worst["rule"], worst["severity"], worst["headline"]) in told


def test_without_a_name_it_is_about_the_newest(as_json: Json) -> None:
    assert as_json("status") == as_json("status", "latest")


def test_the_line_for_people_is_one_line(as_text: Text) -> None:
    shown = as_text("status")
    assert shown.count("\n") == 1
    assert "today" in shown


@pytest.mark.parametrize("field", FIELDS)
def test_a_template_may_name_every_field_that_is_listed(field: str, as_text: Text) -> None:
    assert f"{{{field}}}" in as_text("status", "--fields")
    shown = as_text("status", AUTH, "--format", f"<{{{field}}}>")
    assert shown.startswith("<")
    assert shown.endswith(">\n")


@pytest.mark.parametrize(
    "template", ["{tokns}", "{tokens.real}", "{tokens[0]}", "{tokens!r}", "{share:>9}", "{", "}"]
)
def test_a_template_that_is_off_is_reported_in_one_line(template: str, home: Path, cli: Cli) -> None:
    shown = cli("status", "--format", template, "--home", home, code=2)
    assert shown.out == ""
    assert "--format" in shown.err
    assert shown.err.count("\n") == 1


@pytest.fixture
def lone(tmp_path: Path) -> SessionDatabase:
    return SessionDatabase(tmp_path / "state.db")


def test_nothing_is_opened_while_nothing_changes_whatever_the_template(
    lone: SessionDatabase, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lone:
        lone.session("s", title="First")
        lone.turn("s", "1")
    where = ["--db", str(lone.path)]
    line(cli, *where)
    with monkeypatch.context() as patch:
        patch.setattr(target, "opened", lambda *_: pytest.fail("a database was opened"))
        assert line(cli, *where, "--format", "{title}") == "First"
        assert json.loads(line(cli, *where, "--json"))["session"] == "s"
    with closing(sqlite3.connect(lone.path)) as other, other:
        other.execute("UPDATE sessions SET title = 'Second'")
    assert line(cli, *where, "--format", "{title}") == "Second"


def test_a_title_cannot_act_on_the_terminal(lone: SessionDatabase, cli: Cli) -> None:
    with lone:
        lone.session("s", title="a\x1b]52;c;eA==\x07\nb {today}")
        lone.turn("s", "1")
    shown = line(cli, "--db", str(lone.path), "--format", "{title}")
    assert "\x1b" not in shown
    assert "\n" not in shown
    assert shown.endswith("b {today}")


def test_an_empty_store_is_not_found(lone: SessionDatabase, cli: Cli) -> None:
    lone.connection.close()
    assert "no sessions yet" in cli("status", "--db", lone.path, code=3).err


def test_what_nothing_says_is_unknown_and_not_zero(lone: SessionDatabase, cli: Cli) -> None:
    with lone:
        lone.session("s", model="nobody/knows-this")
        lone.message("s", "user", "hello")
    where = ["--db", str(lone.path)]
    found: dict[str, Any] = json.loads(line(cli, *where, "--json"))
    assert found["hit_rate"] is None
    assert found["threshold"] is None or found["threshold"] > 0
    assert line(cli, *where, "--format", "{hit_rate}") == "–"


def test_a_cost_of_which_nothing_is_known_is_no_zero_in_json_either(lone: SessionDatabase, cli: Cli) -> None:
    with lone:
        lone.session("s", model="nobody/knows-this", started_at=time.time(), input_tokens=1_000)
        lone.message("s", "user", "hello")
    found = json.loads(line(cli, "--db", str(lone.path), "--json"))
    assert (found["today_usd"], found["today_at_least"]) == (None, True)
    assert line(cli, "--db", str(lone.path), "--format", "{today}") == "–"


def _with_profile(home: Path) -> Path:
    for folder in (home, home / "profiles" / "work"):
        folder.mkdir(parents=True, exist_ok=True)
        with SessionDatabase(folder / "state.db") as database:
            database.session("s", title=folder.name)
            database.turn("s", "1")
    return home


def test_several_profiles_are_not_opened_while_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    words = ("--home", str(_with_profile(tmp_path / "both")))
    first = line(cli, *words)
    monkeypatch.setattr(target, "opened", lambda *_: pytest.fail("a database was opened"))
    assert line(cli, *words) == first


def test_that_a_profile_was_left_out_is_stated_each_time(tmp_path: Path, cli: Cli) -> None:
    home = _with_profile(tmp_path / "both")
    (home / "profiles" / "work" / "state.db").write_bytes(b"no database" * 1_000)
    for _ in range(2):
        assert "skipped" in cli("status", "--home", home).err


def test_the_fields_of_a_template_are_listed_for_scripts_too(cli: Cli) -> None:
    assert cli("status", "--fields", "--json").json == {"fields": FIELDS}
