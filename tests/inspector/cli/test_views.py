"""`show`, `chain`, `search`, `doctor` and the frame of the app: what they print of the samples."""

from __future__ import annotations

import hashlib
import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from inspector.base.named_screens import NAMES
from inspector.cli.main import run
from sample_sessions.releases import profiles
from tests.core.account.homes import Book
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli, Json, Text

AUTH = "Refactor the auth module"


def test_show_prints_every_generation_as_the_model_saw_it(as_json: Json) -> None:
    shown = as_json("show", AUTH)
    assert [generation["index"] for generation in shown["generations"]] == [1, 2, 3]
    first, second, _ = shown["generations"]
    assert first["boundary"] is None
    assert second["boundary"]["mode"] == "in_place"
    assert sum(message["summary"] for message in second["messages"]) == 1
    for generation in shown["generations"]:
        assert len(generation["messages"]) == generation["count"]
        copies = sum(message["copy"] for message in generation["messages"])
        assert generation["fresh"] == generation["count"] - copies


def test_show_can_be_asked_for_one_generation(as_json: Json) -> None:
    every = as_json("show", AUTH)["generations"]
    assert as_json("show", AUTH, "--generation", "2")["generations"] == [every[1]]
    assert as_json("show", AUTH, "--generation", "last")["generations"] == [every[-1]]


def test_show_says_how_many_generations_there_are(home: Path, cli: Cli) -> None:
    ask = (AUTH, "--generation", "9", "--home", home)
    shown, planned = (cli(command, *ask, code=3).err for command in ("show", "plan"))
    assert "has 3" in shown
    assert shown == planned


def test_what_show_prints_is_what_plan_takes(as_json: Json, tmp_path: Path, cli: Cli) -> None:
    generation = as_json("show", AUTH)["generations"][-1]
    path = tmp_path / "messages.json"
    path.write_text(json.dumps([message["message"] for message in generation["messages"]]))
    from_session = as_json("plan", AUTH)
    from_file = cli("plan", "--messages", path, "--json", "--release", from_session["release"]).json
    assert from_file["estimated_tokens"] == from_session["estimated_tokens"]


def test_show_full_prints_whole_texts(as_text: Text) -> None:
    assert len(as_text("show", AUTH, "--full")) > len(as_text("show", AUTH))


