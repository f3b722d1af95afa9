"""A provider's export beside what Hermes recorded."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from core.account.reconcile import read_export, reconcile
from core.errors import UsageError
from core.model.tokens import Buckets
from core.model.usage import Reconciliation
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
GENERIC = "Date;Model;Input Tokens;Output Tokens\n2026-03-01;m;10;5\nnot a day;m;1;1\n2026-03-01;m;x;1\n"


def export(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "export.csv"
    path.write_text(text)
    return path


def test_each_provider_is_recognised_by_its_columns(tmp_path: Path) -> None:
    names = [read_export(export(tmp_path, text))[0] for text in (OPENROUTER, ANTHROPIC, OPENAI, GENERIC)]
    assert names == ["openrouter", "anthropic", "openai", "generic"]


def test_cached_tokens_are_taken_off_where_the_input_holds_them(tmp_path: Path) -> None:
    _, entries, _ = read_export(export(tmp_path, OPENROUTER))
    assert entries[0].tokens == Buckets(600, 400, None, 50)
    assert entries[0].usd == Decimal("0.0123")
    _, (one,), _ = read_export(export(tmp_path, OPENAI))
    assert (one.day, one.model, one.tokens.input, one.calls) == (date(2026, 3, 1), "gpt-5-2", 1000, 3)


def test_anthropic_counts_are_exclusive_and_writes_add_up(tmp_path: Path) -> None:
    _, entries, _ = read_export(export(tmp_path, ANTHROPIC))
    assert entries[0].tokens == Buckets(100, 9000, 25, 40)


def test_lines_that_are_no_entries_are_counted(tmp_path: Path) -> None:
    name, entries, skipped = read_export(export(tmp_path, GENERIC))
    assert (name, len(entries), skipped) == ("generic", 1, 2)


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


def test_an_export_without_the_columns_says_which_it_needs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no column mapping fits"):
        read_export(export(tmp_path, "a,b\n1,2\n"))
    with pytest.raises(UsageError, match="no mapping is called 'bank'"):
        read_export(export(tmp_path, ANTHROPIC), "bank")
    with pytest.raises(UsageError, match="cannot be read"):
        read_export(tmp_path / "missing.csv")
