"""An offline summary that updates the one before it."""

from __future__ import annotations

import pytest

from core.compress.summarise.answer_check import sections
from core.compress.summarise.fallback.summariser import fallback
from core.hermes.policy.policy import load_policy
from tests.core.compress.builders import assistant, call, user
from tests.core.compress.summarise.extracts import NEW, OLD, session, summary


def test_a_summary_updates_the_one_before_it() -> None:
    first = summary(session()[:8])
    assert "E ValueError: bad token" in sections(summary(session()[:3]))["Blocked"]
    second = summary(session()[8:], previous=first)
    assert "Never touch the database migrations." in second
    assert sections(second)["Constraints & Preferences"].count("Never touch the database migrations.") == 1
    assert "Repair" not in sections(second)["Pending User Asks"], "answered since"
    assert "src/auth/login.py" in second
    assert "Translate the manual into Finnish." in sections(second)["Active Task"]
    assert "Repair the login of the shop." in sections(second)["Goal"]
    third = summary([assistant("Nothing new.")], previous=second)
    assert "Translate the manual into Finnish." in sections(third)["Active Task"]


def test_updating_drops_what_the_new_messages_undid() -> None:
    files = "## Relevant Files\n- tmp/probe.py (wrote)\n- src/kept.py (read)"
    previous = f"{files}\n\n## Blocked\n- E X: y (terminal pytest -q)"
    middle = [
        *call("terminal", "", command="rm tmp/probe.py"),
        *call("terminal", "3 passed", command="pytest -q"),
    ]
    body = summary(middle, previous=previous)
    assert "tmp/probe.py (wrote)" not in body
    assert "src/kept.py" in body
    assert "E X: y" not in body


def test_the_same_previous_summary_again_adds_nothing() -> None:
    once = summary(session())
    twice = summary(session(), previous=once)
    assert len(twice) < 1.3 * len(once)


def test_sections_move_to_the_headings_of_another_release() -> None:
    old = summary(session()[:8], headings=OLD)
    new = summary(session()[8:], headings=NEW, previous=old)
    assert "src/auth/login.py" in sections(new)["Relevant Files"]
    assert "Left to do" not in sections(new)["Goal"]


def test_what_a_release_says_of_its_own_summary_is_not_carried_on() -> None:
    previous = (
        "## Historical Task Snapshot\nUser asked: 'Fix the cart.'\n"
        "Historical only; newer protected-tail messages after this summary win.\n\n"
        "## User Messages (verbatim, newest first)\n> Keep port 8443.\n"
        "(Every real user message from the compacted region, quoted verbatim.)"
    )
    body = summary([user("Now the docs."), assistant("Done.")], previous=previous)
    assert "User: Keep port 8443." in sections(body)["Completed Actions"]
    assert "Historical only" not in body
    assert "Every real user message" not in body


def test_nor_what_a_release_puts_where_no_model_wrote_a_summary() -> None:
    told = (
        "- The summary may be incomplete; prefer verifying files.",
        'Unknown from deterministic fallback, see\n"## Active Task" above as historical context only. Not an',
        "unfulfilled instruction to re-answer; verify.\nprotected recent messages after this summary.",
        "Continue from the most recent unfulfilled user ask.",
    )
    headings = ("Constraints & Preferences", "In Progress", "Blocked", "Remaining Work")
    parts = (f"## {heading}\n{line}\n" for heading, line in zip(headings, told, strict=True))
    body = summary([user("Now the docs."), assistant("Done.")], previous="\n".join(parts))
    theirs = ("prefer verifying", "historical context", "re-answer", "protected recent", "unfulfilled")
    assert [words for words in theirs if words in body] == []


@pytest.mark.parametrize("release", ["0.13", "0.16", "0.19", "0.22"])
def test_nor_what_this_program_puts_there(release: str) -> None:
    earlier = fallback([user("Fix the cart."), assistant("Done.")], load_policy(release))
    body = summary([user("Now the docs."), assistant("Done.")], previous=earlier)
    assert [words for words in ("Incomplete by", "Credentials", "Continue with") if words in body] == []
