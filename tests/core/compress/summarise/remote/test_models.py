"""Models over the real SDKs, only the far end is local: each way to fail has its outcome, in bounded time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from core.compress.summarise.base import (
    RESTART,
    FailureKind,
    SummaryFailure,
    SummaryRequest,
    SummaryResult,
    SummaryStatus,
)
from core.compress.summarise.model_choice import ModelChoice
from core.compress.summarise.remote.base import ModelSummariser
from core.compress.summarise.remote.wires import connections, model_summariser
from core.model.accounting.amounts import Buckets
from tests.core.compress.builders import user
from tests.core.compress.summarise.far_end import HEADINGS, SUMMARY, FarEnd, far_end

KEY = "sk-test-key-1234567890abcdef"
REQUEST = SummaryRequest((user("hello"),), 500, HEADINGS, transcript="[USER]: hello")
WIRES = ("openai", "anthropic")


@pytest.fixture(autouse=True, scope="module")
def _sdks_loaded() -> None:
    """Loaded before any clock runs: it takes seconds on a busy machine."""
    import anthropic  # noqa: F401
    import openai  # noqa: F401


def _choice(wire: str, end: FarEnd, timeout: float = 5.0, model: str = "small") -> ModelChoice:
    path = "/v1" if wire == "openai" else ""
    return ModelChoice(wire, model, end.root + path, KEY, timeout)


def _summariser(wire: str, end: FarEnd, timeout: float = 5.0) -> ModelSummariser:
    return model_summariser(_choice(wire, end, timeout), wire)


def _run(wire: str, streaming: bool, *script: str, timeout: float = 5.0) -> tuple[SummaryResult, str, FarEnd]:
    pieces: list[str] = []
    with far_end(*script) as end:
        result = _summariser(wire, end, timeout).summarise(
            REQUEST, on_text=pieces.append if streaming else None
        )
    return result, "".join(pieces), end


def _fail(
    wire: str, streaming: bool, *script: str, timeout: float = 5.0
) -> tuple[SummaryFailure, FarEnd, float]:
    started = time.monotonic()
    on_text: Callable[[str], None] | None = (lambda _: None) if streaming else None
    with far_end(*script) as end, pytest.raises(SummaryFailure) as failure:
        _summariser(wire, end, timeout).summarise(REQUEST, on_text=on_text)
    return failure.value, end, time.monotonic() - started


both = pytest.mark.parametrize("wire", WIRES)
either = pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])


@both
@either
def test_a_summary_comes_back_with_model_and_usage(wire: str, streaming: bool) -> None:
    result, streamed, end = _run(wire, streaming, "ok")
    assert result.body == SUMMARY
    assert streamed == (SUMMARY if streaming else "")
    assert (result.status, result.model, result.warnings) == (SummaryStatus.MODEL, "served", ())
    assert result.usage is not None
    assert (result.usage.input, result.usage.cache_read, result.usage.output) == (600, 300, 70)
    assert isinstance(result.usage, Buckets)
    assert len(end.requests) == 1


@both
def test_the_request_carries_rules_and_transcript_apart(wire: str) -> None:
    _, _, end = _run(wire, False, "ok")
    sent = end.requests[0]
    assert sent["model"] == "small"
    if wire == "anthropic":
        assert sent["_path"] == "/v1/messages"
        assert "## Relevant Files" in sent["system"]
        assert "[USER]: hello" in sent["messages"][0]["content"]
        assert sent["max_tokens"] > REQUEST.budget
    else:
        assert sent["_path"] == "/v1/chat/completions"
        assert [message["role"] for message in sent["messages"]] == ["system", "user"]
        assert "max_tokens" not in sent


@both
@either
@pytest.mark.parametrize(
    ("behaviour", "kind", "tries"),
    [
        ("401", FailureKind.AUTH, 1),
        ("402", FailureKind.QUOTA, 1),
        ("403", FailureKind.FORBIDDEN, 1),
        ("404", FailureKind.OTHER, 1),
        ("429:0.05", FailureKind.RATE_LIMIT, 3),
        ("429:600", FailureKind.RATE_LIMIT, 1),
        ("429:Tue, 01 Jan 2999 00:00:00 GMT", FailureKind.RATE_LIMIT, 1),
        ("429:Sat, 01 Jan 2000 00:00:00 GMT", FailureKind.RATE_LIMIT, 3),
        ("429:Tue, 01 Jan 99999 00:00:00 GMT", FailureKind.RATE_LIMIT, 3),
        ("429:nan", FailureKind.RATE_LIMIT, 3),
        ("empty", FailureKind.EMPTY, 1),
        ("blank", FailureKind.EMPTY, 1),
        ("refusal", FailureKind.REFUSED, 1),
        ("refused", FailureKind.REFUSED, 1),
        ("no headings", FailureKind.UNSHAPED, 1),
        ("truncated", FailureKind.TRUNCATED, 1),
        ("wrong json", FailureKind.MALFORMED, 1),
        ("web page", FailureKind.INVALID, 1),
    ],
)
def test_each_failure_is_reported_by_its_kind(
    wire: str, streaming: bool, behaviour: str, kind: FailureKind, tries: int
) -> None:
    failure, end, seconds = _fail(wire, streaming, behaviour)
    nameless = (wire, streaming, behaviour) == ("anthropic", True, "wrong json")  # it skips such events
    assert failure.kind is (FailureKind.INVALID if nameless else kind), failure
    assert len(end.requests) == tries
    assert "127.0.0.1" in failure.where
    assert failure.remedy
    assert (failure.partial is not None) == (kind is FailureKind.TRUNCATED)
    assert KEY not in failure.line
    assert seconds < 5


@both
@pytest.mark.parametrize(
    ("behaviour", "kind"), [("500", FailureKind.SERVER), ("503", FailureKind.OVERLOADED)]
)
def test_a_server_that_fails_is_asked_three_times(wire: str, behaviour: str, kind: FailureKind) -> None:
    failure, end, seconds = _fail(wire, False, behaviour)
    assert failure.kind is kind
    assert len(end.requests) == 3
    assert seconds < 6


def test_a_choice_without_a_message_is_not_an_empty_answer() -> None:
    failure, end, _ = _fail("openai", False, "no message")
    assert failure.kind is FailureKind.MESSAGELESS
    assert len(end.requests) == 1


def test_a_message_in_parts_is_no_summary() -> None:
    failure, end, _ = _fail("openai", False, "parts")
    assert failure.kind is FailureKind.INVALID
    assert len(end.requests) == 1


@both
@either
def test_a_passing_failure_is_got_over(wire: str, streaming: bool) -> None:
    result, streamed, end = _run(wire, streaming, "429:0.05", "cut", "ok")
    assert result.body == SUMMARY
    assert len(end.requests) == 3
    if streaming:
        assert streamed.split(RESTART)[-1] == SUMMARY


@both
@either
def test_a_cut_answer_is_not_a_summary(wire: str, streaming: bool) -> None:
    failure, end, _ = _fail(wire, streaming, "cut")
    assert failure.kind is FailureKind.NETWORK
    assert len(end.requests) == 3


@both
@either
def test_a_silent_server_is_given_up_in_time(wire: str, streaming: bool) -> None:
    failure, _, seconds = _fail(wire, streaming, "hang", timeout=0.2)
    assert failure.kind is FailureKind.TIMEOUT
    assert seconds < 6


@both
@pytest.mark.parametrize("behaviour", ["hang", "503"])
def test_all_attempts_together_have_a_limit_behind_which_nobody_is_asked(wire: str, behaviour: str) -> None:
    started = time.monotonic()
    with far_end(behaviour) as end:
        main = (connections(wire)[0], _choice(wire, end, 30.0, "main"))
        asked = ModelSummariser(wire, connections(wire)[0], _choice(wire, end, 30.0), main, total=0.3)
        with pytest.raises(SummaryFailure) as failure:
            asked.summarise(REQUEST)
    assert failure.value.kind is FailureKind.TIMEOUT
    assert "all attempts together" in failure.value.what
    assert time.monotonic() - started < 5
    assert [request["model"] for request in end.requests] == ["small"]


@both
def test_an_answer_that_only_trickles_is_given_up_in_time(wire: str) -> None:
    failure, _, seconds = _fail(wire, True, "trickle", timeout=0.15)
    assert failure.kind is FailureKind.TIMEOUT
    assert seconds < 8


@both
@pytest.mark.parametrize("behaviour", ["hang", "trickle"])
def test_the_user_can_give_up_at_any_time(wire: str, behaviour: str) -> None:
    started = time.monotonic()
    with far_end(behaviour) as end, pytest.raises(SummaryFailure) as failure:
        _summariser(wire, end, timeout=30).summarise(
            REQUEST, on_text=lambda _: None, cancelled=lambda: time.monotonic() - started > 0.4
        )
    assert failure.value.kind is FailureKind.CANCELLED
    assert time.monotonic() - started < 4
    assert len(end.requests) == 1


@both
@either
def test_an_answer_over_the_budget_is_kept_with_a_warning(wire: str, streaming: bool) -> None:
    result, _, _ = _run(wire, streaming, "long")
    assert any("more than the 500 asked for" in warning for warning in result.warnings)


@both
def test_an_answer_without_end_is_broken_off(wire: str) -> None:
    failure, _, seconds = _fail(wire, True, "runaway")
    assert "ran on" in failure.what
    assert seconds < 5


@both
def test_a_missing_heading_is_a_warning(wire: str) -> None:
    result, _, _ = _run(wire, False, "one missing")
    assert result.warnings == ("the model left out: Goal",)


@both
def test_thinking_fences_and_prefaces_are_taken_off(wire: str) -> None:
    result, _, _ = _run(wire, False, "decorated")
    assert result.body == SUMMARY


@both
def test_a_credential_in_the_answer_is_masked(wire: str) -> None:
    result, _, _ = _run(wire, False, "leaky")
    assert "ghp_" not in result.body


@both
def test_the_main_model_is_tried_once_when_the_chosen_one_fails(wire: str) -> None:
    with far_end("401", "ok") as end:
        main = _choice(wire, end, model="main")
        result = model_summariser(_choice(wire, end), wire, main).summarise(REQUEST)
    assert [request["model"] for request in end.requests] == ["small", "main"]
    assert result.body == SUMMARY
    assert "written by main" in result.warnings[0]


@both
def test_when_both_models_fail_the_first_failure_is_reported(wire: str) -> None:
    with far_end("401", "500") as end, pytest.raises(SummaryFailure) as failure:
        model_summariser(_choice(wire, end), wire, _choice(wire, end, model="main")).summarise(REQUEST)
    assert failure.value.kind is FailureKind.AUTH
    assert len(end.requests) == 2


@both
def test_no_server_at_all_is_a_network_failure(wire: str) -> None:
    with far_end("ok") as end:
        pass
    with pytest.raises(SummaryFailure) as failure:
        _summariser(wire, end).summarise(REQUEST)
    assert failure.value.kind is FailureKind.NETWORK


@both
def test_no_credential_reaches_the_wire(wire: str) -> None:
    secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    request = SummaryRequest(
        (user(secret),),
        500,
        HEADINGS,
        focus=f"focus {secret}",
        previous_summary=f"had {secret}",
        transcript=f"[USER]: {secret}",
    )
    with far_end("ok") as end:
        _summariser(wire, end).summarise(request)
    assert secret not in json.dumps(end.requests)


@both
def test_the_endpoint_is_named_before_anything_is_sent(wire: str) -> None:
    with far_end("ok") as end:
        summariser = _summariser(wire, end)
        assert summariser.describe().host == "127.0.0.1"
        assert summariser.describe().local
    assert end.requests == []
    assert KEY not in repr(_choice(wire, end))


def test_the_sdks_are_loaded_only_to_ask() -> None:
    code = (
        "import sys, core.compress.summarise.remote.openai, core.compress.summarise.remote.anthropic, "
        "core.compress.summarise.extract.summariser, core.compress.summarise.model_choice;"
        "assert not {'openai', 'anthropic', 'tiktoken', 'httpx2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
