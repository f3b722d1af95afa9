"""A checked summary holds nothing the messages do not support, and the heaviest of what a model left out."""

from __future__ import annotations

import json
import lzma
import tarfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from core.compress.retention.score import retention
from core.compress.summarise.base import (
    RESTART,
    FailureKind,
    SummaryFailure,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)
from core.compress.summarise.checked import CheckedSummariser, joined, without
from core.compress.summarise.extract.fact_lines import FactLine
from core.compress.summarise.extract.summariser import quarter
from core.compress.summarise.model_choice import ModelChoice
from core.compress.summarise.prompt import repair_prompt, repair_size
from core.compress.summarise.remote.base import ModelSummariser
from core.compress.summarise.remote.wires import model_summariser
from core.model.transcript.message import Message
from tests.core.compress.builders import assistant, call, user
from tests.core.compress.retention.judged import judged
from tests.core.compress.summarise.far_end import HEADINGS, LIES, SUMMARY, FarEnd, far_end
from tests.shared import shared

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
MIDDLE = (
    user("Migrate the invoices of src/invoices.py, never touch table LEDGER_77, budget $900."),
    *call("patch", "ok", path="src/invoices.py"),
    assistant(f"src/invoices.py is changed; ENT-501 follows. The key is {SECRET}."),
)
REQUEST = SummaryRequest(MIDDLE, 500, HEADINGS, transcript="[USER]: migrate the invoices")
both = pytest.mark.parametrize("wire", ["openai", "anthropic"])


def checked(wire: str, end: FarEnd) -> CheckedSummariser:
    choice = ModelChoice(wire, "small", end.root + ("/v1" if wire == "openai" else ""), "sk-key", 5.0)
    return CheckedSummariser(model_summariser(choice, wire))


def run(wire: str, *script: str) -> tuple[SummaryResult, FarEnd]:
    with far_end(*script) as end:
        return checked(wire, end).summarise(REQUEST), end


@both
def test_claims_nothing_supports_are_asked_about_once_without_the_transcript(wire: str) -> None:
    result, end = run(wire, "lying", "ok")
    assert len(end.requests) == 2
    asked = json.dumps(end.requests[1])
    assert "src/ghost.py" in asked
    assert "LEDGER_77" in asked
    assert "[USER]: migrate" not in asked
    assert SECRET not in asked
    assert not any(lie in result.body for lie in LIES)
    assert result.status is SummaryStatus.MODEL
    assert result.usage is not None
    assert (result.usage.input, result.usage.cache_read, result.usage.output) == (1_200, 600, 140)


@both
def test_what_the_model_does_not_fix_is_removed_and_reported(wire: str) -> None:
    result, end = run(wire, "lying")
    assert len(end.requests) == 2
    assert not any(lie in result.body for lie in LIES)
    assert "words about goal" in result.body
    assert retention(MIDDLE, result.body).unsupported == ()
    assert "2 sentences removed" in result.warnings[-1]
    assert "src/ghost.py" in result.warnings[-1]


@both
def test_an_answer_without_fault_is_asked_for_once(wire: str) -> None:
    result, end = run(wire, "ok")
    assert len(end.requests) == 1
    assert "nothing removed" in result.warnings[-1]


@both
def test_the_heaviest_facts_the_model_lost_are_added_within_the_budget(wire: str) -> None:
    result, _ = run(wire, "ok")
    assert "never touch table LEDGER_77" in result.body
    assert quarter(result.body) <= REQUEST.budget
    assert [line for line in result.body.splitlines() if line.startswith("## ")] == [
        f"## {heading}" for heading in HEADINGS
    ]
    plain = retention(MIDDLE, SUMMARY).score or 0.0
    assert (retention(MIDDLE, result.body).score or 0.0) > plain + 0.3


@both
def test_a_focus_that_no_message_mentions_favours_nothing(wire: str) -> None:
    with far_end("ok") as end:
        result = checked(wire, end).summarise(replace(REQUEST, focus="bananas"))
    assert "never touch table LEDGER_77" in result.body


