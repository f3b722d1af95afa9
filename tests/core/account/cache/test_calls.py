"""What the log says of calls and of agents that were set up anew."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.account.cache.calls import Start, agent_starts
from tests.core.account.cache.logs import utc

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
LINES = """\
2026-06-01 12:00:00,000 INFO run_agent: No .env file found. Using system environment variables.
2026-06-01 12:00:01,000 INFO hermes_cli.plugins: Plugin discovery complete: 2 found, 1 enabled
2026-06-01 12:00:02,000 INFO run_agent: OpenAI client created (agent_init, shared=True) thread=MainThread:1
2026-06-01 12:00:03,000 INFO run_agent: OpenAI client created (chat_completion_stream_request, shared=False)
2026-06-01 12:00:04,500 INFO run_agent: OpenAI client created (agent_init, shared=True) thread=MainThread:1
2026-06-01 12:00:05,000 INFO run_agent: Loaded environment variables from /home/me/.hermes/.env
"""


def test_starts_of_the_program_are_told_from_agents_set_up_while_it_runs(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/agent.log").write_text(LINES)
    expected = [(0, True), (1, True), (2, False), (4.5, False), (5, True)]
    assert agent_starts(tmp_path, utc) == tuple(
        Start(NOON + timedelta(seconds=seconds), program) for seconds, program in expected
    )


def test_a_home_without_logs_tells_of_no_start(tmp_path: Path) -> None:
    assert agent_starts(tmp_path) == agent_starts(None) == ()
