"""Diagnoses about tokens, money and cache: each fires on its case, and on no similar one."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from core.account.prompt_cache.routes import cache_route
from core.account.reconcile.reconcile import row_lint
from core.explain.context.context import open_context
from core.explain.diagnose.case import Case, StoreCase
from core.explain.diagnose.diagnose import spending_findings
from core.explain.diagnose.registry import STORE_SPENDING_RULES, apply
from core.explain.diagnose.rules.money.spending import reread_share
from core.explain.headline.usage import cache_headline
from core.model.accounting.amounts import Buckets
from core.model.accounting.prompt_cache import CacheReport, TtlAdvice
from core.model.finding import Finding
from core.store.database.locate import Location
from core.store.store import Store
from tests.core.account.homes import NOON, Book, tokens
from tests.core.account.prompt_cache.logs import START, call
from tests.core.store.database import LONG_SUMMARY as SUMMARY

OPUS = {
    "model": "claude-opus-4-5",
    "billing_provider": "anthropic",
    "billing_base_url": "https://api.anthropic.com",
}

NOW = datetime.now(UTC)


def empty(**values: Any) -> CacheReport:
    from core.account.prompt_cache.routes import Route

    route = cache_route(Route("anthropic", "https://api.anthropic.com", "claude-opus-4-5"), "0.19")
    report = CacheReport("system_and_3", "native", "5m", route, (), (), (), None)
    return replace(report, **values)


def case_findings(store: Store, session: str, report: CacheReport) -> tuple[Finding, ...]:
    return spending_findings(Case(open_context(store, session), (), NOW, report))


def store_findings(store: Store) -> tuple[Finding, ...]:
    return apply(STORE_SPENDING_RULES, StoreCase(store, NOW), None).findings


def found(book: Book, session: str = "a", report: CacheReport | None = None) -> dict[str, Finding]:
    with Store(book.path) as store:
        return {finding.rule: finding for finding in case_findings(store, session, report or empty())}


def test_a_sound_session_has_nothing_to_report(book: Book) -> None:
    book.session("a", estimated_cost_usd=0.005, cost_status="estimated", **OPUS, **tokens(1000))
    book.message("a", "user").message("a", "assistant")
    assert found(book) == {}


def test_f2_no_usage_at_all(book: Book) -> None:
    book.session("a", **tokens(0, calls=0)).message("a", "user").message("a", "assistant")
    assert "every total is a lower bound" in found(book)["F2"].sentence


def test_f2_says_nothing_of_a_session_that_nobody_has_answered_yet(book: Book) -> None:
    branch = {"parent_session_id": "a", "model_config": '{"_branched_from": "a"}'}
    book.session("a", **OPUS, **tokens(100, calls=1)).session("b", **branch, **tokens(0, calls=0))
    book.session("c", message_count=1, **tokens(0, calls=0)).message("c", "user")
    for session in "ab":
        book.message(session, "user", content="ask").message(session, "assistant", content="answer")
    assert all("F2" not in found(book, session) for session in "abc")
    assert "F2" not in over_all(book)


def test_f2_takes_no_summary_for_an_answer(book: Book) -> None:
    """Run with 0.14.0: /compress typed twice leaves a session that holds copies and a summary only."""
    book.session("a", end_reason="compression", ended_at=NOON + 60, **OPUS, **tokens(100, calls=1))
    book.session("b", parent_session_id="a", started_at=NOON + 60, **OPUS, **tokens(0, calls=0))
    book.message("a", "user", content="ask").message("a", "assistant", content="answer")
    book.message("b", "user", content="ask", timestamp=NOON + 60)
    book.message("b", "assistant", content=f"{SUMMARY} so far\nthings", timestamp=NOON + 60)
    assert "F2" not in found(book)


def test_f3_fewer_calls_than_answers(book: Book) -> None:
    book.session("a", **OPUS, estimated_cost_usd=1.0, **tokens(100, calls=4))
    for _ in range(20):
        book.message("a", "assistant")
    assert found(book)["F3"].numbers["missing"] == 16


def test_f3_does_not_count_what_a_branch_took_from_its_parent(book: Book) -> None:
    branch = {"parent_session_id": "a", "model_config": '{"_branched_from": "a"}'}
    book.session("a", **OPUS, **tokens(100, calls=12)).session("b", **branch, **OPUS, **tokens(100, calls=1))
    for number in range(12):
        book.message("a", "assistant", content=f"answer {number}")
        book.message("b", "assistant", content=f"answer {number}")
    book.message("b", "assistant", content="its own answer")
    assert "F3" not in found(book, "b")


def test_f3_does_not_count_what_a_deleted_session_left_in_its_continuation(book: Book) -> None:
    book.session("a", **OPUS, **tokens(100, calls=1))
    book.message("a", "user", content=f"{SUMMARY} so far\nthings")
    for number in range(12):
        book.message("a", "assistant", content=f"answer {number}")
    book.message("a", "user", timestamp=NOON + 60).message("a", "assistant", timestamp=NOON + 61)
    assert "F3" not in found(book)


def test_f4_unpriced_is_not_free(book: Book) -> None:
    book.session(
        "a",
        model="x",
        billing_provider="nous",
        estimated_cost_usd=0.0,
        cost_status="estimated",
        **tokens(500),
    )
    assert found(book)["F4"].sentence.endswith("unpriced, not free")
    assert "prices.yaml" in found(book)["F4"].remedy
    book.session("b", model="x", estimated_cost_usd=0.0, cost_status="included", **tokens(500))
    assert "F4" not in found(book, "b")


@pytest.mark.parametrize(("unpriced", "severity"), [(1_000, "warning"), (500_000, "critical")])
def test_f4_is_a_warning_where_little_is_unpriced_beside_what_is(
    book: Book, unpriced: int, severity: str
) -> None:
    book.session("a", **OPUS, **tokens(900_000, calls=9), estimated_cost_usd=9.0)
    book.usage(
        "a", OPUS["model"], billing_provider="anthropic", **tokens(900_000, calls=9), estimated_cost_usd=9.0
    )
    book.usage("a", OPUS["model"], "compression", billing_provider="auto", **tokens(unpriced, calls=1))
    assert found(book)["F4"].severity.value == severity


def test_f4_says_the_list_price_where_there_is_one(book: Book) -> None:
    book.session("a", estimated_cost_usd=0.0, cost_status="unknown", **OPUS, **tokens(1_000_000, calls=50))
    assert found(book)["F4"].sentence.endswith("unpriced, not free: $5.00 at list prices")
    assert "prices.yaml" not in found(book)["F4"].remedy


def test_f4_is_stated_once_of_a_store_that_never_recorded_a_cost(book: Book) -> None:
    book.session("a", estimated_cost_usd=0.0, cost_status="unknown", **OPUS, **tokens(1_000_000, calls=50))
    book.session("b", model="x", billing_provider="nous", estimated_cost_usd=0.0, **tokens(500))
    with Store(book.path) as store:
        (one,) = (each for each in store_findings(store) if each.rule == "F4")
    assert one.sentence.startswith("No cost is recorded for 1,000,500 tokens of 2 models")
    assert one.sentence.endswith("at least $5.00 at list prices")
    assert "prices.yaml" in one.remedy
    assert len(one.evidence) == 2


def test_f5_a_price_that_is_out_of_date(book: Book) -> None:
    book.session("a", estimated_cost_usd=1.0, cost_status="estimated", **OPUS, **tokens(1_000_000, calls=50))
    assert (found(book)["F5"].numbers["recorded"], found(book)["F5"].numbers["computed"]) == (1, 5)


def test_f6_an_hour_in_the_cache_recorded_at_the_five_minute_rate(book: Book) -> None:
    book.session("a", estimated_cost_usd=6.25, **OPUS, **tokens(0, 0, 1_000_000, calls=50))
    assert found(book, report=empty(ttl="1h"))["F6"].numbers["missing"] == 3.75
    assert "F6" not in found(book)


def test_f7_prompts_beyond_a_tier(book: Book) -> None:
    book.session("a", model="gemini-2.5-pro", billing_provider="google", **tokens(5))
    long = call(0, 250_000, 0, model="gemini-2.5-pro", provider="google")
    assert found(book, report=empty(calls=(long,)))["F7"].numbers["above"] == 200_000


def test_f7_knows_the_tier_of_a_provider_that_only_the_endpoint_names(book: Book) -> None:
    url = "https://generativelanguage.googleapis.com/v1beta/openai"
    route = {"model": "gemini-2.5-pro", "billing_provider": "custom", "billing_base_url": url}
    book.session("a", **route, **tokens(5))
    long = call(0, 250_000, 0, model="gemini-2.5-pro", provider="custom")
    assert found(book, report=empty(calls=(long,)))["F7"].numbers["above"] == 200_000


def test_the_share_of_reading_goes_by_the_mean_prompt_of_all_sessions(book: Book) -> None:
    """The newest session alone made one call, whose prompt would seem to be that of all of them together."""
    route = {"model": "gemini-2.5-pro", "billing_provider": "google"}
    book.session(
        "a",
        end_reason="compression",
        ended_at=NOON + 1,
        **route,
        **tokens(0, 10_000_000, 0, 100_000, calls=100),
    )
    book.session("b", parent_session_id="a", **route | {"started_at": NOON + 2}, **tokens(0, 100_000))
    with Store(book.path) as store:
        case = Case(open_context(store, "b"), (), NOW)
        assert len(case.conversation.sessions) == 2
        read, written = Decimal("0.125") * 10_100_000, Decimal(10) * 100_000
        assert reread_share(case) == read / (read + written)


def test_f8_included_has_a_list_price(book: Book) -> None:
    book.session(
        "a",
        model="gpt-5.2",
        billing_provider="openai-codex",
        cost_status="included",
        **tokens(1_000_000, calls=9),
    )
    assert "$1.75" in found(book)["F8"].sentence


def test_f9_delegates_are_next_to_it(book: Book) -> None:
    book.session("a", **OPUS, **tokens(100))
    book.session("h", parent_session_id="a", model_config='{"_delegate_from": "a"}', **tokens(40))
    assert found(book)["F9"].numbers["extra"] == 40


def test_f10_what_summaries_cost_which_is_nothing_where_no_model_wrote_them(sample_home: Path) -> None:
    with Store(sample_home / "state.db") as store:
        paid, fallback = (store.resolve(title).id for title in ("Refactor the auth module", "Nightly triage"))
        told = [
            [finding.sentence for finding in case_findings(store, session, empty()) if finding.rule == "F10"]
            for session in (paid, fallback)
        ]
    assert told[0][0].startswith("Summaries took 1 call and")
    assert told[1] == []


def test_f11_models_the_row_does_not_name(book: Book) -> None:
    book.session("a", **OPUS, **tokens(30)).usage("a", "mini", **tokens(10)).usage(
        "a", "claude-opus-4-5", **tokens(20)
    )
    assert found(book)["F11"].numbers["models"] == "claude-opus-4-5, mini"


def test_f11_another_model_that_only_the_log_names_is_no_old_price(book: Book) -> None:
    """Run with 0.17.0: each call is priced by its own model, and booked on the model of the session."""
    book.session("a", estimated_cost_usd=1.0, cost_status="estimated", **OPUS, **tokens(1_000_000, calls=50))
    log = book.path.parent / "logs" / "agent.log"
    log.parent.mkdir(exist_ok=True)
    text = "2026-06-01 12:00:0{0},000 INFO [a] agent.x: API call #{0}: model={1} provider=anthropic"
    lines = [text.format(n, model) for n, model in enumerate(("claude-opus-4-5", "claude-haiku-4-5"), 1)]
    told = []
    for count in (1, 2):
        log.write_text("".join(f"{line} in=9 out=9 total=18 latency=0.2s\n" for line in lines[:count]))
        with Store(Location(book.path, book.path.parent)) as store:
            told.append({finding.rule: finding for finding in case_findings(store, "a", empty())})
    assert ["F5" in one for one in told] == [True, False]
    assert told[1]["F11"].sentence == (
        "The session row names only claude-opus-4-5, but claude-haiku-4-5, claude-opus-4-5 were used; "
        "Hermes before 0.19 does not book them apart, so the list price of the one is not what they cost"
    )


def test_f12_a_continuation_that_repeats_its_parent(book: Book) -> None:
    book.session("a", end_reason="compression", ended_at=NOON + 1, **OPUS, **tokens(100, 10, 1, 5))
    book.session("b", parent_session_id="a", started_at=NOON + 2, **OPUS, **tokens(300, 30, 3, 15, calls=40))
    book.message("a", "user").message("a", "assistant").message("b", "user").message("b", "assistant")
    assert found(book)["F12"].session == "b"


def test_f12_says_nothing_of_a_continuation_whose_rows_are_gone(book: Book) -> None:
    book.session("a", end_reason="compression", ended_at=NOON + 1, **OPUS, **tokens(100, 10, 1, 5))
    book.session("b", parent_session_id="a", started_at=NOON + 2, **OPUS, **tokens(300, 30, 3, 15, calls=40))
    book.message("a", "user").message("a", "assistant")
    assert "F12" not in found(book)


def test_f14_a_model_that_never_reports_hits(book: Book) -> None:
    book.session("a", model="mute", **tokens(50_000)).session("b", **OPUS, **tokens(10, 5_000))
    calls = tuple(call(n, 9_000, 0, model="mute") for n in range(6))
    assert found(book, report=empty(calls=calls))["F14"].numbers["model"] == "mute"


def test_f15_thinking_without_reasoning_tokens(book: Book) -> None:
    book.session("a", model="gpt-5.2", billing_provider="openai", **tokens(50))
    book.message("a", "assistant", reasoning="hm")
    assert "F15" in found(book)


def test_f15_expects_no_count_of_a_provider_that_gives_none(book: Book) -> None:
    book.session("a", **OPUS, **tokens(50)).message("a", "assistant", reasoning="hm")
    assert "F15" not in found(book)


def test_g1_names_causes_and_the_remedy_of_the_worst(sample_home: Path) -> None:
    from tests.core.account.prompt_cache.test_report import report

    whole = report(sample_home, "Explain the query plan")
    with Store(sample_home / "state.db") as store:
        session = store.resolve("Explain the query plan").id
        one = next(f for f in case_findings(store, session, whole) if f.rule == "G1")
    assert one.sentence.startswith("3 cache breaks (another model) re-read")
    assert "Switch models at the start of a conversation" in one.remedy
    assert one.remedy == cache_headline(whole).remedy
    assert len(one.evidence) == 3


def test_g2_more_written_than_read(book: Book) -> None:
    book.session("a", **OPUS, **tokens(1, 10, 90, calls=12))
    assert "G2" in found(book, report=empty(tokens=Buckets(1, 10, 90, 5)))


def test_g3_only_a_change_is_advice(book: Book) -> None:
    book.session("a", **OPUS, **tokens(5))
    assert "G3" in found(book, report=empty(advice=TtlAdvice("5m", "1h", "pauses")))
    assert "G3" not in found(book, report=empty(advice=TtlAdvice("5m", "5m", "no pauses")))


def test_g5_many_results_at_once(book: Book) -> None:
    book.session("a", **OPUS, **tokens(5))
    for number in range(25):
        book.message("a", "tool", tool_call_id=f"c{number}")
    assert found(book)["G5"].numbers["rows"] == 25


def test_g6_prompts_that_part_early(book: Book) -> None:
    for number, clock in enumerate(("10:00", "10:05")):
        prompt = f"You are careful.\n# Time\n{clock}\n" + "rules " * 50
        book.session(f"s{number}", started_at=NOON + number, system_prompt=prompt, **OPUS, **tokens(5))
    with Store(book.path) as store:
        (one,) = (finding for finding in store_findings(store) if finding.rule == "G6")
    assert "in the section 'Time'" in one.sentence


def test_f16_money_spent_while_nobody_watched(book: Book) -> None:
    book.session("a", source="cron", estimated_cost_usd=3.0, **tokens(5)).session(
        "b", estimated_cost_usd=1.0, **tokens(5)
    )
    with Store(book.path) as store:
        assert [finding.rule for finding in store_findings(store)] == ["F16"]


def test_lint_shows_where_rows_disagree(book: Book) -> None:
    book.session("a", message_count=3, **tokens(100)).usage("a", "x", **tokens(70)).message("a", "user")
    with Store(book.path) as store:
        lint = {one.what: one.difference for one in row_lint(store)}
    assert lint == {"input": 30, "messages": 2}


def test_lint_allows_for_rewinds_and_for_what_auxiliary_tasks_used(book: Book) -> None:
    book.session("a", message_count=3, **tokens(100)).message("a", "user")
    book.message("a", "user", active=0).message("a", "assistant", active=0)
    book.usage("a", "x", **tokens(100)).usage("a", "y", "compression", **tokens(900))
    with Store(book.path) as store:
        assert row_lint(store) == ()


def test_lint_counts_no_row_that_a_compaction_archived(book: Book) -> None:
    book.session("a", message_count=2).message("a", "user").message("a", "user", active=0, compacted=1)
    with Store(book.path) as store:
        assert [one.difference for one in row_lint(store)] == [1]


def test_lint_is_silent_on_the_samples(sample_home: Path) -> None:
    with Store(sample_home / "state.db") as store:
        assert row_lint(store) == ()


def test_g7_says_when_a_compaction_paid_for_itself(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    from decimal import Decimal

    from core.model.accounting.prompt_cache import Payback

    book.session("a", **OPUS, **tokens(5))
    paid = Payback(START, "a", 1000, Decimal("0.1"), Decimal("0.1"), Decimal("0.05"), 9, 4)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        sentence = found(book, report=empty(paybacks=(paid,)))["G7"].sentence
        assert sentence.startswith(f"The compaction of {START.astimezone():%Y-%m-%d %H:%M} cost")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert sentence.endswith("it paid for itself after 4 calls")


def over_all(book: Book) -> dict[str, Finding]:
    with Store(book.path) as store:
        return {finding.rule: finding for finding in store_findings(store)}


def test_what_sessions_spent_without_a_price_is_reported_for_all_together(book: Book) -> None:
    book.session("a", model="nobodys-model", **tokens(100)).session("b", model="nobodys-model", **tokens(50))
    found = over_all(book)["F4"]
    assert found.numbers["tokens"] == 150
    assert found.session is None


def test_a_price_that_was_stale_is_reported_for_all_together(book: Book) -> None:
    book.session("a", estimated_cost_usd=0.001, cost_status="estimated", **OPUS, **tokens(1_000_000))
    assert "F5" in over_all(book)


def test_a_cache_written_more_than_read_is_reported_for_all_together(book: Book) -> None:
    book.session("a", api_call_count=6, cache_write_tokens=900, **OPUS)
    book.session("b", api_call_count=6, cache_read_tokens=500, **OPUS)
    assert over_all(book)["G2"].numbers == {"written": 900, "read": 500}
    book.session("c", api_call_count=1, cache_read_tokens=500, **OPUS)
    assert "G2" not in over_all(book)


def test_what_delegates_and_summaries_took_is_reported_for_all_together(book: Book) -> None:
    helper = {"parent_session_id": "a", "model_config": '{"_delegate_from": "a"}'}
    book.session("a", **OPUS, **tokens(100)).session("h", **helper, **tokens(40)).session("b", **tokens(7))
    assert (over_all(book)["F9"].numbers["own"], over_all(book)["F9"].numbers["extra"]) == (107, 40)
    assert "F10" not in over_all(book)
    book.usage("a", "mini", "compression", **tokens(30, calls=2))
    assert over_all(book)["F10"].sentence.startswith("Summaries took 2 calls and 30 tokens")


def test_sessions_of_several_models_are_counted_over_all(book: Book) -> None:
    for session in "ab":
        book.session(session, **OPUS, **tokens(30)).usage(session, "claude-opus-4-5", **tokens(20))
    assert "F11" not in over_all(book)
    book.usage("b", "mini", **tokens(10)).usage("a", "mini", "vision", **tokens(10))
    assert over_all(book)["F11"].sentence.startswith("1 session switched models")