@both
def test_a_model_that_fails_when_asked_again_costs_no_summary(wire: str) -> None:
    result, end = run(wire, "lying", "404")
    assert len(end.requests) == 2
    assert not any(lie in result.body for lie in LIES)
    assert "asked about them, it failed" in result.warnings[-1]
    assert result.usage is not None
    assert result.usage.output == 70


def test_a_second_answer_that_forgets_most_is_not_taken() -> None:
    full = SUMMARY + "\n" + "\n".join(message.text for message in MIDDLE if message.role == "user")
    answers = iter((f"{full}\n- {LIES[0]}", SUMMARY))

    def answer(*_: object, **__: object) -> SummaryResult:
        return SummaryResult(next(answers), SummaryStatus.MODEL, "small")

    model = SimpleNamespace(name="openai", summarise=answer, ask=answer)
    tight = SummaryRequest(MIDDLE, 100, HEADINGS)
    body = CheckedSummariser(cast(ModelSummariser, model)).summarise(tight).body
    assert "LEDGER_77" in body
    assert LIES[0] not in body


@both
def test_the_user_can_give_up_the_second_time_too(wire: str) -> None:
    seen: list[str] = []
    with far_end("lying", "hang") as end, pytest.raises(SummaryFailure) as failure:
        checked(wire, end).summarise(REQUEST, on_text=seen.append, cancelled=lambda: RESTART in seen)
    assert failure.value.kind is FailureKind.CANCELLED


def test_the_second_request_is_never_larger_than_its_price_said() -> None:
    long = ["x" * 300 + str(n) for n in range(400)]
    prompt = repair_prompt(REQUEST, "w" * 4 * REQUEST.budget, long, long, long)
    assert quarter(prompt.text) <= repair_size(REQUEST, quarter) + 40


def test_an_item_left_empty_goes_and_an_empty_section_says_so() -> None:
    body = "## Goal\n1. **Done:** wrong.\n- right. wrong.\n\n## Blocked\n- wrong."
    left, taken = without(body, lambda sentence: "wrong" in sentence)
    assert joined(left, (), ("Goal", "Blocked")) == "## Goal\n- right.\n\n## Blocked\nNone."
    assert len(taken) == 3


def test_lines_go_under_their_headings_after_what_is_there() -> None:
    lines = [FactLine("goal", "Ship it.", 0), FactLine("files", "a.py (read)", 1)]
    body = joined("## Goal\nMove.\n\n## Relevant Files\nNone.", lines, HEADINGS)
    assert body == "## Goal\nMove.\nShip it.\n\n## Relevant Files\n- a.py (read)"


@pytest.mark.shared
def test_on_conversations_somebody_read_the_lies_go_and_more_is_kept(tmp_path: Path) -> None:
    with lzma.open(shared("data/cases.tar.xz")) as packed, tarfile.open(fileobj=packed) as bundle:
        bundle.extractall(tmp_path, filter="data")
    claims = left = 0
    before = after = 0.0
    for one in list(judged(tmp_path))[::3]:
        body = "## Critical Context\n" + one.faithful + "\n" + "\n".join(f"- {lie}" for lie in one.claims)
        result = _told(one.messages, body)
        claims += len(one.claims)
        left += sum(lie in result for lie in one.claims)
        before += one.report(one.faithful).score or 0.0
        after += one.report(result).score or 0.0
    assert claims > 20
    assert left <= 0.2 * claims
    assert after > before * 1.1


def _told(messages: tuple[Message, ...], body: str) -> str:
    answer = SummaryResult(body, SummaryStatus.MODEL, "small")
    model = SimpleNamespace(name="openai", summarise=lambda *_, **__: answer, ask=lambda *_, **__: answer)
    request = SummaryRequest(messages, 1_000, ("Active Task", "Pending User Asks", "Critical Context"))
    return CheckedSummariser(cast(ModelSummariser, model)).summarise(request).body
