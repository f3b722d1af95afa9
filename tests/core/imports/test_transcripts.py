"""Logs of other tools: each call once, in the buckets and at the price of its own kind."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.account.pricing.price_book import PriceBook
from core.account.spending.imported_ledger import transcript_ledger
from core.errors import NotFoundError, UsageError
from core.imports.usage_logs import Transcripts
from core.model.accounting.amounts import Buckets

JANUARY = "2026-01-09T10:00:00.000Z"


def claude(name: str, output: int, stop: str | None = "end_turn", **values: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 4000,
        "cache_creation_input_tokens": 500,
        "cache_creation": {"ephemeral_1h_input_tokens": 200, "ephemeral_5m_input_tokens": 300},
        "output_tokens": output,
    }
    message = {"id": name, "model": "claude-opus-4-5-20251101", "stop_reason": stop, "usage": usage}
    return {
        "type": "assistant",
        "timestamp": JANUARY,
        "sessionId": "s1",
        "requestId": f"req-{name}",
        "message": message,
        **values,
    }


def codex(total: int, **usage: int) -> dict[str, Any]:
    info = {"last_token_usage": usage, "total_token_usage": {"total_tokens": total}}
    return {"timestamp": JANUARY, "type": "event_msg", "payload": {"type": "token_count", "info": info}}


@pytest.fixture
def log(tmp_path: Path) -> Any:
    def write(*lines: Any, name: str = "log.jsonl") -> Path:
        path = tmp_path / name
        texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
        path.write_text("".join(f"{text}\n" for text in texts))
        return path

    return write


def test_a_streamed_answer_counts_once_by_its_last_line(log: Any) -> None:
    row = transcript_ledger([log(claude("m1", 1, None), claude("m1", 1, None), claude("m1", 80))]).totals
    assert (row.calls, row.tokens) == (1, Buckets(10, 4000, 500, 80, 0))
    assert not row.lower_bound


def test_a_call_copied_into_a_resumed_session_counts_once_whatever_the_order(log: Any) -> None:
    old = log(claude("m1", 1, None), claude("m2", 7), name="old.jsonl")
    new = log(claude("m1", 90, sessionId="s2"), claude("m3", 5, sessionId="s2"), name="new.jsonl")
    for files in ([old, new], [new, old]):
        total = transcript_ledger(files).totals
        assert (total.calls, total.tokens.output) == (3, 102)


def test_an_answer_of_which_only_the_stream_survives_makes_a_lower_bound(log: Any) -> None:
    found = transcript_ledger([log(claude("m1", 2, None), claude("m2", 50))])
    assert found.lower_bound
    assert found.notes == ("1 of 2 calls were logged while streaming only: they may have put out more",)


def shown(line: dict[str, Any], *blocks: dict[str, Any]) -> dict[str, Any]:
    return {**line, "message": {**line["message"], "content": list(blocks)}}


def test_only_answers_whose_text_needs_more_than_was_counted_are_stated_to_have_put_out_more(
    log: Any,
) -> None:
    long = {"type": "text", "text": "word " * 40}
    call = {"type": "tool_use", "name": "Bash", "input": {"command": "ls " * 60}}
    short = {"type": "text", "text": "ok"}
    first = [shown(claude("m1", 1, None), long), shown(claude("m2", 1, None), call)]
    both = transcript_ledger([log(*first)])
    assert both.notes == ("2 of 2 calls were logged while streaming only: they put out more than this",)
    [note] = transcript_ledger([log(*first, shown(claude("m3", 1, None), short))]).notes
    assert note.endswith(": 2 put out more than this, the others may have")


def test_text_copied_into_a_resumed_log_counts_once(log: Any) -> None:
    line = shown(claude("m1", 20, None), {"type": "text", "text": "word " * 20})
    [note] = transcript_ledger([log(line, name="a.jsonl"), log(line, name="b.jsonl")]).notes
    assert note.endswith("they may have put out more")


def test_a_call_past_midnight_is_booked_on_the_day_it_was_sent_and_that_is_stated(log: Any) -> None:
    sent = claude("m1", 1, None, timestamp="2026-01-09T23:59:58.000Z")
    done = claude("m1", 80, timestamp="2026-01-10T00:00:03.000Z")
    for lines in ([sent, done], [done, sent]):
        found = transcript_ledger([log(*lines)], by="day", zone=UTC)
        assert [(row.key, row.tokens.output) for row in found.rows] == [("2026-01-09", 80)]
        [note] = found.notes
        assert note.startswith("1 call goes past the end of the day: booked by when the request was sent")
    assert transcript_ledger([log(sent, done)], by="model", zone=UTC).notes == ()
    assert transcript_ledger([log(sent, done)], until=datetime(2026, 1, 10, tzinfo=UTC)).totals.calls == 1


def test_a_subagent_in_progress_lines_is_spent_too(log: Any) -> None:
    below = claude("m2", 30)
    progress = {
        "type": "progress",
        "sessionId": "s1",
        "timestamp": JANUARY,
        "data": {"message": {key: below[key] for key in ("message", "requestId", "timestamp")}},
    }
    rows = transcript_ledger([log(claude("m1", 50), progress, progress)], by="session").rows
    assert [(row.key, row.calls, row.tokens.output) for row in rows] == [("s1", 2, 80)]


def test_codex_counts_cached_input_inside_the_input_and_repeated_totals_once(log: Any) -> None:
    path = log(
        {"type": "session_meta", "payload": {"id": "abc", "model_provider": "openai"}},
        {"type": "turn_context", "payload": {"model": "gpt-5.2"}},
        codex(
            1125, input_tokens=1000, cached_input_tokens=250, output_tokens=125, reasoning_output_tokens=75
        ),
        codex(
            1125, input_tokens=1000, cached_input_tokens=250, output_tokens=125, reasoning_output_tokens=75
        ),
        {"type": "turn_context", "payload": {"model": "gpt-5.3-codex"}},
        codex(1725, input_tokens=500, cached_input_tokens=500, output_tokens=100),
    )
    rows = transcript_ledger([path], by="model").rows
    assert [(row.key, row.calls, row.tokens) for row in rows] == [
        ("gpt-5.2", 1, Buckets(750, 250, 0, 125, 75)),
        ("gpt-5.3-codex", 1, Buckets(0, 500, 0, 100, 0)),
    ]
    assert [row.key for row in transcript_ledger([path]).rows] == ["abc"]


def test_answers_kept_as_an_api_gave_them_are_read_in_their_own_shape(log: Any) -> None:
    path = log(
        {
            "id": "chatcmpl-1",
            "created": 1767952800,
            "model": "gpt-5.2",
            "usage": {
                "prompt_tokens": 1000,
                "completion_tokens": 80,
                "prompt_tokens_details": {"cached_tokens": 640},
            },
        },
        {
            "response": {
                "id": "resp_1",
                "model": "gpt-5.2",
                "usage": {
                    "input_tokens": 900,
                    "output_tokens": 90,
                    "input_tokens_details": {"cached_tokens": 700},
                },
            }
        },
        {
            "responseId": "g1",
            "modelVersion": "gemini-2.5-pro",
            "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "thoughtsTokenCount": 5},
        },
        name="answers.jsonl",
    )
    rows = {row.key: row.tokens for row in transcript_ledger([path], by="model").rows}
    assert rows == {
        "gpt-5.2": Buckets(560, 1340, 0, 170, 0),
        "gemini-2.5-pro": Buckets(100, 0, 0, 15, 5),
    }


def test_each_call_is_priced_with_its_hour_long_writes(log: Any) -> None:
    total = transcript_ledger([log(claude("m1", 100))], prices=PriceBook()).totals
    # 10 x 5 + 4000 x 0.50 + 300 x 6.25 + 200 x 10 + 100 x 25, per million
    assert total.computed.usd == Decimal("0.008425")


def test_a_recorded_cost_stays_apart_and_an_unknown_model_has_no_price(log: Any) -> None:
    own = claude("m1", 100, costUSD=0.25)
    own["message"]["model"] = "somebodys-model"
    total = transcript_ledger([log(own)], prices=PriceBook()).totals
    assert total.recorded.usd == Decimal("0.25")
    assert (total.computed.usd, total.computed.missing) == (None, 1)


def test_days_are_those_of_the_calls(log: Any) -> None:
    path = log(claude("m1", 1), claude("m2", 2, timestamp="2026-01-10T00:30:00Z"))
    rows = transcript_ledger([path], by="day", zone=UTC).rows
    assert [(row.key, row.calls) for row in rows] == [("2026-01-09", 1), ("2026-01-10", 1)]
    since = transcript_ledger([path], since=datetime(2026, 1, 10, tzinfo=UTC)).totals
    assert (since.calls, since.sessions, since.tokens.output) == (1, 1, 2)


def test_torn_lines_are_left_out_and_counted(log: Any) -> None:
    found = transcript_ledger([log(claude("m1", 1), '{"message": {"usage": ', '["usage"]', "null", "")])
    assert (found.totals.calls, found.notes) == (1, ("1 line is not JSON and left out",))


def test_a_file_without_usage_is_a_note_next_to_those_that_hold_some(log: Any, tmp_path: Path) -> None:
    silent = tmp_path / "summary_only.jsonl"
    silent.write_text('{"type": "summary", "summary": "the usage of it"}\n')
    found = transcript_ledger([silent, log(claude("m1", 1))])
    assert found.totals.calls == 1
    assert found.notes == (f"1 file holds no usage of a model call: {silent}",)


def test_files_that_all_lack_usage_are_refused_in_one_line(log: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no usage of a model call is in this file"):
        transcript_ledger([log({"type": "user", "message": {"content": "the usage"}})])
    with pytest.raises(NotFoundError, match="no such file"):
        Transcripts().read(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="cannot be read"):
        Transcripts().read(tmp_path)
    with pytest.raises(UsageError, match="cannot group logs by 'profile'"):
        transcript_ledger([], by="profile")


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 90), st.sampled_from(["a", "b"]), st.booleans()),
        min_size=1,
        max_size=20,
    )
)
def test_every_dimension_sums_to_the_total(tmp_path_factory: Any, calls: list[Any]) -> None:
    path = tmp_path_factory.mktemp("logs") / "one.jsonl"
    lines = [
        claude(f"m{number}", output, "end_turn" if whole else None, sessionId=session)
        for number, output, session, whole in calls
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for by in ("session", "model", "provider", "day", "hour"):
        found = transcript_ledger([path], by=by)
        assert found.totals.calls == len({number for number, *_ in calls})
        assert sum(row.calls or 0 for row in found.rows) == found.totals.calls
        assert sum(row.tokens.output or 0 for row in found.rows) == found.totals.tokens.output
