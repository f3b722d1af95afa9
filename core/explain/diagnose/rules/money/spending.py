"""Diagnoses about the tokens and the money of one conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from core.account.pricing.price import MILLION, rates_for, write_rate
from core.account.prompt_cache.routes import Route
from core.account.spending.conversations import read_threads
from core.account.spending.ledger import ledger
from core.explain.diagnose.registry import Found, Rule, spending_rule
from core.explain.diagnose.rules.money.case import Account, billed
from core.explain.diagnose.rules.money.prices import summary_spend
from core.model.accounting.ledger import LedgerRow
from core.model.evidence import Evidence, Source, Verdict
from core.model.transcript.session import Session
from core.support.plural import plural


@spending_rule("F2")
def no_usage(account: Account, rule: Rule) -> Iterable[Found]:
    """Answers, and no tokens."""
    answered = Counter(answer.row.session_id for answer in account.answers if answer.row)
    sessions = account.conversation.sessions
    silent = [one for one in sessions if answered[one.id] and not any(billed(one))]
    if silent:
        told = f"{plural(answered[silent[0].id], 'answer')}, no tokens"
        where = Evidence(Source.DATABASE, f"sessions {silent[0].id}", told)
        yield Found({"sessions": plural(len(silent), "session")}, (where,), session=silent[0].id)


@spending_rule("F3")
def undercounted(account: Account, rule: Rule) -> Iterable[Found]:
    """Fewer calls on record than answers."""
    recorded, answers = account.calls, len(account.answers)
    if recorded and answers >= rule.limits["least"] and recorded / answers < rule.limits["ratio"]:
        told = "1 call is" if recorded == 1 else f"{recorded:,} calls are"
        numbers = {"told": told, "recorded": recorded, "answers": answers, "missing": answers - recorded}
        yield Found(numbers, verdict=Verdict.SUSPECTED)


@spending_rule("F6")
def one_hour_writes(account: Account, rule: Rule) -> Iterable[Found]:
    """Writes kept for an hour, recorded at the rate of five minutes."""
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
            yield Found(numbers, (where,), Verdict.DERIVED)


@spending_rule("F7")
def tiered_price(account: Account, rule: Rule) -> Iterable[Found]:
    """Prompts beyond the size from which the model costs more."""
    if account.prices is None:
        return
    over: Counter[tuple[str, int]] = Counter()
    for call in account.report.calls:
        entry = account.prices.entry(call.model, call.provider, at=call.at)
        reached = [tier.above for tier in entry.tiers if (call.prompt or 0) > tier.above] if entry else []
        if reached:
            over[(call.model, reached[-1])] += 1
    for (model, above), calls in over.items():
        yield Found({"told": plural(calls, "call"), "above": above, "model": model})


@spending_rule("F9")
def delegates_beside(account: Account, rule: Rule) -> Iterable[Found]:
    """What delegates spent besides the conversation."""
    delegates = read_threads(account.store).delegates(account.session)
    if not delegates:
        return
    rows = ledger([account.store], by="conversation", session=account.session).rows
    row = next((row for row in rows if row.subtree is not None), LedgerRow(""))
    own, whole = row.tokens.total or 0, (row.subtree.total if row.subtree else None) or 0
    if whole > own:
        told = plural(len(delegates), "sub-agent")
        numbers = {"told": told, "own": own, "extra": whole - own, "whose": "the conversation itself"}
        yield Found(numbers)


@spending_rule("F10")
def summaries(account: Account, rule: Rule) -> Iterable[Found]:
    """What summaries took."""
    if any(row.task == "compression" for row in account.usage):
        yield Found(summary_spend([row for row in account.rows if row.task == "compression"]))


@spending_rule("F10-invisible")
def invisible_summaries(account: Account, rule: Rule) -> Iterable[Found]:
    """Compactions, and no usage of a summariser."""
    compactions = sum(one.boundary is not None for one in account.conversation.generations)
    if compactions and not any(row.task == "compression" for row in account.usage):
        yield Found({"told": plural(compactions, "compaction")})


@spending_rule("F11")
def misattributed(account: Account, rule: Rule) -> Iterable[Found]:
    """Sessions that several models answered, booked on one."""
    for session in account.conversation.sessions:
        used = {row.model for row in account.usage if row.session_id == session.id and not row.task}
        if len(used) > 1:
            numbers = {"model": session.model or "no model", "models": ", ".join(sorted(used))}
            where = Evidence(Source.DATABASE, f"session_model_usage {session.id}", numbers["models"])
            yield Found(numbers, (where,), session=session.id)


@spending_rule("F12")
def repeats_its_parent(account: Account, rule: Rule) -> Iterable[Found]:
    """A continuation that may repeat the totals of its parent."""
    sessions = account.conversation.sessions
    for parent, child in pairwise(sessions):
        pairs = list(zip(billed(child), billed(parent), strict=True))
        own = (message for message in account.fresh if message.row and message.row.session_id == child.id)
        answers = sum(message.role == "assistant" for message in own)
        calls = child.api_calls or 0
        # Where nothing of the session is held (E5), its calls have nothing to be compared with.
        held = any(one.row_ids for one in account.conversation.generations if one.session_id == child.id)
        grown = held and any(billed(parent)) and all((new or 0) >= (old or 0) for new, old in pairs)
        if grown and calls > rule.limits["ratio"] * max(1, answers):
            numbers = {"child": child.id, "calls": calls, "answers": answers}
            yield Found(numbers, verdict=Verdict.SUSPECTED, session=child.id)


@spending_rule("F14")
def no_cache_bucket(account: Account, rule: Rule) -> Iterable[Found]:
    """Long prompts without any hit, while other models report them."""
    long = [one for one in account.report.calls if (one.prompt or 0) >= rule.limits["prompt"]]
    models = {call.model for call in long if call.cache_read}
    for model, calls in Counter(call.model for call in long).items():
        if model not in models and calls >= rule.limits["calls"] and _hits_elsewhere(account):
            yield Found({"calls": calls, "model": model}, verdict=Verdict.SUSPECTED)


def _hits_elsewhere(account: Account) -> bool:
    return bool(ledger([account.store], by="model").totals.tokens.cache_read)


@spending_rule("F15")
def no_reasoning(account: Account, rule: Rule) -> Iterable[Found]:
    """Answers with thinking, and no reasoning tokens."""
    sessions = account.conversation.sessions
    if any(one.tokens.reasoning for one in sessions) or not any(map(_tells_reasoning, sessions)):
        return
    thinking = sum(bool(m.wire.get("reasoning") or m.wire.get("reasoning_content")) for m in account.fresh)
    if thinking:
        yield Found({"told": plural(thinking, "answer")})


def _tells_reasoning(session: Session) -> bool:
    """The provider's usage has a count for it; Anthropic's has none."""
    return Route(session.provider or "", session.base_url or "").format != "anthropic_messages"
