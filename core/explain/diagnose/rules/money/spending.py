"""Rules about the tokens and the money of one conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Protocol

from core.account.pricing.price import MILLION, cost, price, rates_for, write_rate
from core.account.spending.conversations import read_threads
from core.account.spending.ledger import collect
from core.explain.diagnose.case import Case, unbooked
from core.explain.diagnose.registry import (
    Found,
    Missing,
    conversation_rule,
    spending_rule,
    store_spending_rule,
)
from core.explain.diagnose.rules.compression.firing import to_fire_earlier
from core.explain.what_if.scenarios import Bill
from core.model.accounting.ledger import Ledger, LedgerPart, LedgerRow
from core.model.finding import Evidence, Severity, Source, Verdict
from core.support.formatting import money, plural

_TRUST = "Trust the list price: hermes-inspector usage"
_ADD = "Add the model to prices.yaml in the configuration directory"


class Spent(Protocol):
    """A subject with a ledger: a conversation or a database."""

    @property
    def ledger(self) -> Ledger:
        """What it spent by model, with costs at list prices."""


@spending_rule("F4")
@store_spending_rule("F4")
def unpriced(spent: Spent, min_share: float) -> Iterable[Found]:
    """Usage has no cost; reported once for all models, as a store without costs lacks them for each.

    Of a small share of the tokens, as that of a summary beside what was priced, it is a warning.
    """
    used = [part for row in spent.ledger.rows for part in row.parts]
    parts = [part for part in used if part.recorded.missing and part.billing not in ("included", "local")]
    if not parts:
        return
    models = list(dict.fromkeys(part.model or "an unnamed model" for part in parts))
    priced = [part.computed.usd for part in parts if part.computed.usd and not part.computed.missing]
    listed, least = sum(priced, Decimal(0)), "at least " if len(priced) < len(parts) else ""
    tokens, of = (sum(part.tokens.total or 0 for part in among) for among in (parts, used))
    severity = Severity.WARNING if tokens < min_share * of else None
    numbers = {
        "tokens": tokens,
        "model": models[0] if len(models) == 1 else f"{len(models):,} models",
        "listed": f": {least}${listed:.2f} at list prices" if listed else "",
        "advice": _ADD if least else _TRUST,
    }
    yield Found(numbers, tuple(map(_without_cost, parts)), severity=severity)


def _without_cost(part: LedgerPart) -> Evidence:
    spent = f"{part.tokens.total or 0:,} tokens of {part.model or 'an unnamed model'}"
    text = f"{spent}, {part.provider or 'no provider'}, estimated_cost_usd 0 or NULL"
    return Evidence(Source.DATABASE, "sessions", text)


@spending_rule("F5")
@store_spending_rule("F5")
def stale_price(spent: Spent, min_share: float, min_usd: float) -> Iterable[Found]:
    """The recorded cost differs from the list price of its day, though one model answered."""
    if isinstance(spent, Case) and any(len(models) > 1 for models in unbooked(spent).values()):
        return
    for row in spent.ledger.rows:
        recorded, computed = row.recorded.usd, row.computed.usd
        if not recorded or not computed or row.recorded.missing or row.computed.missing:
            continue
        difference = abs(computed - recorded)
        if difference > max(Decimal(str(min_usd)), Decimal(str(min_share)) * computed):
            numbers = {"model": row.key, "recorded": recorded, "computed": computed}
            entries = (part.price for part in row.parts if part.price)
            where = (Evidence(Source.DERIVED, "price list", entry.label) for entry in entries)
            yield Found(numbers, tuple(where), Verdict.DERIVED)


@spending_rule("F8")
@store_spending_rule("F8")
def included(spent: Spent) -> Iterable[Found]:
    """A subscription pays for calls that would otherwise cost this much."""
    listed = sum((row.included.usd for row in spent.ledger.rows if row.included.usd), Decimal(0))
    if listed:
        yield Found({"listed": listed}, verdict=Verdict.DERIVED)


def summary_spend(rows: Sequence[LedgerRow]) -> dict[str, Any]:
    """Calls, tokens and recorded cost of summaries, from the ledger rows of their task."""
    usd = sum((row.recorded.usd for row in rows if row.recorded.usd), Decimal(0))
    return {
        "told": plural(sum(row.calls or 0 for row in rows), "call"),
        "tokens": sum(row.tokens.total or 0 for row in rows),
        "price": f", {money(usd)}" if usd else "",
    }


@spending_rule("F6")
def one_hour_writes(case: Case) -> Iterable[Found]:
    """Cache writes kept for an hour were recorded at the 5-minute rate."""
    if case.report.ttl != "1h":
        return
    for row in case.ledger.rows:
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
def tiered_price(case: Case) -> Iterable[Found]:
    """Prompts exceed the size above which the model costs more."""
    over: Counter[tuple[str, int]] = Counter()
    for call in case.report.calls:
        entry = case.prices.entry_of(case.tip, at=call.at, model=call.model, provider=call.provider)
        reached = [tier.above for tier in entry.tiers if (call.prompt or 0) > tier.above] if entry else []
        if reached:
            over[(call.model, reached[-1])] += 1
    for (model, above), calls in over.items():
        yield Found({"told": plural(calls, "call"), "above": above, "model": model})


@spending_rule("F9")
def delegates_beside(case: Case) -> Iterable[Found]:
    """What sub-agents spent besides the conversation."""
    root = case.conversation.root.id
    delegates = read_threads(case.store, root).delegates(root)
    if not delegates:
        return
    rows = collect([case.store], by="conversation", session=root).ledger().rows
    row = next((row for row in rows if row.subtree is not None), LedgerRow(""))
    own, with_delegates = row.tokens.total or 0, (row.subtree.total if row.subtree else None) or 0
    if with_delegates > own:
        counted = plural(len(delegates), "sub-agent")
        numbers = {
            "told": counted,
            "own": own,
            "extra": with_delegates - own,
            "whose": "the conversation itself",
        }
        yield Found(numbers)


@spending_rule("F10")
def summaries(case: Case) -> Iterable[Found]:
    """What summaries cost."""
    if any(row.task == "compression" for row in case.usage):
        yield Found(summary_spend([row for row in case.ledger.rows if row.task == "compression"]))


@conversation_rule("A3")
def threshold_too_high_for_the_money(case: Case, min_threshold: int, min_share: float) -> Iterable[Found]:
    """A long window is never compressed, and re-reading it is most of the bill."""
    threshold = case.threshold
    if threshold is None:
        raise Missing("the window is unknown")
    if threshold < min_threshold:
        return
    calls = case.context.log.prompts
    if not calls:
        raise Missing("no log line of a call is left")
    if max(calls) < threshold and (share := reread_share(case)) >= min_share:
        numbers = {
            "threshold": threshold,
            "largest": max(calls),
            "share": float(share),
            "remedy": to_fire_earlier(case),
        }
        yield Found(numbers, verdict=Verdict.DERIVED)


def reread_share(case: Case) -> Decimal:
    """The share of the bill that re-reads prompts, at list prices."""
    entry = Bill.of(case.context, case.prices).entry
    if entry is None:
        raise Missing("nobody has a price for the model")
    tokens, calls = case.conversation.tokens, case.calls or 1
    usd, reading = price(entry, tokens, calls=calls), cost(entry, (0, tokens.cache_read, 0, 0), calls=calls)
    if not usd or reading is None:
        raise Missing("the model has no price for what it was used for")
    return reading / usd
