"""Diagnoses about the spending of a whole database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, pairwise
from typing import Any

from core.account.diagnosis import finding, limit
from core.account.pricing.price_book import PriceBook
from core.account.spending.conversations import read_threads
from core.account.spending.ledger import ledger
from core.explain.diagnose.rules.money.prices import MONEY_RULES, summary_spend
from core.model.accounting.ledger import LedgerRow
from core.model.evidence import Evidence, Source, Verdict
from core.model.finding import Finding
from core.model.transcript.pages import ListQuery
from core.model.transcript.session import Kind, Session
from core.store.database.connect import reading
from core.store.store import Store
from core.support.plural import plural

_BILLED = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


@dataclass(frozen=True, slots=True)
class _Whole:
    """What all sessions of a database spent together."""

    rows: Sequence[LedgerRow]

    def found(
        self, rule: str, numbers: Mapping[str, Any], *evidence: Evidence, verdict: Verdict = Verdict.PROVED
    ) -> Finding:
        """A finding about no session in particular."""
        return finding(rule, numbers, *evidence, verdict=verdict)


def store_findings(store: Store, *, prices: PriceBook | None = None) -> tuple[Finding, ...]:
    """The diagnoses F and G that concern all sessions together, worst first.

    Args:
        store: The database.
        prices: Price book; rules about prices need it.
    """
    spent = ledger([store], by="model", prices=prices)
    found = [*_silent(store), *_variance(store), *_unattended(store), *_written(spent.totals)]
    found += [*_delegated(store), *_summaries(spent.rows), *_misattributed(store)]
    found += chain.from_iterable(rule(_Whole(spent.rows)) for rule in MONEY_RULES)
    return tuple(sorted(found, key=lambda one: one.severity.rank))


def _silent(store: Store) -> Iterator[Finding]:
    """Sessions with answers and no tokens; what one with a parent holds may be copied from there."""
    billed = [name for name in _BILLED if name in store.schema.columns.get("sessions", frozenset())]
    spent = " + ".join(f"coalesce({name}, 0)" for name in billed)
    answered = "SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.role = 'assistant'"
    query = (
        f"SELECT count(*) FROM sessions s WHERE {spent} = 0 AND parent_session_id IS NULL "  # noqa: S608 - own names
        f"AND EXISTS ({answered})"
    )
    with reading(store.path):
        (count,) = store.connection.execute(query).fetchone()
    if count:
        where = Evidence(Source.DATABASE, "sessions", "answers, no tokens")
        yield finding("F2", {"sessions": plural(count, "session")}, where)


def _unattended(store: Store) -> Iterator[Finding]:
    rows = ledger([store], by="source").rows
    watched = limit("F16", "sources")
    alone = [row for row in rows if row.key in watched and row.recorded.usd]
    total = sum((row.recorded.usd for row in rows if row.recorded.usd), Decimal(0))
    spent = sum((row.recorded.usd for row in alone if row.recorded.usd), Decimal(0))
    if total and spent / total >= Decimal(str(limit("F16", "share"))):
        names = ", ".join(sorted({row.key for row in alone}))
        yield finding("F16", {"share": float(spent / total), "usd": spent, "sources": names})


def _written(totals: LedgerRow) -> Iterator[Finding]:
    """More is written to the cache than read from it, over all sessions."""
    written, read = totals.tokens.cache_write or 0, totals.tokens.cache_read or 0
    if written > read and (totals.calls or 0) >= limit("G2", "calls"):
        yield finding("G2", {"written": written, "read": read})


def _delegated(store: Store) -> Iterator[Finding]:
    """What delegates spent, beside what everything else did."""
    threads = read_threads(store)
    kinds = {one: threads.lineage.kind(threads.root(one)) for one in threads.lineage.links}
    delegates = [one for one, kind in kinds.items() if kind is Kind.DELEGATE]
    spent = {row.key: row.tokens.total or 0 for row in ledger([store], by="session").rows if not row.task}
    extra = sum(spent.get(one, 0) for one in delegates)
    if extra:
        told = plural(sum(threads.root(one) == one for one in delegates), "delegate")
        own = sum(spent.values()) - extra
        numbers = {"told": told, "own": own, "extra": extra, "whose": "all other conversations"}
        yield finding("F9", numbers)


def _summaries(rows: Sequence[LedgerRow]) -> Iterator[Finding]:
    """What summaries of all conversations took."""
    if spent := [row for row in rows if row.task == "compression"]:
        yield finding("F10", summary_spend(spent))


def _misattributed(store: Store) -> Iterator[Finding]:
    """Sessions that several models answered."""
    if not store.schema.has("session_model_usage"):
        return
    main = "task = ''" if "task" in store.schema.columns["session_model_usage"] else "1"
    query = (
        f"SELECT count(*) FROM (SELECT 1 FROM session_model_usage WHERE {main} "  # noqa: S608 - own names
        "GROUP BY session_id HAVING count(DISTINCT model) > 1)"
    )
    with reading(store.path):
        (count,) = store.connection.execute(query).fetchone()
    if count:
        where = Evidence(Source.DATABASE, "session_model_usage", plural(count, "session"))
        yield finding("F11-sessions", {"told": plural(count, "session")}, where)


def _variance(store: Store) -> Iterator[Finding]:
    """Neighbouring sessions of one source whose system prompts part early."""
    query = ListQuery(limit("G6", "neighbours"), sort="started")
    sessions = [row.session for row in store.sessions(query).rows]
    for later, earlier in pairwise(sessions):
        if later.source != earlier.source or later.model != earlier.model:
            continue
        texts = store.system_prompt(earlier), store.system_prompt(later)
        if texts[0] and texts[1] and texts[0] != texts[1]:
            position = _parting(texts[0], texts[1])
            length = min(len(texts[0]), len(texts[1]))
            if position < limit("G6", "share") * length:
                yield _parted(earlier, later, texts[1], position, length)
                return


def _parted(earlier: Session, later: Session, text: str, position: int, length: int) -> Finding:
    heading = next((line for line in reversed(text[:position].splitlines()) if line.startswith("#")), "")
    numbers = {
        "first": earlier.id,
        "second": later.id,
        "position": position,
        "length": length,
        "section": f", in the section {heading.lstrip('# ')!r}" if heading else "",
    }
    where = Evidence(Source.DATABASE, f"system prompt of {later.id}", text[position : position + 80])
    return finding("G6", numbers, where, session=later.id)


def _parting(left: str, right: str) -> int:
    """Where two texts begin to differ."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(left), len(right)))
