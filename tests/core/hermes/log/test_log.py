from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.hermes.log.index import log_files, needles
from core.hermes.log.parse import parse_line, patterns, split_head
from core.hermes.log.read import read_log
from core.hermes.log.record import Kind, LogRecord

HEAD = "2026-11-21 20:06:47,259 INFO [S1] agent.turn_context: "
STARTED = "context compression started: session=S1 messages=49 tokens=~54,828 model=m focus=None"
DONE = "context compression done: session=S1 messages=49->20 rough_tokens=~20,926 awaiting_real_usage=true"
CALL = "API call #7: model=m provider=p in=17552 out=59 total=17611 latency=0.1s cache=13312/17552 (76%)"


def write(home: Path, name: str, *lines: str, newline: bool = True) -> Path:
    path = home / "logs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + ("\n" if newline else ""), "utf-8")
    return path


@pytest.mark.parametrize(
    ("message", "kind", "values"),
    [
        (
            "conversation turn: session=S1 model=m provider=p platform=cli history=14 msg='x y'",
            Kind.TURN,
            {"session": "S1", "before": 14},
        ),
        (CALL, Kind.CALL, {"number": 7, "input": 17552, "output": 59, "cached": 13312}),
        (
            "API call #1: model=m provider=p in=2559 out=87 total=2646 latency=0.7s id=c1",
            Kind.CALL,
            {"input": 2559, "cached": None},
        ),
        (
            "API call #2: model=m provider=p in=9 out=1 total=10 latency=0.1s cache=6/9 (67%) write=2 id=m1",
            Kind.CALL,
            {"input": 9, "cached": 6, "written": 2},
        ),
        (
            "API call #1: model=m provider=p in=9 out=1 total=10 latency=0.1s write=9 upstream=Some One",
            Kind.CALL,
            {"input": 9, "cached": None, "written": 9},
        ),
        (
            "API call #1: model=m provider=p in=? out=? total=? latency=0.7s usage=unavailable",
            Kind.CALL,
            {"input": None, "output": None},
        ),
        (STARTED, Kind.STARTED, {"tokens": 54828, "before": 49, "focus": None}),
        (
            "context compression started: session=S1 messages=9 tokens=~unknown model= focus='auth \"x\"'",
            Kind.STARTED,
            {"tokens": None, "focus": 'auth "x"'},
        ),
        (DONE, Kind.DONE, {"before": 49, "after": 20, "tokens_after": 20926}),
        (
            "context compression done: session=S2 messages=41->11 tokens=~30,867",
            Kind.DONE,
            {"session": "S2", "tokens_after": 30867},
        ),
        (
            "Preflight compression: ~150,945 tokens >= 100,000 threshold (model t/m, ctx 200,000)",
            Kind.PREFLIGHT,
            {"tokens": 150945, "threshold": 100000, "window": 200000},
        ),
        (
            "Pre-API compression: ~54,828 request tokens >= 54,400 threshold (context=64,000, attempt=1/5)",
            Kind.PRE_API,
            {"tokens": 54828, "threshold": 54400, "window": 64000, "number": 1},
        ),
        (
            "Session hygiene: 557 messages, ~90,000 tokens (anchored) — auto-compressing"
            " (threshold: 85% of 100,000 = 85,000 tokens)",
            Kind.HYGIENE,
            {"before": 557, "tokens": 90000, "threshold": 85000, "reason": "anchored"},
        ),
        (
            "Session hygiene: compressed 557 → 20 msgs, ~90,000 → ~9,000 tokens",
            Kind.HYGIENE_DONE,
            {"before": 557, "after": 20, "tokens_after": 9000},
        ),
        (
            "Skipping preflight compression: rough estimate ~60,000 >= 54,400, but last real provider prompt"
            " was 40,000 after compression",
            Kind.PREFLIGHT_SKIPPED,
            {"tokens": 60000, "input": 40000},
        ),
        (
            "Skipping preflight compression: rough estimate ~60,000 >= 54,400 is not anchored on real usage"
            " (last real provider prompt 41,000); deferring to the next response",
            Kind.PREFLIGHT_SKIPPED,
            {"tokens": 60000, "input": 41000},
        ),
        (
            "Auxiliary compression model small has 32,000 token context, below the main model's compression"
            " threshold of 100,000 tokens — auto-lowered session threshold to 32,000 to keep working.",
            Kind.AUX_LOWERED,
            {"window": 32000, "threshold": 32000, "tokens": 100000},
        ),
        (
            "Summarizing turns 4-29 (26 turns), protecting 3 head + 121 tail messages",
            Kind.REGION,
            {"number": 26, "after": 121},
        ),
        (
            "Session hygiene compression for session S1 made no progress for 30.0s (total wait 41.2s, ceiling"
            " 600.0s); continuing without compression",
            Kind.HYGIENE_FAILED,
            {"session": "S1"},
        ),
        (
            "Session hygiene: skipping compression for S1; previous failure cooldown active for 12.5s",
            Kind.SKIPPED,
            {"session": "S1"},
        ),
        (
            "Fallback activated: mock-model → mock-b (custom)",
            Kind.MODEL_REPLACED,
            {"model": "mock-b", "provider": "custom"},
        ),
    ],
)
def test_each_form_is_read(message: str, kind: Kind, values: dict[str, object]) -> None:
    record = parse_line(HEAD + message, "agent.log:1")
    assert record is not None
    assert record.kind is kind
    assert {name: getattr(record, name) for name in values} == values


