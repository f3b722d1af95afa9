"""A dry run of a compaction: complete, consistent, and with no trace on what it was made from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.compress.dry_run import Agent, preview
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.compress.requests.request import summary_request
from core.compress.sizing.estimate import transcript_tokens
from core.compress.summarise.base import (
    Cancelled,
    FailureKind,
    GivenSummary,
    OfflineSummariser,
    SummaryFailure,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)
from core.compress.summarise.extract.summariser import ExtractiveSummariser
from core.compress.summarise.fallback.summariser import StaticSummariser
from core.hermes.policy.policy import documents, load_policy, releases
from core.model.compaction.plan import Settings
from core.model.compaction.preview import FactCount
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call
from tests.core.compress.conversations import conversation, messages, resumed
from tests.core.compress.engines.test_compressor import Scripted

SMALL = Settings(window=64000)


@pytest.mark.parametrize("release", [*releases(), *documents()])
def test_a_preview_is_complete(release: str) -> None:
    measured = measure(messages(11), load_policy(release))
    found = plan(measured, replace(SMALL, window=128000))
    made = preview(measured, found, ExtractiveSummariser(), focus="lantern")
    assert made.before == measured.messages
    assert made.before_tokens == measured.estimated_tokens
    assert made.written_tokens == transcript_tokens(made.after, measured.policy.estimate)
    if found.middle.size:
        assert made.summary is not None
        assert made.summary_index is not None
        assert made.retention is not None
        assert made.feedback.headline == f"Compressed: {len(made.before)} → {len(made.after)} messages"


def test_without_a_middle_nothing_changes() -> None:
    measured = measure(messages(11)[:4], load_policy("0.19"))
    made = preview(measured, plan(measured, SMALL), ExtractiveSummariser())
    assert made.after == made.before
    assert made.feedback.noop
    assert made.summary is None


def test_retention_can_be_left_for_later() -> None:
    measured = measure(messages(11), load_policy("0.19"))
    assert preview(measured, plan(measured, SMALL), Scripted(), retention=False).retention is None


class Written(OfflineSummariser):
    """Says of its text who wrote it."""

    name = "written"

    def __init__(self, status: SummaryStatus) -> None:
        self._status = status

    def _written(self, request: SummaryRequest, cancelled: Cancelled | None) -> SummaryResult:
        return SummaryResult("The repair is in /opt/never/seen/billing_gate.py.", self._status)


@pytest.mark.parametrize("status", SummaryStatus)
def test_only_a_summary_by_a_model_is_checked_for_claims(status: SummaryStatus) -> None:
    measured = measure(messages(11), load_policy("0.19"))
    made = preview(measured, plan(measured, SMALL), Written(status))
    assert made.retention is not None
    assert bool(made.retention.unsupported) == (status is SummaryStatus.MODEL)


@pytest.mark.parametrize(
    ("kind", "headline"),
    [
        (FailureKind.AUTH, "Compression aborted: {before} messages preserved"),
        (FailureKind.TIMEOUT, "Compression aborted: {before} messages preserved"),
        (FailureKind.OTHER, "Compressed with fallback: {before} → {after} messages"),
    ],
)
def test_a_failing_summariser_leads_where_the_release_leads(kind: FailureKind, headline: str) -> None:
    measured = measure(messages(11), load_policy("0.19"))
    made = preview(measured, plan(measured, SMALL), Scripted(kind))
    counts = {"before": len(made.before), "after": len(made.after)}
    assert made.feedback.headline == headline.format(**counts)
    assert made.feedback.aborted == (made.summary is None)
    assert made.feedback.note is not None
    assert "it failed" in made.feedback.note


def test_giving_up_is_passed_on() -> None:
    measured = measure(messages(11), load_policy("0.19"))
    with pytest.raises(SummaryFailure):
        preview(measured, plan(measured, SMALL), Scripted(FailureKind.CANCELLED))


def test_the_static_summary_counts_as_a_fallback() -> None:
    policy = load_policy("0.19")
    measured = measure(messages(11), policy)
    made = preview(measured, plan(measured, SMALL), StaticSummariser(policy))
    assert made.feedback.fallback_used


def test_022_refuses_to_grow_a_conversation() -> None:
    short = [Message({"role": role, "content": "x"}) for role in ("user", "assistant") * 12]
    measured = measure(short, load_policy("0.22"))
    made = preview(measured, plan(measured, SMALL), ExtractiveSummariser())
    assert made.after == made.before
    assert made.feedback.headline.startswith("Compression refused")


def test_the_request_follows_the_release() -> None:
    old = measure(messages(11), load_policy("0.16"))
    new = measure(messages(11), load_policy("0.22"))
    first = summary_request(old, plan(old, SMALL), today="2026-11-21")
    second = summary_request(new, plan(new, SMALL), today="2026-11-21")
    assert (first.headings[0], second.headings[0]) == ("Active Task", "Historical Task Snapshot")
    assert (first.auto_focus, first.today) == (None, None)
    assert second.auto_focus is not None
    assert second.today == "2026-11-21"
    assert first.max_output == int(first.budget * 1.3)
    assert second.max_output is None
    assert second.headings[-1] == "Pruned Skills"


def test_an_earlier_summary_is_continued_not_summarised() -> None:
    measured = measure([Message(row) for row in resumed(12)], load_policy("0.19"))
    asked = summary_request(measured, plan(measured, SMALL))
    assert asked.previous_summary is not None
    assert "Count the lanterns" in asked.previous_summary
    assert all("[CONTEXT SUMMARY]" not in turn.text for turn in asked.turns)


def test_what_it_was_made_from_stays_as_it_was() -> None:
    rows = conversation(11)
    measured = measure([Message(row) for row in rows], load_policy("0.22"))
    preview(measured, plan(measured, SMALL), ExtractiveSummariser())
    assert rows == conversation(11)


def _areas() -> list[Message]:
    """Work on two parts of a project in turn, every message naming its part."""
    rows: list[Message] = []
    for n in range(24):
        area = ("billing", "search")[n % 2]
        rows += [
            Message(
                {"role": "user", "content": f"Fix src/{area}/f{n}.py, ticket {area[:3].upper()}-{700 + n}."}
            ),
            *call(
                "terminal",
                f"tests/{area}/test_{n}.py FAILED\nE   ValueError: {area} {n} broke after {n + 100} ms\n"
                * 20,
                command=f"pytest tests/{area}/test_{n}.py",
            ),
            assistant(f"The {area} part {n} is done, commit {n:02d}ab12f{n:02d}."),
        ]
    return rows


@pytest.mark.parametrize("release", releases())
def test_a_focus_keeps_all_of_its_topic_whatever_the_release_adds(release: str) -> None:
    measured = measure(_areas(), load_policy(release))
    found = plan(measured, replace(SMALL, window=8000))
    made = preview(measured, found, ExtractiveSummariser(), focus="billing", agent=Agent("s1"))
    plain = preview(measured, found, ExtractiveSummariser(), agent=Agent("s1"))
    assert made.retention is not None
    assert made.summary is not None
    assert plain.summary is not None
    assert _share(made.retention.focus) == 1.0
    assert len(made.summary) <= max(1.1 * len(plain.summary), 4 * (found.summary_budget or 0))


def test_a_chinese_focus_finds_chinese_work() -> None:
    rows: list[Message] = []
    for n in range(20):
        area = ("账单", "队列")[n % 2]
        rows += [
            Message(
                {"role": "user", "content": f"请检查{area}模块第{n + 30}号任务，文件 src/{area}/f{n}.py。"}
            ),
            *call(
                "terminal",
                f"错误: {area} {n + 60} 失败，耗时 {n + 200} 秒\n" * 20,
                command=f"pytest {area}_{n}",
            ),
            assistant(f"{area}模块第{n + 30}号任务完成，提交 {n:02d}ab12f{n:02d}。"),
        ]
    measured = measure(rows, load_policy("0.22"))
    made = preview(
        measured, plan(measured, replace(SMALL, window=8000)), ExtractiveSummariser(), focus="账单"
    )
    assert made.retention is not None
    assert _share(made.retention.focus) >= _share(made.retention.rest)


def test_a_model_is_never_narrowed_by_the_focus() -> None:
    measured = measure(_areas(), load_policy("0.22"))
    found = plan(measured, replace(SMALL, window=8000))
    made = preview(measured, found, Scripted(), focus="billing")
    assert made.summary == preview(measured, found, Scripted()).summary
    assert made.summary is not None
    assert "src/search/f1.py" in made.summary


def _share(count: FactCount | None) -> float:
    assert count is not None
    assert count.of
    return (count.kept + count.paraphrased) / count.of


@pytest.mark.parametrize(
    ("release", "task", "speaks", "refused"),
    [
        ("0.22", "Tidy the queue.", False, True),
        ("0.22", "None. This session contains no user-authored turns.", False, False),
        ("0.22", "Tidy the queue.", True, False),
        ("0.19", "Tidy the queue.", False, False),
    ],
)
def test_a_models_summary_that_takes_a_user_for_granted_is_stated_to_be_refused_where_none_spoke(
    release: str, task: str, speaks: bool, refused: bool
) -> None:
    rows = [row for seed in range(6) for row in messages(seed) if speaks or row.role != "user"]
    measured = measure(rows, load_policy(release))
    body = f"## {measured.policy.summary.headings[0]}\n{task}\n\n## Goal\nTidy."
    made = preview(measured, plan(measured, SMALL), GivenSummary(body), retention=False)
    assert made.summary is not None
    assert any("No message is from a user" in note for note in made.notes) is refused
