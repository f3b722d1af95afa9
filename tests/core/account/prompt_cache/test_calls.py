"""What the log says of calls and of starts of the program."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.account.prompt_cache.calls import identity_changed, program_starts
from tests.core.account.prompt_cache.logs import utc

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
LINES = """\
2026-06-01 12:00:00,000 INFO run_agent: No .env file found. Using system environment variables.
2026-06-01 12:00:01,000 INFO hermes_cli.plugins: Plugin discovery complete: 2 found, 1 enabled
2026-06-01 12:00:02,000 INFO run_agent: OpenAI client created (agent_init, shared=True) thread=MainThread:1
2026-06-01 12:00:03,000 INFO run_agent: OpenAI client created (chat_completion_stream_request, shared=False)
2026-06-01 12:00:04,500 INFO run_agent: OpenAI client created (agent_init, shared=True) thread=MainThread:1
2026-06-01 12:00:05,000 INFO run_agent: Loaded environment variables from /home/me/.hermes/.env
"""


def test_starts_of_the_program_are_told_from_clients_made_while_it_runs(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/agent.log").write_text(LINES)
    assert program_starts(tmp_path, utc) == tuple(NOON + timedelta(seconds=seconds) for seconds in (0, 1, 5))


def test_a_home_without_logs_tells_of_no_start(tmp_path: Path) -> None:
    assert program_starts(tmp_path) == program_starts(None) == ()


def test_an_identity_is_another_once_the_stored_prompt_no_longer_holds_it(tmp_path: Path) -> None:
    assert identity_changed(tmp_path, "You are Hermes.") is None
    soul = tmp_path / "SOUL.md"
    soul.write_text("You are Athena.\n")
    os.utime(soul, (NOON.timestamp(), NOON.timestamp()))
    assert identity_changed(tmp_path, "You are Hermes.\n\nRules") == NOON
    assert identity_changed(tmp_path, "You are Athena.\n\nRules") is None
    assert identity_changed(tmp_path, None) is identity_changed(None, "You are Hermes.") is None


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    os.mkfifo(tmp_path / "logs" / "agent.log")
    os.mkfifo(tmp_path / "SOUL.md")
    assert program_starts(tmp_path, utc) == ()
    assert identity_changed(tmp_path, "a prompt") is None
