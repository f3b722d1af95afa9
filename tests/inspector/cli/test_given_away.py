"""A value that one message of a conversation gives away is masked wherever the conversation is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.redact.known_values import KNOWN
from inspector.base.named_screens import NAMES
from inspector.hermes_plugin import recall
from tests.core.store.database import SessionDatabase
from tests.inspector.cli.everywhere import OF_ALL, OF_ONE, drawn, printed, told

ENV, ARGUMENT, PGPASS, FIELD, FLAG, QUOTED = VALUES = (
    *("Zq8!vK3pLm9wT2x", "hQ7rT2mVx9bN4k", "w9Lk2sXq7Zt5"),
    *("mP4xR8tY2wQ6v", "Jf6#kd82Lpq0Wn", "aB3$dE9fGh1jK5m"),
)
"""Each is told for what it is in one message only, by what stands around it there."""
_LEAST = 8
"""Characters of a value that must not come out, at its beginning: it may have been cut."""


@pytest.fixture(scope="module", params=["0.19", "0.22"])
def given(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A home in which the values occur bare in titles, results, names of tools, a summary, a log."""
    home = tmp_path_factory.mktemp("given")
    (home / "logs").mkdir()
    (home / "config.yaml").write_text("model:\n  default: claude-sonnet-4-5\n  context_length: 64000\n")
    with SessionDatabase(home / "state.db", request.param) as made:
        _conversation(made)
        made.session("s2", parent_session_id="s1", source="delegate", title=f"Part {QUOTED}")
        made.message("s2", "user", f"task {FIELD}")
        made.session("s3")
        made.message("s3", "user", f"please log in using the word {FLAG} now")
        made.message("s3", "assistant", "", calls=[_command(f"mysql -uroot --password={FLAG}")])
        made.session("s4", title="t" * 74 + f" {QUOTED}")
        made.message("s4", "user", f"SSHPASS='{QUOTED}' ssh host")
    (home / "logs" / "agent.log").write_text("".join(_log()))
    return home


def _conversation(made: SessionDatabase) -> None:
    spent = {"input_tokens": 50_000, "output_tokens": 900, "estimated_cost_usd": 0.5, "api_call_count": 9}
    made.session("s1", title=f"Deploy with {ENV}", model="claude-sonnet-4-5", **spent)
    made.message("s1", "user", f"set up\nDB_PASS={ENV}")
    made.message("s1", "assistant", "I call it", calls=[_command(f"PGPASSWORD={ARGUMENT} psql -h db")])
    made.message("s1", "tool", f"connected with {ARGUMENT} as {ENV}", tool_name=f"mcp_{ENV}_run")
    made.message("s1", "assistant", f"I decided to keep {FIELD} for commit a1b2c3d.", reasoning=f"is {FLAG}")
    part = f"please remember that {FIELD} and {PGPASS} must not be changed, do not touch {QUOTED}"
    made.message("s1", "user", [{"type": "text", "text": part}])
    made.message("s1", "assistant", "", calls=[_command(f"echo db.local:5432:app:admin:{PGPASS} > .pgpass")])
    made.message("s1", "tool", json.dumps({"error": f"{PGPASS} was refused", "api_key": FIELD}))
    made.message("s1", "assistant", "", calls=[_command(f"x --password {FLAG}; export API_TOKEN='{QUOTED}'")])
    for place, value in enumerate(VALUES):
        made.message("s1", "user", "word " * 37 + f"ab {value} rest of it, step {place}: must use {value}")
        made.message("s1", "assistant", "y " * (95 + place) + f"{value} done", calls=[_command(value)])
        made.message("s1", "tool", f"error: {' '.join(VALUES)} {'x' * 600}", tool_name="terminal")
    made.compact("s1", 2, 4, f"The deploy used {', '.join(VALUES)}; decided so.")
    for value in VALUES:
        made.message("s1", "user", f"next with {value}")
        made.message("s1", "assistant", f"did {value}")


def _command(text: str) -> tuple[str, str, str]:
    return (f"call_{len(text)}", "terminal", json.dumps({"command": text}))


def _log() -> Iterator[str]:
    yield (
        "2026-05-28 20:26:41,000 INFO [s1] run_agent: conversation turn: session=s1 model=m provider=p "
        f"platform=cli history=4 msg='next with {ENV}'\n"
    )
    yield (
        "2026-05-28 20:26:45,000 WARNING [s1] agent.context_compressor: Failed to generate context summary: "
        f"401 for {FLAG} at host. Further summary attempts paused for 60 seconds.\n"
    )


def come_out(text: str) -> list[str]:
    """Values of which a text holds the beginning."""
    return [value for value in VALUES if value[:_LEAST] in text]


RECALLED = ("recall {} deploy used", "recall {} --all remember word")
OF_ROWS = ("show {}", "show {} --full", "chain {}", "results {}", "recall {} --all remember word")
"""Of a conversation that says little: what quotes its rows; the report quotes what the rest says."""


def test_no_command_and_no_report_prints_it(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.format("s1") for line in (*OF_ONE, *RECALLED)] + [line.format("s3") for line in OF_ROWS]
    texts = printed(capsys, given, (*lines, *OF_ALL), "s1", "s3")
    assert {words: out for words, text in texts if (out := come_out(text))} == {}


def test_no_agent_is_told_it(given: Path) -> None:
    texts = told(given)
    KNOWN.forget()
    texts["engine"] = json.dumps(recall.recall_answer(given, "s1", {"query": "deploy"}))
    assert {name: out for name, text in texts.items() if (out := come_out(text))} == {}


@pytest.mark.parametrize("given", ["0.19"], indirect=True)
@pytest.mark.parametrize("screen", NAMES)
def test_no_screen_draws_it(screen: str, given: Path, tmp_path: Path) -> None:
    assert come_out(drawn(given, screen, tmp_path / "frame.svg")) == []
