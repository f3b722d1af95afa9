"""What a threshold costs; the other rules about money come with the accounting."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from core.account.pricing.price import cost
from core.account.pricing.price_book import open_book
from core.explain.diagnose.case import Case
from core.explain.diagnose.registry import Found, Missing, Rule, conversation_rule
from core.explain.diagnose.rules.remedies import to_fire_earlier
from core.explain.what_if.bill import Bill
from core.hermes.log.record import Kind
from core.model.evidence import Verdict


@conversation_rule("A3")
def threshold_too_high_for_the_money(case: Case, rule: Rule) -> Iterable[Found]:
    """A long window is never compressed, and reading it again is most of the bill."""
    threshold = case.threshold
    if threshold is None:
        raise Missing("the window is unknown")
    if threshold < rule.limits["tokens"]:
        return
    calls = [record.input for record in case.lines(Kind.CALL) if record.input]
    if not calls:
        raise Missing("no log line of a call is left")
    if max(calls) < threshold and (share := _reading(case)) >= rule.limits["share"]:
        numbers = {
            "threshold": threshold,
            "largest": max(calls),
            "share": float(share),
            "lever": to_fire_earlier(case),
        }
        yield Found(numbers, verdict=Verdict.DERIVED)


def _reading(case: Case) -> Decimal:
    """The share of the bill that is reading prompts again, at list prices."""
    entry = Bill.of(case.context, open_book()).entry
    if entry is None:
        raise Missing("nobody has a price for the model")
    tokens = [session.tokens for session in case.conversation.sessions]
    read = sum(one.cache_read or 0 for one in tokens)
    fresh, written, output = (
        sum(getattr(one, name) or 0 for one in tokens) for name in ("input", "cache_write", "output")
    )
    whole = cost(entry, (fresh, read, written, output), calls=case.tip.api_calls or 1)
    reading = cost(entry, (0, read, 0, 0), calls=case.tip.api_calls or 1)
    if not whole or reading is None:
        raise Missing("the model has no price for what it was used for")
    return reading / whole