def test_show_full_gives_a_terminal_the_beginning_of_a_huge_text_and_a_file_all_of_it(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SessionDatabase(tmp_path / "state.db") as database:
        database.session("s")
        database.turn("s", "word\n" * 30_000 + "the very end")
    place = ["s", "--full", "--db", str(tmp_path / "state.db")]
    assert "the very end" in cli("show", *place).out
    monkeypatch.setattr("inspector.terminal.stdout.terminal_width", lambda: 80)
    shown = cli("show", *place).out
    assert "more characters; a file or a pipe gets all of them" in shown
    assert "word" in shown
    assert "the very end" not in shown


def test_nothing_stored_acts_on_the_terminal(as_text: Text, as_json: Json) -> None:
    hostile = next(
        session["id"] for session in as_json("sessions")["sessions"] if "owned" in str(session["title"])
    )
    for words in (["show", hostile], ["show", hostile, "--full"], ["chain", hostile], ["plan", hostile]):
        assert not set(as_text(*words)) & {"\x1b", "\x07", "\x9b", "\u202e", "\x00"}


def test_chain_shows_what_a_session_spent_next_to_what_grew_out_of_it(as_json: Json) -> None:
    for title in ("Port the parser to Rust", "Pick a job queue"):
        nodes = as_json("chain", title)["nodes"]
        for place, node in enumerate(nodes):
            below = [node]
            for other in nodes[place + 1 :]:
                if other["depth"] <= node["depth"]:
                    break
                below.append(other)
            booked = [entry for one in below for entry in (one, *one["beside"])]
            assert node["subtree"]["tokens"]["input"] == sum(one["tokens"]["input"] for one in booked)
            usd = [Decimal(one["cost"]["usd"]) for one in below if one["cost"]["usd"] is not None]
            assert node["subtree"]["recorded_usd"] == (str(sum(usd)) if usd else None)


def test_chain_says_where_resume_lands(as_json: Json) -> None:
    chain = as_json("chain", "Port the parser to Rust")
    kinds = [node["kind"] for node in chain["nodes"]]
    assert kinds == ["main", "continuation", "continuation"]
    assert chain["root"] == chain["nodes"][0]["id"]
    assert chain["tip"] == chain["resume_target"] == chain["nodes"][-1]["id"]
    assert set(chain) >= {"root", "tip", "resume_target", "nodes", "findings"}
    assert set(chain["nodes"][0]) >= {
        "id", "kind", "parent", "end_reason", "messages", "generations", "tokens", "cost",
    }  # fmt: skip


def test_an_attempt_that_failed_is_counted_apart(as_text: Text) -> None:
    assert "\n0 compactions, 1 failed\n" in as_text("why", "Why is the deploy slow")


def test_branches_and_delegates_hang_below_their_parent(as_text: Text) -> None:
    shown = as_text("chain", "Pick a job queue")
    assert "branch" in shown
    assert "sub-agent" in shown
    assert "/resume opens" in shown


def test_search_finds_words_in_every_profile(as_json: Json) -> None:
    found = as_json("search", "queue")
    assert found["hits"]
    assert found["hits"] == sorted(found["hits"], key=lambda hit: hit["at"], reverse=True)
    assert all(set(hit) >= {"session", "row", "role", "at", "state", "excerpt"} for hit in found["hits"])
    assert len(as_json("search", "queue", "--limit", "2")["hits"]) == 2


def test_search_can_stay_in_one_session(as_json: Json) -> None:
    session = as_json("show", AUTH)["session"]
    found = as_json("search", "auth", "--in", session)
    assert found["hits"]
    assert {hit["session"] for hit in found["hits"]} == {session}


@pytest.mark.parametrize("text", ['"', "a AND (", "*", "NEAR(", "';--", "\u202e", "xyzzy-not-there"])
def test_any_text_may_be_searched_for(as_text: Text, text: str) -> None:
    assert " found by " in as_text("search", text)


def test_doctor_reports_every_database(as_json: Json, as_text: Text) -> None:
    report = as_json("doctor", "--integrity")
    expected = {name or "default" for name in profiles()}
    assert {database["profile"] for database in report["databases"]} == expected
    for database in report["databases"]:
        assert database["health"]["integrity"] == "ok"
        assert database["problems"] == []
        assert database["release"]
        assert all(finding["sentence"] for finding in database["findings"])
    assert "written by Hermes 0.22" in as_text("doctor")


def test_doctor_names_the_sessions_whose_rows_disagree(tmp_path: Path, cli: Cli) -> None:
    book = Book(tmp_path / "state.db")
    for number in range(12):
        book.session(f"s{number}", message_count=20 + number).message(f"s{number}", "user")
    place = ["doctor", "--db", str(book.path)]
    rows = cli(*place, "--json").json["databases"][0]["rows"]
    assert len(rows) == 12
    assert (rows[0]["session"], rows[0]["what"], rows[0]["difference"]) == ("s11", "messages", 30)
    assert "live rows: 1" in rows[0]["evidence"]["text"]
    printed = cli(*place).out
    assert "rows disagree on messages of s11: sessions.message_count: 31 and live rows: 1" in printed
    assert "and 2 more disagreements" in printed


def test_doctor_says_when_the_configuration_cannot_be_used(home: Path, tmp_path: Path, cli: Cli) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(home, copy)
    (copy / "config.yaml").write_text("model: [unclosed")
    assert "config.yaml" in cli("doctor", "--home", copy, code=4).out


def test_a_frame_is_drawn_without_a_terminal(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "frame.svg"
    assert run(["--home", str(home), "--screenshot", str(path), "--size", "100x30"]) == 0
    drawn = path.read_text("utf-8")
    assert drawn.rstrip().endswith("</svg>")
    assert "Refactor" in drawn


@pytest.mark.parametrize(
    ("screen", "shows"),
    [
        ("findings", "critical"), ("search", "exact&#160;phrase"), ("help", "Keys"), ("spending", "by&#160;"),
        ("why", "Why"), ("what-if", "process&#160;fresh"), ("sums", "threshold"), ("turns", "Turns"),
        ("thresholds", "threshold"), ("lost", "outcome"), ("diff", "unchanged"),
        ("prompt", "You&#160;keep"), ("apply", "Nothing&#160;is&#160;written&#160;yet"),
        ("results", "if&#160;pruned"), ("recall", "compactions&#160;removed"),
        ("undo", "has&#160;written&#160;nothing"),
    ],
)  # fmt: skip
def test_every_screen_can_be_drawn_by_name(home: Path, tmp_path: Path, screen: str, shows: str) -> None:
    path = tmp_path / "frame.svg"
    assert run(["--home", str(home), "--screenshot", str(path), "--screen", screen]) == 0
    assert shows in path.read_text("utf-8")


def test_every_name_of_a_screen_is_in_the_help(cli: Cli) -> None:
    told = " ".join(cli("--help").out.split())
    assert ", ".join(NAMES) in told


@pytest.mark.parametrize(
    ("named", "shown"), [((), "no&#160;focus"), (("reader",), "reader"), (("reader", "pytest"), "pytest")]
)
def test_the_focus_lab_is_drawn_with_the_topics_named(
    home: Path, tmp_path: Path, named: tuple[str, ...], shown: str
) -> None:
    path = tmp_path / "frame.svg"
    words = [word for topic in named for word in ("--focus", topic)]
    place = ["--home", str(home), "--session", "Split the tenant settings table"]
    assert run([*place, "--screenshot", str(path), "--screen", "focus", *words]) == 0
    drawn = path.read_text("utf-8")
    assert "summarised&#160;three&#160;ways" in drawn
    assert all(topic in drawn for topic in (shown, *named))


def test_topics_are_for_the_focus_lab(home: Path, cli: Cli) -> None:
    place = ["--home", str(home), "--screenshot", "x.svg"]
    assert "--screen focus" in cli(*place, "--screen", "map", "--focus", "auth", code=2).err
    assert (
        "one or two"
        in cli(*place, "--screen", "focus", "--focus", "a", "--focus", "b", "--focus", "c", code=2).err
    )


def test_findings_are_those_of_the_session_that_is_named(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "frame.svg"
    place = ["--home", str(home), "--screenshot", str(path), "--screen", "findings"]
    assert run([*place, "--session", "Why is the deploy slow"]) == 0
    drawn = path.read_text("utf-8")
    assert "Why&#160;is&#160;the&#160;deploy&#160;slow" in drawn
    assert "all&#160;conversations" not in drawn


def test_the_list_is_drawn_with_the_cursor_on_a_session(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "frame.svg"
    words = ["--home", str(home), "--screenshot", str(path), "--screen", "sessions"]
    assert run(words) == 0
    assert re.search(r">1&#160;of&#160;≥?\d", path.read_text("utf-8"))
    assert run([*words, "--session", "Port the parser to Rust #3"]) == 0
    assert re.search(r">(?!1&)\d+&#160;of&#160;\d", path.read_text("utf-8"))


def test_an_unknown_screen_is_refused_by_name(home: Path, cli: Cli) -> None:
    assert "sessions" in cli("--home", home, "--screenshot", "x.svg", "--screen", "nope", code=2).err


def test_the_app_wants_a_terminal(home: Path, cli: Cli) -> None:
    assert "--screenshot" in cli("--home", home, code=2).err


def test_the_samples_are_built_where_caches_live(cli: Cli, tmp_path: Path) -> None:
    built = Path(cli("demo", "--path").out.strip())
    assert built.is_relative_to(tmp_path)
    assert (built / "state.db").is_file()


def _prints(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_no_command_changes_a_byte_of_a_home(home: Path, tmp_path: Path, cli: Cli) -> None:
    before = _prints(home)
    for words in (["sessions"], ["show", AUTH], ["plan", AUTH], ["chain", AUTH], ["search", "a"], ["doctor"]):
        assert run([*words, "--home", str(home)]) == 0
    cli("--home", home, "--screenshot", tmp_path / "frame.svg")
    after = {name: print_ for name, print_ in _prints(home).items() if not name.endswith(("-wal", "-shm"))}
    assert after == {name: print_ for name, print_ in before.items() if not name.endswith(("-wal", "-shm"))}
