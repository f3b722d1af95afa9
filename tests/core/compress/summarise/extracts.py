"""A session and its offline summary, for the tests of that summary."""

from __future__ import annotations

from core.compress.summarise.base import SummaryRequest
from core.compress.summarise.extract.summariser import ExtractiveSummariser
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, user

OLD = (
    *("Active Task", "Goal", "Constraints & Preferences", "Completed Actions", "Active State", "In Progress"),
    *(
        "Blocked",
        "Key Decisions",
        "Resolved Questions",
        "Pending User Asks",
        "Relevant Files",
        "Remaining Work",
    ),
    "Critical Context",
)
NEW = (
    *("Historical Task Snapshot", "Goal", "Constraints & Preferences", "Completed Actions", "Active State"),
    *(
        "Blocked",
        "Key Decisions",
        "Errors & Fixes",
        "Resolved Questions",
        "Relevant Files",
        "Critical Context",
    ),
    *("Detailed Session Log (oldest first)", "Pruned Skills"),
)


def summary(
    middle: list[Message],
    *,
    budget: int = 2_000,
    headings: tuple[str, ...] = OLD,
    focus: str | None = None,
    previous: str | None = None,
) -> str:
    request = SummaryRequest(tuple(middle), budget, headings, focus=focus, previous_summary=previous)
    return ExtractiveSummariser().summarise(request).body


def session() -> list[Message]:
    return [
        user("Repair the login of the shop. Never touch the database migrations."),
        *call(
            "terminal",
            "E   ValueError: bad token in header\n1 failed",
            command="pytest -q tests/test_auth.py",
        ),
        *call("read_file", "def login(): ...\n" * 30, path="src/auth/login.py"),
        *call("patch", "ok", path="src/auth/login.py"),
        *call("write_file", "ok", path="tmp/probe.py"),
        *call("terminal", "", command="rm tmp/probe.py"),
        *call("terminal", "12 passed in 1.8 s", command="pytest -q tests/test_auth.py"),
        assistant("Done: I compare tokens in constant time because == leaks timing. Commit 1abaa52."),
        user("Which port does the shop use?"),
        assistant("It listens on port 8443, see config/shop.toml."),
        user("Translate the manual into Finnish."),
        *call("terminal", "fatal: manual.md not found", command="pandoc manual.md"),
    ]
