"""Without a model a release still writes a summary, by rule."""

from __future__ import annotations

import pytest

from core.compress.summarise.answer_check import sections
from core.compress.summarise.base import SummaryRequest, SummaryStatus
from core.compress.summarise.fallback.summariser import StaticSummariser, fallback
from core.hermes.markers.markers import find_summary
from core.hermes.policy.policy import load_policy
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, user

STRUCTURED = ("0.16", "0.17", "0.18", "0.19", "0.22")


def _turns() -> list[Message]:
    return [
        user("Fix the login."),
        *call("terminal", "E ValueError: bad token\n1 failed", command="pytest -q", workdir="/srv/shop"),
        *call("read_file", "x" * 900, path="src/auth.py"),
        assistant("The token check was wrong, see ~/notes.md."),
        user("Now the logout's page."),
    ]


@pytest.mark.parametrize("release", ["0.13", "0.14", "0.15"])
def test_the_oldest_releases_write_one_sentence_with_the_count(release: str) -> None:
    body = fallback(_turns(), load_policy(release))
    assert body.startswith("Summary generation was unavailable. 7 message(s) were ")
    assert "##" not in body


@pytest.mark.parametrize("release", STRUCTURED)
def test_later_ones_fill_their_own_headings_and_add_the_last_turns(release: str) -> None:
    policy = load_policy(release)
    found = list(sections(fallback(_turns(), policy)))
    own = [heading for heading in policy.summary.headings if heading != "Errors & Fixes"]
    assert found == [*own[:-1], "Last Dropped Turns", own[-1]]


@pytest.mark.parametrize("release", STRUCTURED)
def test_the_lists_are_the_releases_own(release: str) -> None:
    found = sections(fallback(_turns(), load_policy(release), reason="429 too many requests"))
    task = found.get("Active Task") or found["Historical Task Snapshot"]
    assert task == 'User asked: "Now the logout\'s page."'
    actions = found["Completed Actions"].splitlines()
    assert actions[:3] == [
        "1. Called tool(s): terminal",
        "2. Called tool(s): read_file",
        "3. The token check was wrong, see ~/notes.md.",
    ]
    assert actions[3].startswith("4. [terminal] ran `pytest -q`")
    assert actions[4].startswith("5. [read_file] read src/auth.py")
    assert found["Relevant Files"] == "- /srv/shop\n- src/auth.py\n- /auth.py\n- ~/notes.md"
    assert found["Blocked"] == "- E ValueError: bad token 1 failed"
    last = found["Last Dropped Turns"].splitlines()
    assert last[0] == "- USER: Fix the login."
    assert last[1] == "- ASSISTANT: tool calls: terminal"
    assert found["Critical Context"].endswith(
        "fallback for 7 compacted message(s). Summary failure reason: 429 too many requests."
    )


@pytest.mark.parametrize("release", STRUCTURED)
def test_it_is_recognised_as_a_fallback_with_its_count(release: str) -> None:
    match = find_summary("[CONTEXT SUMMARY]:\n" + fallback(_turns(), load_policy(release)))
    assert match is not None
    assert (match.fallback, match.dropped) == (True, 7)


def test_only_0_16_and_0_17_repeat_the_request() -> None:
    repeats = {
        release: fallback(_turns(), load_policy(release)).count("User asked: ") for release in STRUCTURED
    }
    assert repeats == {"0.16": 3, "0.17": 3, "0.18": 1, "0.19": 1, "0.22": 1}


def test_limits_hold_for_a_long_middle() -> None:
    turns = [
        message
        for n in range(40)
        for message in call("terminal", f"error {n} " + "y" * 900, command=f"/run/{n}")
    ]
    found = sections(fallback(turns, load_policy("0.16")))
    assert len(found["Completed Actions"].splitlines()) == 12
    assert len(found["Blocked"].splitlines()) == 5
    assert all(len(line) == 502 for line in found["Blocked"].splitlines())
    assert len(found["Relevant Files"].splitlines()) == 12
    body = fallback(turns, load_policy("0.16"))
    assert len(body) <= 8_000


@pytest.mark.parametrize(
    ("release", "mark"), [("0.19", "...[fallback summary truncated]"), ("0.22", "chars omitted")]
)
def test_the_cap_counts_the_prefix(release: str, mark: str) -> None:
    turns = [user(f"please do {n} " + "z" * 690) for n in range(20)]
    turns += [
        message
        for n in range(40)
        for message in call("terminal", f"error {n} " + "y" * 900, command=f"/run/{n}")
    ]
    body = fallback(turns, load_policy(release), prefix_length=1_632)
    assert len(body) <= 8_000 - 1_632
    assert mark in body[-120:]


def test_the_newest_release_keeps_a_piece_of_the_summary_before() -> None:
    previous = "## Goal\n" + "kept words " * 400
    new = fallback(_turns(), load_policy("0.22"), previous=previous)
    assert "## Previous Summary Snapshot\n## Goal\nkept words" in new
    old = fallback(_turns(), load_policy("0.19"), previous=previous)
    assert "kept words" not in old
    assert "could not be updated" in old


def test_a_middle_nobody_asked_for_says_so() -> None:
    turns = [user("[System: Your previous tool call was cut]"), assistant("working")]
    assert "None. This session contains no user-authored turns." in fallback(turns, load_policy("0.22"))
    assert "INTERNAL CONTEXT: [System:" in fallback(turns, load_policy("0.22"))
    assert "User asked: '[System:" in fallback(turns, load_policy("0.19"))
    assert "Unknown from deterministic fallback." in fallback(turns[1:], load_policy("0.19"))


def test_credentials_are_masked() -> None:
    key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    turns = [user(f"use {key}"), *call("terminal", f"error {key}", command=f"login {key}")]
    assert key not in fallback(turns, load_policy("0.19"), previous=f"had {key}", reason=f"denied for {key}")


def test_as_a_summariser_it_calls_itself_a_fallback() -> None:
    policy = load_policy("0.19")
    request = SummaryRequest(tuple(_turns()), 2_000, policy.summary.headings)
    result = StaticSummariser(policy, reason="why").summarise(request)
    assert result.status is SummaryStatus.FALLBACK
    assert "Summary failure reason: why." in result.body
