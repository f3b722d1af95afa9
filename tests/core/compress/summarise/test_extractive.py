"""The offline summariser fills the release's sections from the messages themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compress.anchors import constraints, sentences
from core.compress.retention import retention
from core.compress.summarise.base import FailureKind, SummaryFailure, SummaryRequest, SummaryStatus, sections
from core.compress.summarise.extractive import ExtractiveSummariser, quarter
from core.model.message import Message
from core.model.preview import AnchorCount
from tests.core.compress.builders import assistant, call, long_work, user
from tests.shared import shared
from tests.timing import seconds

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


def _summary(
    middle: list[Message],
    *,
    budget: int = 2_000,
    headings: tuple[str, ...] = OLD,
    focus: str | None = None,
    previous: str | None = None,
) -> str:
    request = SummaryRequest(tuple(middle), budget, headings, focus=focus, previous_summary=previous)
    return ExtractiveSummariser().summarise(request).body


def _session() -> list[Message]:
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


@pytest.mark.parametrize("headings", [OLD, NEW])
def test_every_heading_of_the_release_stands_once_and_in_order(headings: tuple[str, ...]) -> None:
    body = _summary(_session(), headings=headings)
    assert [line[3:] for line in body.splitlines() if line.startswith("## ")] == list(headings)


def test_each_fact_lands_in_its_section() -> None:
    found = sections(_summary(_session()))
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


def test_work_whose_request_stands_before_it_has_that_request_as_its_goal() -> None:
    middle = [*call("terminal", "12 passed", command="pytest -q"), assistant("All pass.")]
    before = "Repair the login of the shop."
    request = SummaryRequest(tuple(middle), 2_000, OLD, asked_before=before)
    goal = sections(ExtractiveSummariser().summarise(request).body)["Goal"]
    assert goal == "Repair the login of the shop. (asked before this)"
    updated = replace(request, previous_summary="## Goal\nShip the shop.")
    assert sections(ExtractiveSummariser().summarise(updated).body)["Goal"] == "Ship the shop."


def test_what_tells_nothing_is_left_out() -> None:
    middle = [
        user("Edit it."),
        *call("edit_file", "The file src/shop/cart.py has been updated.", path="src/shop/cart.py"),
        assistant(
            "Here is the reason it broke, the root cause chain:\nThe cart was shared because of a cache."
        ),
    ]
    found = sections(_summary(middle))
    assert "1. edit_file src/shop/cart.py -> done" in found["Completed Actions"]
    assert "chain:" not in found["Key Decisions"]
    assert "because of a cache" in found["Key Decisions"]
    assert "Last check" not in found["Active State"]


def test_calls_that_differ_in_a_number_alone_are_told_as_a_series() -> None:
    middle = [user("Time every run.")]
    for run in range(1, 9):
        middle += call("terminal", "12 layers\nslow\nslower", command=f"time run-{run}")
    told = sections(_summary(middle))["Completed Actions"]
    assert "terminal time run-1 to time run-8 (8 calls alike) -> last: 3 lines" in told
    assert "run-5" not in told


def test_a_client_s_own_words_are_no_request_and_no_rule() -> None:
    skill = "Base directory for this skill: /opt/skills/debug\n\nNever skip a step. Always look twice."
    body = _summary([user("Fix the lantern."), user(skill), assistant("Looking.")])
    assert "look twice" not in body


@pytest.mark.parametrize(
    "text", ["How should we proceed?", "277: # Check required elements", "ValueError: only one may hold"]
)
def test_what_only_sounds_like_a_rule_is_none(text: str) -> None:
    assert constraints(text) == ()


def test_a_sentence_wrapped_by_hand_stays_whole() -> None:
    assert sentences("It works because the lantern is lit, and\nthe harbour sees it.\nNext.") == [
        "It works because the lantern is lit, and the harbour sees it.",
        "Next.",
    ]


def test_actions_are_numbered_in_the_order_they_happened() -> None:
    lines = sections(_summary(_session()))["Completed Actions"].splitlines()
    assert [line.split(".")[0] for line in lines] == [str(n) for n in range(1, len(lines) + 1)]
    text = "\n".join(lines)
    assert text.index("patch src/auth/login.py") < text.index("12 passed") < text.index("pandoc manual.md")


def test_what_was_undone_is_left_out() -> None:
    body = _summary(_session())
    assert "write_file tmp/probe.py" not in body
    assert "tmp/probe.py (" not in body
    assert retention(_session(), body).stale == ()


def test_requests_keep_their_language_and_identifiers() -> None:
    middle = [
        user("请修复 src/认证/login.py 的登录问题，不要改动数据库迁移。"),
        *call("terminal", "错误：令牌无效", command="pytest 测试"),
        assistant("已修复，提交 1abaa52。"),
        user("Тесты должны проходить в src/проверка.py, никогда не меняй схему."),
    ]
    body = _summary(middle)
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
        message for n in range(40) for message in (*_session(), user(f"part {n} of src/mod_{n}.py " * 5))
    ]
    assert quarter(_summary(middle, budget=budget, focus=focus)) <= budget


def test_a_summary_is_at_most_half_of_what_it_replaces() -> None:
    middle = [user("word " * 1_000), assistant("answer " * 1_000)]
    size = sum(quarter(message.text) for message in middle)
    assert quarter(_summary(middle, budget=10_000)) <= size // 2


def test_a_summary_updates_the_one_before_it() -> None:
    first = _summary(_session()[:8])
    assert "E ValueError: bad token" in sections(_summary(_session()[:3]))["Blocked"]
    second = _summary(_session()[8:], previous=first)
    assert "Never touch the database migrations." in second
    assert sections(second)["Constraints & Preferences"].count("Never touch the database migrations.") == 1
    assert "Repair" not in sections(second)["Pending User Asks"], "answered since"
    assert "src/auth/login.py" in second
    assert "Translate the manual into Finnish." in sections(second)["Active Task"]
    assert "Repair the login of the shop." in sections(second)["Goal"]
    third = _summary([assistant("Nothing new.")], previous=second)
    assert "Translate the manual into Finnish." in sections(third)["Active Task"]


def test_updating_drops_what_the_new_messages_undid() -> None:
    files = "## Relevant Files\n- tmp/probe.py (wrote)\n- src/kept.py (read)"
    previous = f"{files}\n\n## Blocked\n- E X: y (terminal pytest -q)"
    middle = [
        *call("terminal", "", command="rm tmp/probe.py"),
        *call("terminal", "3 passed", command="pytest -q"),
    ]
    body = _summary(middle, previous=previous)
    assert "tmp/probe.py (wrote)" not in body
    assert "src/kept.py" in body
    assert "E X: y" not in body


def test_the_same_previous_summary_again_adds_nothing() -> None:
    once = _summary(_session())
    twice = _summary(_session(), previous=once)
    assert len(twice) < 1.3 * len(once)


def test_sections_move_to_the_headings_of_another_release() -> None:
    old = _summary(_session()[:8], headings=OLD)
    new = _summary(_session()[8:], headings=NEW, previous=old)
    assert "src/auth/login.py" in sections(new)["Relevant Files"]
    assert "Left to do" not in sections(new)["Goal"]


def _rate(count: AnchorCount | None) -> float:
    assert count is not None
    assert count.of
    return (count.kept + count.paraphrased) / count.of


@pytest.mark.parametrize("focus", ["billing", "the billing service"])
@pytest.mark.parametrize("budget", [600, 2_000, 8_000])
def test_a_focus_survives_at_twice_the_rate_of_the_rest(focus: str, budget: int) -> None:
    middle: list[Message] = []
    for n in range(60):
        area = "billing" if n % 4 == 0 else ("search", "upload", "mail")[n % 3]
        middle += [
            user(f"Look at {area} case {n}, ticket {area.upper()[:3]}-{1000 + n}"),
            *call(
                "read_file",
                f"src/{area}/part_{n}.py has {n + 10} lines, took {n}.5 ms",
                path=f"src/{area}/m{n}.py",
            ),
            *call(
                "terminal",
                f"E   {area.title()}Error: case {n} broke\ncommit {n:02x}ab12f{n:02d}",
                command=f"pytest {area} {n}",
            ),
            assistant(f"The {area} case {n} is settled in src/{area}/m{n}.py."),
        ]
    body = _summary(middle, budget=budget, focus=focus)
    report = retention(middle, body, focus=focus)
    assert _rate(report.focus) >= 2 * _rate(report.rest)
    plain = retention(middle, _summary(middle, budget=budget), focus=focus)
    assert _rate(report.focus) > _rate(plain.focus)


def test_a_focus_nobody_mentions_takes_nothing_away() -> None:
    assert _summary(_session(), focus="kubernetes") == _summary(_session())


def test_no_credential_reaches_the_summary() -> None:
    key = "sk-ant-api03-abcdEFGH1234567890abcdEFGH1234567890"
    middle = [
        user(f"use the key {key} for it"),
        *call("terminal", f"ANTHROPIC_API_KEY={key}", command=f"export ANTHROPIC_API_KEY={key}"),
        assistant(f"set {key}"),
    ]
    body = _summary(middle, previous=f"## Critical Context\n- key {key}")
    assert key[:16] not in body
    assert "[redacted:anthropic-key]" in body


def test_it_streams_its_text_and_stays_in_this_process() -> None:
    pieces: list[str] = []
    summariser = ExtractiveSummariser()
    result = summariser.summarise(SummaryRequest(tuple(_session()), 2_000, OLD), on_text=pieces.append)
    assert "".join(pieces) == result.body
    assert result.status is SummaryStatus.EXTRACTIVE
    assert summariser.describe() is None


def test_it_can_be_cancelled() -> None:
    with pytest.raises(SummaryFailure) as failure:
        ExtractiveSummariser().summarise(
            SummaryRequest(tuple(_session()), 2_000, OLD), cancelled=lambda: True
        )
    assert failure.value.kind is FailureKind.CANCELLED


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
    first = _summary(middle, budget=budget, focus=focus, previous=previous)
    assert first == _summary(middle, budget=budget, focus=focus, previous=previous)
    assert quarter(first) <= budget
    assert [line[3:] for line in first.splitlines() if line.startswith("## ") and line[3:] in OLD][: len(OLD)]


def test_two_thousand_messages_take_less_than_a_second() -> None:
    middle = long_work(500)
    assert seconds(lambda: _summary(middle, budget=10_000, focus="mod_7")) < 1.0


@pytest.mark.shared
def test_a_focus_wins_on_real_transcripts() -> None:
    import json
    import tarfile

    archive = shared("data/cases.tar.xz")
    wins = []
    with tarfile.open(archive) as bundle:
        names = [name for name in bundle.getnames() if name.endswith(".json") and "claude-code" in name][:4]
        for name in names:
            file = bundle.extractfile(name)
            assert file is not None
            middle = [Message(wire) for wire in json.load(file)["messages"]][3:-8]
            for focus in ("checkpoint", "test", "hooks"):
                report = retention(middle, _summary(middle, budget=4_000, focus=focus), focus=focus)
                if report.focus and report.rest and report.focus.of >= 5 and report.rest.of >= 15:
                    wins.append(_rate(report.focus) >= 2 * _rate(report.rest))
    assert len(wins) >= 4
    assert sum(wins) >= 0.9 * len(wins)
