"""Diagnoses about the prompt cache of one conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.explain.diagnose.registry import Found, Rule, spending_rule
from core.explain.diagnose.rules.money.case import Account
from core.model.evidence import Verdict
from core.support.amounts import plural
from core.support.yaml_tables import shared_table


@spending_rule("G1")
def breaks_with_cause(account: Account, rule: Rule) -> Iterable[Found]:
    """What broke the cache, and what was read again."""
    breaks = account.report.breaks
    if not breaks:
        return
    causes = Counter(one.cause for one in breaks)
    usd = [one.usd for one in breaks if one.usd is not None]
    worst = max(causes, key=lambda cause: sum(one.tokens_lost for one in breaks if one.cause == cause))
    numbers = {
        "told": plural(len(breaks), "cache break"),
        "causes": ", ".join(_caused(cause, count, len(causes)) for cause, count in causes.most_common()),
        "tokens": sum(one.tokens_lost for one in breaks),
        "price": f", ${sum(usd):.4f} above cached reads" if usd else "",
        "remedy": remedy(worst),
    }
    evidence = [one.evidence[-1] for one in breaks if one.evidence]
    yield Found(numbers, tuple(evidence))


def _caused(cause: str, count: int, causes: int) -> str:
    words = cause.replace("_", " ")
    return words if causes == 1 else f"{count} by {words}"


@spending_rule("G2")
def writes_exceed_reads(account: Account, rule: Rule) -> Iterable[Found]:
    """More is written to the cache than read from it."""
    tokens = account.report.tokens
    written, read = tokens.cache_write or 0, tokens.cache_read or 0
    if written > read and account.calls >= rule.limits["calls"]:
        yield Found({"written": written, "read": read})


@spending_rule("G3")
def other_lifetime(account: Account, rule: Rule) -> Iterable[Found]:
    """The pauses of this conversation call for the other lifetime."""
    advice = account.report.advice
    if advice is not None and advice.better is not None and advice.better != advice.current:
        numbers = {"reason": advice.reason, "better": advice.better}
        yield Found(numbers, verdict=Verdict.DERIVED)


@spending_rule("G5")
def beyond_lookback(account: Account, rule: Rule) -> Iterable[Found]:
    """More results at once than the cache looks back over."""
    longest = run = 0
    for message in account.fresh:
        run = run + 1 if message.role == "tool" else 0
        longest = max(longest, run)
    most = rule.limits["limit"]
    if longest > most and account.report.layout != "none":
        numbers = {"rows": longest, "limit": most}
        yield Found(numbers, verdict=Verdict.SUSPECTED)


@spending_rule("G7")
def price_of_a_compaction(account: Account, rule: Rule) -> Iterable[Found]:
    """What a compaction cost, and whether that was earned back."""
    for one in account.report.paybacks:
        price = one.price_usd if one.price_usd is not None else one.reread_usd
        if price is None or one.saving_per_call_usd is None:
            continue
        verdict = f"it has not paid for itself after {plural(one.calls_after, 'call')}"
        if one.paid_back_after is not None:
            verdict = f"it paid for itself after {plural(one.paid_back_after, 'call')}"
        numbers = {
            "at": f"{one.at:%Y-%m-%d %H:%M}",
            "price": price,
            "saving": one.saving_per_call_usd,
            "verdict": verdict,
        }
        yield Found(numbers, verdict=Verdict.DERIVED, session=one.session)


def remedy(cause: str) -> str:
    """What helps against a cause of cache breaks."""
    return str(shared_table("core/explain/diagnose/rules/money/break_remedies.yaml").get(cause, ""))
