"""Diagnoses about the tokens and the money of one conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from core.account.diagnosis import limit
from core.account.pricing.price import MILLION, rates_for, write_rate
from core.account.pricing.price_book import PriceBook
from core.account.prompt_cache.routes import Route
from core.account.spending.conversations import read_threads
from core.account.spending.ledger import ledger
from core.explain.diagnose.rules.money.case import Account, billed
from core.explain.diagnose.rules.money.prices import MONEY_RULES, summary_spend
from core.explain.diagnose.rules.money.prompt_cache import CACHE_RULES
from core.model.accounting.ledger import LedgerRow
from core.model.accounting.prompt_cache import CacheReport
from core.model.evidence import Evidence, Source, Verdict
from core.model.finding import Finding
from core.model.transcript.session import Session
from core.store.store import Store
from core.support.plural import plural


def account_findings(
    store: Store, session_id: str, report: CacheReport, *, prices: PriceBook | None = None
) -> tuple[Finding, ...]:
    """The diagnoses F and G of one conversation, worst first.

    Args:
        store: The database.
        session_id: Any session of the conversation.
        report: Its cache report.
        prices: Price book; rules about prices need it.
    """
    account = Account(store, store.conversation(session_id), report, prices)
    found = [one for rule in (*_RULES, *CACHE_RULES) for one in rule(account)]
    return tuple(sorted(found, key=lambda one: one.severity.rank))


def _zero_usage(account: Account) -> Iterator[Finding]:
    answered = Counter(answer.row.session_id for answer in account.answers if answer.row)
    sessions = account.conversation.sessions
    silent = [one for one in sessions if answered[one.id] and not any(billed(one))]
    if silent:
        told = f"{plural(answered[silent[0].id], 'answer')}, no tokens"
        where = Evidence(Source.DATABASE, f"sessions {silent[0].id}", told)
        yield account.found("F2", {"sessions": plural(len(silent), "session")}, where, session=silent[0].id)


def _undercounted(account: Account) -> Iterator[Finding]:
    recorded, answers = account.calls, len(account.answers)
    if recorded and answers >= limit("F3", "least") and recorded / answers < limit("F3", "ratio"):
        told = "1 call is" if recorded == 1 else f"{recorded:,} calls are"
        numbers = {"told": told, "recorded": recorded, "answers": answers, "missing": answers - recorded}
        yield account.found("F3", numbers, verdict=Verdict.SUSPECTED)


def _one_hour(account: Account) -> Iterator[Finding]:
    if account.report.ttl != "1h" or account.prices is None:
        return
    for row in account.rows:
        written = row.tokens.cache_write or 0
        entry = next((part.price for part in row.parts if part.price), None)
        if not written or entry is None or row.recorded.usd is None:
            continue
        short, long = (write_rate(rates_for(entry, 0), one_hour=hour) for hour in (False, True))
        if short is not None and long is not None and long > short:
            numbers = {"tokens": written, "missing": (long - short) * written / MILLION}
            where = Evidence(Source.CONFIG, "config.yaml prompt_caching.cache_ttl", "1h")
            yield account.found("F6", numbers, where, verdict=Verdict.DERIVED)


def _tiered(account: Account) -> Iterator[Finding]:
    if account.prices is None:
        return
    over: Counter[tuple[str, int]] = Counter()
    for call in account.report.calls:
        entry = account.prices.entry(call.model, call.provider, at=call.at)
        reached = [tier.above for tier in entry.tiers if (call.prompt or 0) > tier.above] if entry else []
        if reached:
            over[(call.model, reached[-1])] += 1
    for (model, above), calls in over.items():
        yield account.found("F7", {"told": plural(calls, "call"), "above": above, "model": model})


def _subtree(account: Account) -> Iterator[Finding]:
    delegates = read_threads(account.store).delegates(account.session)
    if not delegates:
        return
    rows = ledger([account.store], by="conversation", session=account.session).rows
    row = next((row for row in rows if row.subtree is not None), LedgerRow(""))
    own, whole = row.tokens.total or 0, (row.subtree.total if row.subtree else None) or 0
    if whole > own:
        told = plural(len(delegates), "delegate")
        numbers = {"told": told, "own": own, "extra": whole - own, "whose": "the conversation itself"}
        yield account.found("F9", numbers)


def _summariser(account: Account) -> Iterator[Finding]:
    spent = [row for row in account.usage if row.task == "compression"]
    compactions = sum(one.boundary is not None for one in account.conversation.generations)
    if spent:
        yield account.found("F10", summary_spend([row for row in account.rows if row.task == "compression"]))
    elif compactions:
        yield account.found("F10-invisible", {"told": plural(compactions, "compaction")})


def _misattributed(account: Account) -> Iterator[Finding]:
    for session in account.conversation.sessions:
        used = {row.model for row in account.usage if row.session_id == session.id and not row.task}
        if len(used) > 1:
            numbers = {"model": session.model or "no model", "models": ", ".join(sorted(used))}
            where = Evidence(Source.DATABASE, f"session_model_usage {session.id}", numbers["models"])
            yield account.found("F11", numbers, where, session=session.id)


def _cumulative(account: Account) -> Iterator[Finding]:
    sessions = account.conversation.sessions
    for parent, child in pairwise(sessions):
        pairs = list(zip(billed(child), billed(parent), strict=True))
        own = (message for message in account.fresh if message.row and message.row.session_id == child.id)
        answers = sum(message.role == "assistant" for message in own)
        calls = child.api_calls or 0
        # Where nothing of the session is held (E5), its calls have nothing to be compared with.
        held = any(one.row_ids for one in account.conversation.generations if one.session_id == child.id)
        grown = held and any(billed(parent)) and all((new or 0) >= (old or 0) for new, old in pairs)
        if grown and calls > limit("F12", "ratio") * max(1, answers):
            numbers = {"child": child.id, "calls": calls, "answers": answers}
            yield account.found("F12", numbers, session=child.id, verdict=Verdict.SUSPECTED)


def _no_cache_bucket(account: Account) -> Iterator[Finding]:
    long = [one for one in account.report.calls if (one.prompt or 0) >= limit("F14", "prompt")]
    models = {call.model for call in long if call.cache_read}
    for model, calls in Counter(call.model for call in long).items():
        if model not in models and calls >= limit("F14", "calls") and _hits_elsewhere(account):
            yield account.found("F14", {"calls": calls, "model": model}, verdict=Verdict.SUSPECTED)


def _hits_elsewhere(account: Account) -> bool:
    return bool(ledger([account.store], by="model").totals.tokens.cache_read)


def _no_reasoning(account: Account) -> Iterator[Finding]:
    sessions = account.conversation.sessions
    if any(one.tokens.reasoning for one in sessions) or not any(map(_tells_reasoning, sessions)):
        return
    thinking = sum(bool(m.wire.get("reasoning") or m.wire.get("reasoning_content")) for m in account.fresh)
    if thinking:
        yield account.found("F15", {"told": plural(thinking, "answer")})


def _tells_reasoning(session: Session) -> bool:
    """The provider's usage has a count for it; Anthropic's has none."""
    return Route(session.provider or "", session.base_url or "").format != "anthropic_messages"


_RULES: Sequence[Callable[[Account], Iterator[Finding]]] = (
    _zero_usage, _undercounted, *MONEY_RULES, _one_hour, _tiered, _subtree, _summariser,
    _misattributed, _cumulative, _no_cache_bucket, _no_reasoning,
)  # fmt: skip
