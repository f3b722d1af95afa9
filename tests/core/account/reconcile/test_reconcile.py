"""A provider's export compared with what Hermes recorded."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from core.account.reconcile.exports import read_export
from core.account.reconcile.reconcile import reconcile
from core.errors import UsageError
from core.imports.fields import alias_of
from core.model.accounting.amounts import Buckets
from core.model.accounting.usage import Reconciliation
from core.store.store import Store
from tests.core.account.homes import Book, tokens

DAY = datetime(2026, 3, 1, 10, tzinfo=UTC).timestamp()

OPENROUTER = (
    "generation_id,created_at,model_permaslug,provider_name,tokens_prompt,tokens_cached,tokens_completion,"
    "cost_total\n"
    "g1,2026-03-01 10:00:00,anthropic/claude-4.5-opus-20251124,Anthropic,1000,400,50,0.0123\n"
    "g2,2026-03-01 11:00:00,anthropic/claude-4.5-opus-20251124,Anthropic,2000,0,70,0.02\n"
)
ANTHROPIC = (
    "usage_date_utc,model_version,workspace,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,"
    "usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens\n"
    '2026-03-01,claude-opus-4-5-20251101,Default,100,20,5,"9,000",40\n'
    "2026-03-02,claude-haiku-4-5-20251001,Default,7,0,0,0,3\n"
)
OPENAI = """start_time,model,input_tokens,input_cached_tokens,output_tokens,num_model_requests
1772359200,gpt-5.2-2025-12-11,5000,4000,60,3
"""
ANTHROPIC_COST = (
    "usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type\n"
    "2026-03-01,Claude Opus 4.5,Default,k,message,≤ 200k,input_no_cache,1.50,1.50,token\n"
    "2026-03-01,Claude Opus 4.5,Default,k,message,≤ 200k,output,0.50,0.50,token\n"
)
OPENAI_COST = (
    "start_time,start_time_iso,end_time_iso,amount_value,amount_currency,quantity,line_item,project_id\n"
    '1772323200,2026-03-01T00:00:00+00:00,2026-03-02T00:00:00Z,0.75,usd,10,"gpt-5.2-2025-12-11, input",p\n'
    '1772323200,2026-03-01T00:00:00+00:00,2026-03-02T00:00:00+00:00,9,cny,10,"gpt-5.2, output",p\n'
)
DEEPSEEK = (
    "user_id,start_time_iso,end_time_iso,model,api_key_name,api_key,type,price,amount\n"
    "u,2026-03-01T08:00:00+08:00,2026-03-01T09:00:00+08:00,deepseek-chat,k,sk,input_cache_miss_tokens,0.1,300\n"
    "u,2026-03-01T08:00:00+08:00,2026-03-01T09:00:00+08:00,deepseek-chat,k,sk,input_cache_hit_tokens,0.1,5000\n"
    "u,2026-03-01T08:00:00+08:00,2026-03-01T09:00:00+08:00,deepseek-chat,k,sk,output_tokens,0.1,40\n"
    "u,2026-03-01T08:00:00+08:00,2026-03-01T09:00:00+08:00,deepseek-chat,k,sk,request_count,,2\n"
)
GENERIC = "Date;Model;Input Tokens;Output Tokens\n2026-03-01;m;10;5\nnot a day;m;1;1\n2026-03-01;m;x;1\n"


def export(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "export.csv"
    path.write_text(text)
    return path


def test_each_provider_is_recognised_by_its_columns(tmp_path: Path) -> None:
    texts = (OPENROUTER, ANTHROPIC, OPENAI, GENERIC, ANTHROPIC_COST, OPENAI_COST, DEEPSEEK)
    names = [read_export(export(tmp_path, text)).mapping for text in texts]
    assert names == [
        "openrouter",
        "anthropic",
        "openai",
        "generic",
        "anthropic-cost",
        "openai-cost",
        "deepseek",
    ]


def test_cached_tokens_are_subtracted_where_the_input_holds_them(tmp_path: Path) -> None:
    entries = read_export(export(tmp_path, OPENROUTER)).entries
    assert entries[0].tokens == Buckets(600, 400, None, 50)
    assert entries[0].usd == Decimal("0.0123")
    (one,) = read_export(export(tmp_path, OPENAI)).entries
    assert (one.day, one.model, one.tokens.input, one.calls) == (date(2026, 3, 1), "gpt-5-2", 1000, 3)


def test_anthropic_counts_are_exclusive_and_writes_add_up(tmp_path: Path) -> None:
    entries = read_export(export(tmp_path, ANTHROPIC)).entries
    assert entries[0].tokens == Buckets(100, 9000, 25, 40)


def test_lines_that_are_not_entries_are_counted(tmp_path: Path) -> None:
    found = read_export(export(tmp_path, GENERIC))
    assert (found.mapping, len(found.entries), found.skipped) == ("generic", 1, 2)


def recorded(tmp_path: Path, model: str, *counts: int) -> Book:
    return Book(tmp_path / "s.db").session("a", started_at=DAY, model=model, **tokens(*counts))


def matched(tmp_path: Path, text: str, book: Book) -> Reconciliation:
    with Store(book.path) as store:
        return reconcile([store], export(tmp_path, text))


def test_a_day_that_agrees_matches_although_the_slugs_differ(tmp_path: Path) -> None:
    book = Book(tmp_path / "s.db").session(
        "a", started_at=DAY, model="claude-opus-4.5", **tokens(100, 9000, 25, 40)
    )
    found = matched(tmp_path, ANTHROPIC, book)
    assert [(row.model, row.verdict) for row in found.rows] == [
        ("claude-opus-4-5", "match"),
        ("claude-haiku-4-5", "only_provider"),
    ]
    assert found.covered == pytest.approx(9165 / 9175)
    assert "2026-03-02 claude-haiku-4-5: 10 tokens the provider counted" in found.holes[0]


def test_a_hole_says_how_large_it_is_and_in_which_bucket(tmp_path: Path) -> None:
    book = Book(tmp_path / "s.db").session(
        "a", started_at=DAY, model="claude-opus-4-5", **tokens(100, 2000, 25, 40)
    )
    found = matched(tmp_path, ANTHROPIC, book)
    assert found.rows[0].verdict == "differs"
    assert found.holes[0].endswith("the provider counted 7,000 tokens more, most of it cache read")


def test_what_only_hermes_knows_is_named_too(tmp_path: Path) -> None:
    found = matched(tmp_path, ANTHROPIC, recorded(tmp_path, "local", 50))
    assert [(row.model, row.verdict) for row in found.rows] == [
        ("claude-opus-4-5", "only_provider"),
        ("local", "only_hermes"),
        ("claude-haiku-4-5", "only_provider"),
    ]


def test_the_order_of_the_words_in_a_slug_does_not_matter(tmp_path: Path) -> None:
    found = matched(tmp_path, OPENROUTER, recorded(tmp_path, "anthropic/claude-opus-4.5", 2600, 400, 0, 120))
    assert [(row.model, row.verdict) for row in found.rows] == [("claude-opus-4-5", "match")]


def test_a_bill_without_tokens_is_matched_by_its_amounts(tmp_path: Path) -> None:
    book = Book(tmp_path / "s.db").session(
        "a", started_at=DAY, model="claude-opus-4-5", estimated_cost_usd=1.99, **tokens(100)
    )
    found = matched(tmp_path, ANTHROPIC_COST, book)
    assert [(row.verdict, row.provider_usd) for row in found.rows] == [("match", Decimal("2.00"))]
    assert found.covered == pytest.approx(0.995)
    found = matched(tmp_path, OPENAI_COST, book)
    assert found.holes == (
        "2026-03-01 claude-opus-4-5: 100 tokens Hermes recorded and the export does not hold",
        "2026-03-01 gpt-5-2: the provider billed $0.75, Hermes recorded no cost for 0 tokens",
    )
    assert found.skipped == 1


def test_a_row_for_each_kind_of_token_comes_together(tmp_path: Path) -> None:
    found = matched(tmp_path, DEEPSEEK, recorded(tmp_path, "deepseek-chat", 300, 5000, 0, 40))
    (row,) = found.rows
    assert (row.provider_tokens, row.provider_calls) == (Buckets(300, 5000, None, 40), 2)
    assert row.verdict == "match"


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffday,model,input,output,cost\n2026-03-01,m,1234567,89,1234.5\n",
        "day;model;input;output;cost\n2026-03-01;m;1.234.567;89;1.234,50\n",
        "day\tmodel\tinput\toutput\tcost\n2026/03/01\tm\t1,234,567\t89\t$1,234.50\n",
        'day,model,input,output,cost\r\n"2026-03-01T23:30:00Z",m,"1 234 567",89,"1,234.50 USD"\r\n',
        "day,model,input,output,cost\n2026-03-02T01:30:00+02:00,m,1_234_567,89,1234.50\n",
        "day,model,input,output,cost\n1772359200000,m,1234567,89,1234.50\n",
    ],
    ids=["mark", "semicolons", "tabs", "quotes", "zone", "milliseconds"],
)
def test_an_export_is_read_however_a_spreadsheet_saved_it(tmp_path: Path, text: str) -> None:
    (one,) = read_export(export(tmp_path, text)).entries
    assert (one.day, one.tokens.input, one.tokens.output) == (date(2026, 3, 1), 1_234_567, 89)
    assert one.usd == Decimal("1234.50")


@pytest.mark.parametrize(
    ("header", "line", "expected"),
    [
        (
            "starting_at,model,uncached_input_tokens,cache_creation.ephemeral_1h_input_tokens,"
            "cache_creation.ephemeral_5m_input_tokens,cache_read_input_tokens,output_tokens",
            "2026-03-01T00:00:00Z,claude-opus-4-5,1,2,3,4,5",
            Buckets(1, 4, 5, 5),
        ),
        (
            "usage_date_utc,model_version,usage_input_tokens_no_cache,usage_input_tokens_cache_write,"
            "usage_input_tokens_cache_read,usage_output_tokens",
            "2026-03-01,claude-opus-4-5-20251101,8,5,6,1",
            Buckets(8, 6, 5, 1),
        ),
        (
            "Usage Date (UTC)\tModel\tInput Tokens\tCache Creation Input Tokens\tCache Read Input Tokens"
            "\tOutput Tokens",
            "2026/3/1\tClaude Opus 4.5\t100\t20\t300\t40",
            Buckets(100, 300, 20, 40),
        ),
        (
            "date,model,model_permaslug,endpoint_id,provider_name,usage,byok_usage_inference,requests,"
            "prompt_tokens,completion_tokens,reasoning_tokens",
            "2026-03-01,anthropic/claude-opus-4.5,anthropic/claude-4.5-opus-20251124,e,A,0.01,0,5,50,12,2",
            Buckets(50, None, None, 12, 2),
        ),
    ],
)
def test_every_bucket_of_a_known_export_is_read(
    tmp_path: Path, header: str, line: str, expected: Buckets
) -> None:
    (entry,) = read_export(export(tmp_path, f"{header}\n{line}\n")).entries
    assert (entry.day, entry.tokens) == (date(2026, 3, 1), expected)
    assert alias_of(entry.model) == alias_of("claude-opus-4-5")


@pytest.mark.parametrize("above", ["sep=;\n", "\n\n", "Usage of March\n\n"])
def test_lines_above_the_table_are_passed_over(tmp_path: Path, above: str) -> None:
    assert len(read_export(export(tmp_path, above + GENERIC)).entries) == 1


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_spreadsheets_save_in_their_own_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes("Date;Model;Input Tokens;Output Tokens\n2026-03-01;modèle;10;5\n".encode(encoding))
    assert [entry.model for entry in read_export(path).entries] == ["modèle"]


def test_a_day_without_use_is_not_an_unread_line(tmp_path: Path) -> None:
    empty = "1772445600,,,,,\n"
    assert read_export(export(tmp_path, OPENAI + empty)).skipped == 0


def test_a_bill_that_names_no_model_says_how_to_export_it(tmp_path: Path) -> None:
    path = export(tmp_path, "start_time_iso,amount_value,amount_currency,line_item\n2026-03-01,0.75,usd,\n")
    with pytest.raises(UsageError, match="model ''") as caught:
        reconcile((), path)
    assert "grouped by model or line item" in caught.value.remedy


def test_sessions_that_continued_past_their_day_are_counted(tmp_path: Path) -> None:
    book = recorded(tmp_path, "m", 10, 0, 0, 5)
    assert matched(tmp_path, GENERIC, book).notes == ()
    book.message("a", "assistant", timestamp=DAY + 86_400)
    (note,) = matched(tmp_path, GENERIC, book).notes
    assert note == "sessions that ran on into a later day, whose usage all counts where they began: 1"


def test_columns_can_be_named_where_nobody_knows_them(tmp_path: Path) -> None:
    text = "Wann,Wer,Rein,Raus\n2026-03-01,opus,10,5\n"
    with pytest.raises(UsageError, match=r"Wann, Wer, Rein, Raus.*--columns day=COLUMN"):
        read_export(export(tmp_path, text))
    columns = {"day": "wann", "model": "Wer", "input": "Rein", "output": "Raus"}
    assert read_export(export(tmp_path, text), columns=columns).entries[0].tokens == Buckets(
        10, None, None, 5
    )
    with pytest.raises(UsageError, match="no column 'When'"):
        read_export(export(tmp_path, text), columns=columns | {"day": "When"})
    with pytest.raises(UsageError, match="no field is called 'colour'"):
        read_export(export(tmp_path, text), columns={"colour": "Wer"})


def test_a_day_that_could_be_a_month_is_not_guessed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the first holds day '3/1/2026', model 'm'"):
        matched(tmp_path, "day,model,input,output\n3/1/2026,m,1,1\n", recorded(tmp_path, "m", 1))


@pytest.mark.parametrize(
    ("left", "right"), [("gpt-4-5", "gpt-5-4"), ("llama-3-1-8b", "llama-3-1-70b"), ("o3", "o4")]
)
def test_models_that_differ_keep_apart(left: str, right: str) -> None:
    assert alias_of(left) != alias_of(right)


def test_an_export_without_the_columns_says_which_it_needs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no column mapping fits"):
        read_export(export(tmp_path, "a,b\n1,2\n"))
    with pytest.raises(UsageError, match="no mapping is called 'bank'"):
        read_export(export(tmp_path, ANTHROPIC), "bank")
    with pytest.raises(UsageError, match="cannot be read"):
        read_export(tmp_path / "missing.csv")
