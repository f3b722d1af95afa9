"""`export`: a report that says what happened and not what was said, in every form, without credentials."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import pytest

from core.explain.diagnose import registry
from core.explain.diagnose.case import Case
from core.explain.diagnose.registry import NOTHING, Found, Rule
from core.model.finding import Evidence, Severity, Source
from core.model.transcript.conversation import Conversation
from core.store.store import Store
from inspector.cli.main import run
from inspector.report.blocks import Paragraph, markdown
from inspector.report.document import masked
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.conftest import Cli, Json, Text

AUTH = "Refactor the auth module"
SECRET = "sk-ant-api03-" + "Qx7" * 30


def test_the_report_says_compactions_findings_and_cost(as_text: Text) -> None:
    report = as_text("export", AUTH)
    for title in (
        "Conversation",
        "Compaction 1 of 2",
        "Current state",
        "Findings",
        "Usage",
        "Prompt cache",
    ):
        assert f"## {title}" in report
    assert "agent.log:" in report


def test_amounts_and_lower_bounds_are_written_as_the_commands_write_them(as_text: Text) -> None:
    report, usage, cache = (as_text(command, AUTH) for command in ("export", "usage", "cache"))
    (total,) = (line.split()[-2:] for line in usage.splitlines() if line.startswith("total"))
    assert total[0].startswith("≥$")
    assert f"| {total[0]} | {total[1]} |" in next(one for one in report.splitlines() if "| total |" in one)
    assert "| model | calls | uncached input |" in report
    costs = re.findall(r"tokens, (\$[\d.]+)$", cache, re.MULTILINE)
    assert costs
    assert re.findall(r"read again for (\$[\d.]+)$", report, re.MULTILINE) == costs
    assert cache.splitlines()[3].split(", ")[0] in report


def test_a_session_is_reported_as_open_only_until_it_ended(tmp_path: Path, cli: Cli) -> None:
    with SessionDatabase(tmp_path / "state.db") as database:
        database.session("s", message_count=1)
        database.message("s", "user", "hello")
        database.session("t", parent_session_id="s", source="tool", ended_at=database.tick())
    report = cli("export", "s", "--db", tmp_path / "state.db").out
    assert "s: main, 1 message, still open" in report
    assert re.search(r"t: sub-agent of s, .* ended", report)


def test_the_report_does_not_say_what_was_said(as_text: Text, as_json: Json) -> None:
    report = as_text("export", AUTH)
    generation = as_json("show", AUTH, "--generation", "1")["generations"][0]
    said = [message["message"]["content"] for message in generation["messages"]]
    assert not [text for text in said if isinstance(text, str) and len(text) > 60 and text[:60] in report]


def test_json_holds_the_same_in_the_shapes_of_the_commands(as_json: Json) -> None:
    found = as_json("export", AUTH)
    assert set(found) >= {"why", "findings", "usage", "cache", "chain"}
    assert len(found["why"]["events"]) == 2


def test_html_is_well_formed_and_loads_nothing(as_text: Text) -> None:
    tags: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append(tag)

    page = as_text("export", AUTH, "--format", "html")
    Tags().feed(page)
    assert "li" in tags
    assert not {"script", "img", "link", "iframe", "a"} & set(tags)
    assert "default-src 'none'" in page


def test_hostile_text_stays_text_in_every_form(as_text: Text, as_json: Json) -> None:
    hostile = next(s["id"] for s in as_json("sessions")["sessions"] if "owned" in str(s["title"]))
    for form in ("md", "html", "json", "jsonl"):
        assert not set(as_text("export", hostile, "--format", form)) & {"\x1b", "\x07", "\u202e"}


def _with_secret(home: Path, tmp_path: Path) -> Path:
    copy = Path(shutil.copytree(home, tmp_path / "home"))
    with closing(sqlite3.connect(copy / "state.db")) as db:
        db.execute("UPDATE messages SET content = content || ? WHERE role <> 'tool'", [f" key {SECRET}"])
        db.execute("UPDATE sessions SET title = title || ? WHERE title = ?", [f" {SECRET}", AUTH])
        db.commit()
    return copy


@pytest.mark.parametrize("form", ["md", "html", "json", "jsonl"])
def test_no_credential_leaves_in_any_form(home: Path, tmp_path: Path, form: str, cli: Cli) -> None:
    copy = _with_secret(home, tmp_path)
    shown = cli("export", "latest", "--format", form, "--home", copy).out
    assert shown
    assert SECRET not in shown


def test_messages_come_one_a_line(as_text: Text, as_json: Json) -> None:
    lines = as_text("export", AUTH, "--format", "jsonl").splitlines()
    newest = as_json("show", AUTH, "--generation", "last")["generations"][0]
    assert [json.loads(line)["role"] for line in lines] == [m["role"] for m in newest["messages"]]


def test_a_file_and_a_screenshot_can_be_asked_for(home: Path, tmp_path: Path, cli: Cli) -> None:
    report, frame = tmp_path / "report.md", tmp_path / "why.svg"
    words = ["export", AUTH, "--output", str(report), "--screenshot", str(frame)]
    assert cli(*words, "--home", home).out == ""
    assert report.read_text("utf-8").startswith("# Hermes compression report")
    assert "</svg>" in frame.read_text("utf-8")
    assert run(["export", AUTH, "--output", str(tmp_path), "--home", str(home)]) == 2


def test_what_a_rule_or_a_line_of_the_log_quotes_is_left_out(as_text: Text, as_json: Json) -> None:
    sessions = [row["id"] for row in as_json("sessions", "--all")["sessions"]]
    quoting = 0
    for session in sessions:
        asked = [found for found in as_json("findings", session)["findings"] if found["rule"] == "D3"]
        for found in asked:
            quoting += 1
            said = found["numbers"]["text"][:40]
            assert said not in as_text("export", session)
            assert said not in json.dumps(as_json("export", session), ensure_ascii=False)
    assert quoting


def test_a_report_begins_with_what_matters_and_keeps_lines_of_the_log_as_they_are(as_text: Text) -> None:
    report = as_text("export", AUTH)
    assert re.match(r"\*\*Compressed at [\d:]+ before your message", report.splitlines()[2])
    assert "\n```text\nagent.log:" in report
    assert "None" not in report.replace("focus=None", "")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("in /home/alice/notes.md", "in ~/notes.md"),
        ("/Users/alice", "~"),
        (r"C:\Users\alice\notes.md", r"~\notes.md"),
        ("/srv/home/alice", "/srv/home/alice"),
    ],
)
def test_whose_home_a_path_is_in_is_not_reported(text: str, told: str) -> None:
    assert masked({"evidence": [text]}) == {"evidence": [told]}


def test_a_finding_says_where_it_shows_and_quotes_no_summary(as_text: Text, as_json: Json) -> None:
    report, document = as_text("export", "Nightly triage"), as_json("export", "Nightly triage")
    (found,) = [one for one in document["findings"] if one["rule"] == "C1"]
    assert [one["text"] for one in found["evidence"]] == ["…"] * len(found["evidence"])
    assert f"{found['evidence'][0]['where']}: …" in report.replace("\\", "")


def test_nobody_is_called_by_a_report() -> None:
    text = markdown("T", "S", [("", [Paragraph("ask @maintainer about #123, or me@example.com")])])
    assert "@maintainer" not in text
    assert "#123" not in text.replace("\\", "")
    assert "me@example.com" in text


@pytest.mark.parametrize("quotes", ["", "word", NOTHING])
def test_what_a_new_rule_quotes_stays_out_unless_it_says_it_quotes_nothing(
    as_json: Json, monkeypatch: pytest.MonkeyPatch, quotes: str
) -> None:
    def speaks(case: Case) -> Iterable[Found]:
        yield Found({"word": "platypus", "count": 3}, (Evidence(Source.DATABASE, "message 1", "a platypus"),))

    rule = Rule("Z1", "new", Severity.CRITICAL, "{word} {count} times", "Look at {word}", {}, quotes=quotes)
    known = {**registry.rules(), "Z1": rule}
    monkeypatch.setattr(registry, "rules", lambda: known)
    monkeypatch.setitem(registry.CONVERSATION_RULES, "Z1", speaks)
    (found,) = (one for one in as_json("export", AUTH)["findings"] if one["rule"] == "Z1")
    assert found["numbers"]["count"] == 3
    assert ("platypus" in str(found)) == (quotes == NOTHING)


@pytest.mark.parametrize("command", ["export", "findings", "why", "plan", "cache"])
def test_a_conversation_is_read_once(as_json: Json, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    asked: list[str] = []
    read = Store.conversation

    def counted(store: Store, session_id: str) -> Conversation:
        asked.append(session_id)
        return read(store, session_id)

    monkeypatch.setattr(Store, "conversation", counted)
    as_json(command, AUTH)
    assert len(asked) == 1
