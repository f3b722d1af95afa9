"""One line of a log as a record."""

from __future__ import annotations

import pytest

from core.hermes.log.parse import parse_line
from core.hermes.log.record import Kind

ANSWERED = (
    "2026-11-23 10:00:00,123 INFO [s1] agent.conversation_loop: API call #3: model=gpt-5.2 provider=openai "
    "in=10060 out=5 total=10065 latency=1.0s"
)


@pytest.mark.parametrize(
    ("behind", "kept"),
    [
        ("", ""),
        (" cache=9960/10060 (99%)", ""),
        (" cache=9960/10060 (98%)", " cache=9960/10060 (98%)"),
        (" write=7", " write=7"),
        (" cache=9960/10060 (99%) write=7 id=c26", " write=7 id=c26"),
    ],
)
def test_an_answered_call_is_quoted_as_written_though_little_of_its_text_is_kept(
    behind: str, kept: str
) -> None:
    record = parse_line(ANSWERED + behind, "agent.log:1")
    assert record is not None
    assert record.message == (ANSWERED + behind).partition(": ")[2]
    assert record.quoted.endswith(kept)
    assert len(record.quoted) < len(record.message) // 2 or kept == " cache=9960/10060 (98%)"


@pytest.mark.parametrize(
    ("reason", "quoted"),
    [
        ("word " * 70 + "end", "word " * 70 + "end"),
        ("word " * 90, " word…"),
        ("x" * 500, " failed…"),
        ("{" + '"member":1,' * 90, '"member":1,…'),
    ],
)
def test_a_long_line_is_quoted_up_to_a_word_and_shows_that_it_goes_on(reason: str, quoted: str) -> None:
    line = f"Session DB compression split failed {reason}".rstrip()
    at = "2026-11-23 10:00:00,123 WARNING [s1] agent.conversation_loop: "
    record = parse_line(at + line, "agent.log:1")
    assert record is not None
    assert record.message.endswith(quoted)
    assert line.startswith(record.message.removesuffix("…"))
    assert len(record.message) <= 401
    assert record.text == line.removeprefix("Session DB compression split failed")


@pytest.mark.parametrize("number", ["Infinity", "NaN", "1e400", "9" * 400, "true", '"5"'])
def test_a_number_that_cannot_be_a_count_is_left_out_of_the_telemetry(number: str) -> None:
    told = f'{{"session_id": "s1", "main_context_limit": {number}, "total_duration_ms": {number}}}'
    head = "2026-11-23 10:00:00,123 INFO [s1] agent.conversation_compression: "
    record = parse_line(f"{head}context compression attempt telemetry: {told}", "agent.log:1")
    assert record is not None
    assert record.telemetry is not None
    assert (record.telemetry.window, record.telemetry.duration) == (None, None)


@pytest.mark.parametrize("took", [10**14, -(10**27)])
def test_a_duration_no_attempt_has_is_left_out_of_the_telemetry(took: int) -> None:
    head = "2026-11-23 10:00:00,123 INFO [s1] agent.conversation_compression: "
    line = f'{head}context compression attempt telemetry: {{"session_id": "s1", "total_duration_ms": {took}}}'
    record = parse_line(line, "agent.log:1")
    assert record is not None
    assert record.telemetry is not None
    assert record.telemetry.duration is None


@pytest.mark.parametrize("seconds", ["1.2.3", "9" * 12, "9" * 400])
def test_a_time_that_cannot_be_one_makes_the_line_a_torn_one(seconds: str) -> None:
    assert parse_line(ANSWERED.replace("1.0s", f"{seconds}s"), "agent.log:1") is None


def test_a_result_that_the_budget_of_a_turn_moved_to_a_file_names_its_call_and_its_size() -> None:
    told = "Budget enforcement: persisted tool result call_0001_0 (80416 chars)"
    record = parse_line(f"2026-11-30 14:39:01,328 INFO [s1] tools.tool_result_storage: {told}", "agent.log:1")
    assert record is not None
    assert (record.kind, record.text, record.number) == (Kind.RESULT_MOVED, "call_0001_0", 80_416)
