"""What five releases' compressors do after a failed summary call."""

from __future__ import annotations

import json

import pytest

from core.compress.requests.failure import FailedCall, route
from tests.shared import shared

CALLS = {
    "404 model": FailedCall("model does not exist", 404),
    "503": FailedCall("Service Unavailable", 503),
    "429": FailedCall("rate limit", 429),
    "504": FailedCall("gateway", 504),
    "timeout text": FailedCall("Request timeout"),
    "timed out text": FailedCall("Request timed out"),
    "TimeoutError": FailedCall("x", exception="TimeoutError"),
    "401": FailedCall("invalid api key", 401),
    "402": FailedCall("payment required", 402),
    "400 other": FailedCall("bad thing", 400),
    "500": FailedCall("Internal server error", 500),
    "400 context overflow": FailedCall("prompt is too long: 210000 tokens > 200000 maximum", 400),
    "413": FailedCall("Request Entity Too Large", 413),
    "json": FailedCall("Expecting value: line 1 column 1 (char 0)", exception="JSONDecodeError"),
    "connection": FailedCall("connection refused", exception="ConnectionError"),
    "incomplete chunked read": FailedCall("peer closed connection (incomplete chunked read)"),
    "RuntimeError no provider": FailedCall("No LLM provider configured for task=x", exception="RuntimeError"),
    "RuntimeError other": FailedCall("boom", exception="RuntimeError"),
}
RELEASES = ("0.13.0", "0.16.0", "0.18.2", "0.19.0", "0.22.2")


@pytest.mark.shared
@pytest.mark.parametrize("version", RELEASES)
def test_each_release_continues_as_its_compressor_does(version: str) -> None:
    cases = json.loads(shared("vectors/defences/summary_fallback.json").read_text())["cases"]
    told = {}
    for case in cases:
        answer = case["answers"][version]
        answer = case["answers"][answer["same_as"]] if "same_as" in answer else answer
        name, own, main = case["id"].split(" | ")
        found = route(
            CALLS[name],
            version.rpartition(".")[0],
            own_model=own == "aux=aux/m",
            main_answers=main == "main_ok=True",
        )
        ours = {
            "calls": found.calls,
            "result": "summary" if found.summary else None,
            "cooldown_s": found.pause,
            "auth": found.auth,
            "network": found.network,
        }
        if any(answer[key] != value for key, value in ours.items()):
            told[case["id"]] = (answer, ours)
    assert told == {}


def test_nobody_to_ask_is_not_asked_twice() -> None:
    call = FailedCall("boom", exception="RuntimeError")
    assert route(call, "0.17", own_model=True, main_answers=True).calls == 1
    assert route(call, "0.18", own_model=True, main_answers=True).summary