def test_telemetry_is_read_completely() -> None:
    text = (
        'context compression attempt telemetry: {"commit_status":"committed",'
        '"current_estimated_tokens":56266,'
        '"effective_threshold":54400,"main_context_limit":64000,"messages_after":25,"messages_before":51,'
        '"session_id":"S1","total_duration_ms":412,"trigger_source":"post_tool"}'
    )
    record = parse_line(HEAD + text, "agent.log:1")
    assert record is not None
    assert record.telemetry is not None
    assert (record.telemetry.trigger, record.telemetry.threshold, record.telemetry.duration) == (
        "post_tool",
        54400,
        0.412,
    )


@pytest.mark.parametrize(
    "message", [f"API call #1: model=a provider=b in={'9' * 6_000} out=8 total=9", STARTED, DONE, CALL]
)
def test_a_torn_line_is_not_a_line(message: str) -> None:
    for cut in range(10, len(message)):
        record = parse_line(HEAD + message[:cut], "agent.log:1")
        assert record is None or record.kind is not Kind.STARTED or message[:cut] == STARTED


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "2026-02-30"])
def test_a_line_at_the_end_of_the_calendar_has_no_time(day: str) -> None:
    assert split_head(f"{day} 23:59:59,999 INFO [a] run_agent: hello") is None


def test_a_number_of_thousands_of_digits_is_none() -> None:
    assert parse_line(HEAD + re.sub(r"\d+", "9" * 6_000, CALL), "agent.log:1") is None


def test_a_form_in_the_middle_of_a_message_is_a_quotation() -> None:
    assert parse_line(HEAD + "user said: " + STARTED, "agent.log:1") is None


def test_every_form_holds_a_needle_of_the_scan() -> None:
    for pattern in patterns():
        line = f"logger: {pattern.starts}".encode()
        assert any(needle in line for needle in needles()), pattern.starts


def test_lines_are_numbered_and_only_those_that_matter_are_kept(tmp_path: Path) -> None:
    write(
        tmp_path,
        "agent.log",
        HEAD + "noise",
        "Traceback (most recent call last):",
        HEAD + STARTED,
        HEAD + DONE,
    )
    log = read_log(tmp_path, ["S1"])
    assert [(record.kind, record.where) for record in log.records] == [
        (Kind.STARTED, "agent.log:3"),
        (Kind.DONE, "agent.log:4"),
    ]


