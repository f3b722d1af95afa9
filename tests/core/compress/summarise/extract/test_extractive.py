"""The offline summariser fills the release's sections from the messages themselves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compress.facts.collect import constraints
from core.compress.facts.said import sentences
from core.compress.retention.score import retention
from core.compress.summarise.answer_check import sections
from core.compress.summarise.base import SummaryRequest, SummaryStatus
from core.compress.summarise.extract.summariser import ExtractiveSummariser, quarter
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, long_work, user
from tests.core.compress.summarise.extracts import NEW, OLD, session, summary
from tests.timing import assert_grows_linearly


@pytest.mark.parametrize("headings", [OLD, NEW])
def test_every_heading_of_the_release_stands_once_and_in_order(headings: tuple[str, ...]) -> None:
    body = summary(session(), headings=headings)
    assert [line[3:] for line in body.splitlines() if line.startswith("## ")] == list(headings)


def test_each_fact_lands_in_its_section() -> None:
    found = sections(summary(session()))
    assert "Translate the manual into Finnish." in found["Active Task"]
    assert "Repair the login of the shop." in found["Goal"]
    assert "Never touch the database migrations." in found["Constraints & Preferences"]
    assert "1. terminal" not in found["Completed Actions"], "the failed run was made good by the later one"
    assert "terminal pytest -q tests/test_auth.py (x2) -> 12 passed in 1.8 s" in found["Completed Actions"]
    assert "because == leaks timing" in found["Key Decisions"]
    assert "Which port does the shop use? -> It listens on port 8443" in found["Resolved Questions"]
    assert "Translate the manual into Finnish." in found["Pending User Asks"]
    assert "src/auth/login.py (read, changed)" in found["Relevant Files"]
    assert "fatal: manual.md not found" in found["Blocked"]
    assert "1abaa52" in found["Critical Context"] + found["Completed Actions"]


def test_work_whose_request_is_before_it_has_that_request_as_its_goal() -> None:
    middle = [*call("terminal", "12 passed", command="pytest -q"), assistant("All pass.")]
    before = "Repair the login of the shop."
    request = SummaryRequest(tuple(middle), 2_000, OLD, asked_before=before)
    goal = sections(ExtractiveSummariser().summarise(request).body)["Goal"]
    assert goal == "Repair the login of the shop. (asked before this)"
    later = replace(request, turns=(*middle, user("Which port is it?"), assistant("8443.")))
    found = sections(ExtractiveSummariser().summarise(later).body)
    assert found["Goal"] == goal, "a question on the way is not the goal"
    client = replace(request, asked_before="<local-command-stdout>x</local-command-stdout>")
    assert sections(ExtractiveSummariser().summarise(client).body)["Goal"] == "None."
    updated = replace(request, previous_summary="## Goal\nShip the shop.")
    assert sections(ExtractiveSummariser().summarise(updated).body)["Goal"] == "Ship the shop."


def test_what_is_left_to_do_is_what_nobody_did_since() -> None:
    middle = [
        user("Repair the cart."),
        *call("patch", "ok", text="I need to fix the lint first.", path="cart.py"),
        assistant("Fixed. The next step is a changelog entry."),
        *(
            message
            for n in range(12)
            for message in (user(f"Look at part {n}."), assistant(f"Part {n} is fine."))
        ),
        user("And now?"),
        assistant("Let me think about it instead of guessing. We still need to tag the release. Shall we?"),
    ]
    found = sections(summary(middle))
    assert found["Remaining Work"] == "- We still need to tag the release."
    assert "Let me" not in found["Key Decisions"]


def test_an_error_met_again_and_again_blocks_once() -> None:
    middle = [user("Commit it.")]
    for command in ("git commit", "git commit -a", "git status --short"):
        middle += call("terminal", "error: index is locked by another process", command=command)
    assert sections(summary(middle))["Blocked"] == (
        "- error: index is locked by another process (terminal git status --short)"
    )


def test_headings_and_code_of_an_answer_do_not_run_into_its_line() -> None:
    middle = [
        user("Explain it."),
        assistant("## Short answer\nIt leaks.\n```py\nfree(x); // because\n```\nTwice."),
    ]
    assert "Assistant: Short answer It leaks. Twice." in summary(middle)


def test_a_file_is_listed_once_and_its_folder_once_for_many() -> None:
    names = [f"/srv/shop/src/part_{n}.py" for n in range(6)]
    middle = [user("List them."), *call("terminal", "\n".join((*names, "src/part_3.py")), command="ls")]
    context = sections(summary(middle))["Critical Context"]
    assert context.startswith("- Paths in /srv/shop: src/part_0.py, src/part_1.py")
    assert context.count("part_3.py") == 1


def test_what_says_nothing_is_left_out() -> None:
    middle = [
        user("Edit it."),
        *call("edit_file", "The file src/shop/cart.py has been updated.", path="src/shop/cart.py"),
        assistant(
            "Here is the reason it broke, the root cause chain:\nThe cart was shared because of a cache."
        ),
    ]
    found = sections(summary(middle))
    assert "1. edit_file src/shop/cart.py -> done" in found["Completed Actions"]
    assert "chain:" not in found["Key Decisions"]
    assert "because of a cache" in found["Key Decisions"]
    assert "Last check" not in found["Active State"]


def test_calls_that_differ_in_a_number_alone_are_reported_as_a_series() -> None:
    middle = [user("Time every run.")]
    for run in range(1, 9):
        middle += call("terminal", "12 layers\nslow\nslower", command=f"time run-{run}")
    told = sections(summary(middle))["Completed Actions"]
    assert "terminal time run-1 to time run-8 (8 calls alike) -> last: 3 lines" in told
    assert "run-5" not in told


def test_a_client_s_own_words_are_no_request_and_no_rule() -> None:
    skill = "Base directory for this skill: /opt/skills/debug\n\nNever skip a step. Always look twice."
    body = summary([user("Fix the lantern."), user(skill), assistant("Looking.")])
    assert "look twice" not in body


@pytest.mark.parametrize(
    "text",
    [
        "How should we proceed?",
        "Can't you do this faster in parallel tasks",
        "Isn't the port 8080 only",
        "277: # Check required elements",
        "ValueError: only one may hold",
        "No entiendes la idea.",
        "No puedes verlo, hay dos meses.",
    ],
)
def test_what_only_sounds_like_a_rule_is_none(text: str) -> None:
    assert constraints(text) == ()


@pytest.mark.parametrize(
    "rule",
    [
        "Do not touch the lock.",
        "Don't you dare touch the lock.",
        "Não altere nenhum arquivo.",
        "Nutze nur die Kopie.",
        "No toques la copia.",
        "NO QUIERO QUE LO ARREGLES.",
        "No me lo edites.",
        "No borres los datos.",
    ],
)
def test_a_rule_is_known_in_the_language_of_its_author(rule: str) -> None:
    assert constraints(rule) == (rule,)


def test_a_sentence_wrapped_by_hand_stays_complete() -> None:
    assert sentences("It works because the lantern is lit, and\nthe harbour sees it.\nNext.") == (
        "It works because the lantern is lit, and the harbour sees it.",
        "Next.",
    )


def test_actions_are_numbered_in_the_order_they_happened() -> None:
    lines = sections(summary(session()))["Completed Actions"].splitlines()
    assert [line.split(".")[0] for line in lines] == [str(n) for n in range(1, len(lines) + 1)]
    text = "\n".join(lines)
    assert text.index("patch src/auth/login.py") < text.index("12 passed") < text.index("pandoc manual.md")


def test_what_was_undone_is_left_out() -> None:
    body = summary(session())
    assert "write_file tmp/probe.py" not in body
    assert "tmp/probe.py (" not in body
    assert retention(session(), body).stale == ()


def test_requests_keep_their_language_and_identifiers() -> None:
    middle = [
        user("请修复 src/认证/login.py 的登录问题，不要改动数据库迁移。"),
        *call("terminal", "错误：令牌无效", command="pytest 测试"),
        assistant("已修复，提交 1abaa52。"),
        user("Тесты должны проходить в src/проверка.py, никогда не меняй схему."),
    ]
    body = summary(middle)
    for text in (
        "请修复 src/认证/login.py",
        "不要改动数据库迁移",
        "Тесты должны",
        "никогда не меняй схему",
        "1abaa52",
    ):
        assert text in body


@pytest.mark.parametrize("budget", [150, 400, 2_000])
@pytest.mark.parametrize("focus", [None, "login"])
def test_the_budget_holds(budget: int, focus: str | None) -> None:
    middle = [
        message for n in range(40) for message in (*session(), user(f"part {n} of src/mod_{n}.py " * 5))
    ]
    assert quarter(summary(middle, budget=budget, focus=focus)) <= budget


def test_a_summary_is_at_most_half_of_what_it_replaces() -> None:
    middle = [user("word " * 1_000), assistant("answer " * 1_000)]
    size = sum(quarter(message.text) for message in middle)
    assert quarter(summary(middle, budget=10_000)) <= size // 2


def test_no_credential_reaches_thesummary() -> None:
    key = "sk-ant-api03-abcdEFGH1234567890abcdEFGH1234567890"
    middle = [
        user(f"use the key {key} for it"),
        *call("terminal", f"ANTHROPIC_API_KEY={key}", command=f"export ANTHROPIC_API_KEY={key}"),
        assistant(f"set {key}"),
    ]
    body = summary(middle, previous=f"## Critical Context\n- key {key}")
    assert key[:16] not in body
    assert "[redacted:anthropic-key]" in body


def test_it_is_reported_at_once_and_stays_in_this_process() -> None:
    pieces: list[str] = []
    summariser = ExtractiveSummariser()
    result = summariser.summarise(SummaryRequest(tuple(session()), 2_000, OLD), on_text=pieces.append)
    assert result.body
    assert not pieces
    assert result.status is SummaryStatus.EXTRACTIVE
    assert summariser.describe() is None


TEXTS = st.text(max_size=60) | st.sampled_from(
    ["fix src/a.py", "never do it", "## Goal\nx", "Error: x", "why?"]
)
MESSAGES = st.builds(
    lambda role, text: Message({"role": role, "content": text}),
    st.sampled_from(["user", "assistant", "tool"]),
    TEXTS,
)


@given(st.lists(MESSAGES, max_size=10), st.none() | TEXTS, st.none() | TEXTS, st.integers(100, 900))
@settings(max_examples=60, deadline=None)
def test_any_middle_gives_the_same_summary_twice_within_budget(
    middle: list[Message], focus: str | None, previous: str | None, budget: int
) -> None:
    first = summary(middle, budget=budget, focus=focus, previous=previous)
    assert first == summary(middle, budget=budget, focus=focus, previous=previous)
    assert quarter(first) <= budget
    assert [line[3:] for line in first.splitlines() if line.startswith("## ") and line[3:] in OLD][: len(OLD)]


def test_four_times_as_many_messages_take_about_four_times_as_long() -> None:
    assert_grows_linearly(lambda steps: partial(summary, long_work(steps), budget=10_000, focus="mod_7"), 125)
