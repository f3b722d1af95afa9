"""Which conversation a session's spending belongs to."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from core.account.spending import conversations, ledger
from core.account.spending.conversations import read_threads, whole_rows
from core.account.spending.ledger import collect
from core.account.spending.recorded import Classes, Spending, Window
from core.model.accounting.amounts import Buckets, Money
from core.model.accounting.ledger import Ledger, LedgerRow
from core.store.store import Store


def test_of_one_session_its_family_says_what_the_whole_database_does(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(sample_home / "state.db") as store:
        every = read_threads(store)
        monkeypatch.setattr(conversations, "every_family", None)
        assert len(every.roots) > 20
        for session, root in every.roots.items():
            own = read_threads(store, session)
            assert own.root(session) == root
            assert own.members(root) == every.members(root)
            assert sorted(own.delegates(root)) == sorted(every.delegates(root))


def test_the_dearest_comes_first_then_the_one_with_more_tokens_and_last_what_nobody_priced() -> None:
    rows = [
        LedgerRow("unpriced", tokens=Buckets(9_000, 0, 0, 1)),
        LedgerRow("free", tokens=Buckets(10, 0, 0, 1), recorded=Money(Decimal(0))),
        LedgerRow("short", tokens=Buckets(10, 0, 0, 1), computed=Money(Decimal(2))),
        LedgerRow("long", tokens=Buckets(20, 0, 0, 1), recorded=Money(Decimal(2))),
    ]
    ordered = whole_rows(Ledger("conversation", tuple(rows), LedgerRow("total"))).rows
    assert [row.key for row in ordered] == ["long", "short", "free", "unpriced"]


def test_a_day_is_one_row_with_its_summaries_and_days_stay_in_order() -> None:
    rows = [
        LedgerRow("2026-11-28", recorded=Money(Decimal(1))),
        LedgerRow("2026-11-29", recorded=Money(Decimal(22))),
        LedgerRow("2026-11-29", task="compression", recorded=Money(Decimal(1))),
    ]
    days = whole_rows(Ledger("day", tuple(rows), LedgerRow("total"))).rows
    assert [(row.key, str(row.cost.usd)) for row in days] == [("2026-11-28", "1"), ("2026-11-29", "23")]
    models = whole_rows(Ledger("model", tuple(rows), LedgerRow("total"))).rows
    assert len(models) == 3


def test_every_conversation_is_added_up_in_one_pass(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[Window] = []

    class Counting(Spending):
        def __init__(self, store: Store, window: Window, by: str, classes: Classes | None = None) -> None:
            passes.append(window)
            super().__init__(store, window, by, classes)

    monkeypatch.setattr(ledger, "Spending", Counting)
    with Store(sample_home / "state.db") as store:
        every = collect([store], by="conversation").ledger()
        assert len(passes) == 1
        collect([store], by="conversation", since=datetime(2026, 1, 1, tzinfo=UTC)).ledger()
        assert len(passes) == 3  # what is below a conversation counts whenever it began
    assert any(row.subtree for row in every.rows)