def test_other_sessions_are_left_out_unless_their_numbers_hold_for_all(tmp_path: Path) -> None:
    other = HEAD.replace("S1", "S2")
    preflight = "Preflight compression: ~9 tokens >= 8 threshold (model m, ctx 70,000)"
    write(tmp_path, "agent.log", other + CALL, other + preflight)
    assert [record.kind for record in read_log(tmp_path, ["S1"]).records] == [Kind.PREFLIGHT]


def test_rotations_in_any_order_and_doubled_lines_give_one_story(tmp_path: Path) -> None:
    later = HEAD.replace("20:06", "20:07")
    write(tmp_path, "agent.log", HEAD + STARTED)
    write(tmp_path, "agent.log.1", later + DONE, later + DONE)
    assert [record.kind for record in read_log(tmp_path, ["S1"]).records] == [Kind.STARTED, Kind.DONE]
    assert [path.name for path in log_files(tmp_path)] == ["agent.log.1", "agent.log"]


def test_a_log_that_grows_says_the_same_as_one_read_at_once(tmp_path: Path) -> None:
    early, late = HEAD + STARTED, HEAD.replace("20:06:47", "20:07:01") + DONE
    between = HEAD.replace("20:06:47", "20:06:50") + CALL
    for lines in ([early], [early, late], [early, late, late, between], [between]):
        write(tmp_path, "agent.log", *lines)
        write(tmp_path, "gateway.log", *lines[:2])
        told = [(record.kind, record.at) for record in read_log(tmp_path, ["S1"]).records]
        assert told == sorted({(record.kind, record.at) for record in records(lines)}, key=lambda one: one[1])


def records(lines: list[str]) -> list[LogRecord]:
    return [one for line in lines if (one := parse_line(line, "agent.log:1", "")) is not None]


@pytest.mark.parametrize("after", ["", ", not retryable"])
def test_a_failed_call_is_one_whether_it_is_tried_again_or_not(tmp_path: Path, after: str) -> None:
    write(
        tmp_path, "agent.log", f"{HEAD}API call failed (attempt 1/3{after}) error_type=E summary=HTTP 401: no"
    )
    assert [record.kind for record in read_log(tmp_path, ["S1"]).records] == [Kind.CALL_FAILED]


def test_a_line_still_being_written_waits_for_its_end(tmp_path: Path) -> None:
    write(tmp_path, "agent.log", HEAD + STARTED, HEAD + DONE, newline=False)
    assert len(read_log(tmp_path, ["S1"]).records) == 1


def test_a_multi_line_error_brings_its_continuation(tmp_path: Path) -> None:
    failed = "API call failed (attempt 1/3) error_type=E provider=p model=m summary=first"
    write(tmp_path, "agent.log", HEAD + failed, "second line", HEAD + DONE)
    assert read_log(tmp_path, ["S1"]).records[0].text == "first\nsecond line"


def test_the_index_reads_only_the_tail_and_follows_a_rotation(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    padding = [HEAD + "noise"] * 20
    path = write(tmp_path, "agent.log", *padding, HEAD + STARTED)
    assert len(read_log(tmp_path, ["S1"], cache).records) == 1
    with path.open("a") as stream:
        stream.write(HEAD + DONE + "\n")
    records = read_log(tmp_path, ["S1"], cache).records
    assert [record.where for record in records] == ["agent.log:21", "agent.log:22"]
    path.rename(path.with_name("agent.log.1"))
    write(tmp_path, "agent.log", HEAD.replace("20:06", "20:08") + CALL)
    assert [record.where for record in read_log(tmp_path, ["S1"], cache).records] == [
        "agent.log.1:21",
        "agent.log.1:22",
        "agent.log:1",
    ]


def test_the_index_forgets_a_file_that_was_written_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    path = write(tmp_path, "agent.log", *[HEAD + "noise"] * 20, HEAD + STARTED)
    read_log(tmp_path, ["S1"], cache)
    path.write_text((HEAD + CALL + "\n") * 9, "utf-8")
    assert {record.kind for record in read_log(tmp_path, ["S1"], cache).records} == {Kind.CALL}


def test_the_index_forgets_a_file_that_begins_as_before_but_went_another_way(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    padding = [HEAD + "noise"] * 20
    write(tmp_path, "agent.log", *padding, HEAD + STARTED, HEAD + DONE)
    read_log(tmp_path, ["S1"], cache)
    write(tmp_path, "agent.log", *padding, HEAD + DONE, HEAD + STARTED, HEAD + CALL)
    whole, kept = (read_log(tmp_path, ["S1"], at).records for at in (None, cache))
    assert [record.kind for record in kept] == [record.kind for record in whole]


def test_a_damaged_index_counts_as_none(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    write(tmp_path, "agent.log", *[HEAD + "noise"] * 20, HEAD + STARTED)
    read_log(tmp_path, ["S1"], cache)
    for kept in cache.iterdir():
        kept.write_bytes(os.urandom(200))
    assert len(read_log(tmp_path, ["S1"], cache).records) == 1


def test_the_log_is_never_written_to(tmp_path: Path) -> None:
    path = write(tmp_path, "agent.log", *[HEAD + STARTED] * 9)
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(p.name for p in path.parent.iterdir()))
    read_log(tmp_path, ["S1"], tmp_path / "cache")
    assert (
        path.read_bytes(),
        path.stat().st_mtime_ns,
        sorted(p.name for p in path.parent.iterdir()),
    ) == before


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_not_a_file_is_a_problem_not_a_crash_and_not_waited_for(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    (tmp_path / "logs").mkdir()
    make(tmp_path / "logs" / "agent.log")
    log = read_log(tmp_path, ["S1"])
    assert log.empty
    assert log.problems


def test_a_home_without_logs_has_none(tmp_path: Path) -> None:
    assert read_log(tmp_path, ["S1"]).empty


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=600), st.lists(st.integers(0, 200), max_size=4))
def test_bytes_of_any_kind_do_not_raise(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, cuts: list[int]
) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / "logs").mkdir()
    text = f"{HEAD}{STARTED}\n{HEAD}{DONE}\n".encode()
    for cut in cuts:
        text = text[:cut] + junk + text[cut:]
    (home / "logs" / "agent.log").write_bytes(text)
    read_log(home, ["S1"])


def test_starts_of_the_program_are_distinguished_from_clients_made_while_it_runs(tmp_path: Path) -> None:
    write(
        tmp_path,
        "agent.log",
        "2026-06-01 12:00:00,000 INFO run_agent: No .env file found. Using system environment variables.",
        "2026-06-01 12:00:01,000 INFO hermes_cli.plugins: Plugin discovery complete: 2 found, 1 enabled",
        "2026-06-01 12:00:02,000 INFO run_agent: OpenAI client created (agent_init, shared=True)",
        "2026-06-01 12:00:05,000 INFO run_agent: Loaded environment variables from /home/me/.hermes/.env",
    )
    log = read_log(tmp_path, ["S1"])
    assert [at.second for at in log.starts] == [0, 1, 5]
    assert log.empty


def test_of_a_log_that_grew_the_new_lines_alone_are_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def counted(line: str, where: str, below: str = "") -> LogRecord | None:
        asked.append(where)
        return parse_line(line, where, below)

    monkeypatch.setattr("core.hermes.log.read.parse_line", counted)
    path = write(tmp_path, "agent.log", *(HEAD + CALL.replace("#7", f"#{n}") for n in range(50)))
    assert len(read_log(tmp_path, ["S1"]).records) == len(asked) == 50
    asked.clear()
    with path.open("a") as stream:
        stream.write(HEAD + CALL.replace("#7", "#50") + "\n")
    assert [record.number for record in read_log(tmp_path, ["S1"]).records] == [*range(51)]
    assert asked == ["agent.log:51"]


def test_several_threads_read_logs_at_once(tmp_path: Path) -> None:
    write(tmp_path, "agent.log", *(HEAD.replace("S1", f"S{one}") + CALL for one in range(4)))
    pace = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            read = list(threads.map(lambda one: read_log(tmp_path, [f"S{one % 4}"]), range(800)))
    finally:
        sys.setswitchinterval(pace)
    assert [len(log.records) for log in read] == [1] * 800
