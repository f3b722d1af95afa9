"""Diagnoses about the prompt cache of one conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from core.account.diagnosis import limit, remedy
from core.explain.diagnose.rules.money.case import Account
from core.model.evidence import Verdict
from core.model.finding import Finding
from core.support.plural import plural


def _breaks(account: Account) -> Iterator[Finding]:
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
    yield account.found("G1", numbers, *evidence)


def _caused(cause: str, count: int, causes: int) -> str:
    words = cause.replace("_", " ")
    return words if causes == 1 else f"{count} by {words}"


def _writes_exceed(account: Account) -> Iterator[Finding]:
    tokens = account.report.tokens
    written, read = tokens.cache_write or 0, tokens.cache_read or 0
    if written > read and account.calls >= limit("G2", "calls"):
        yield account.found("G2", {"written": written, "read": read})


def _lifetime(account: Account) -> Iterator[Finding]:
    advice = account.report.advice
    if advice is not None and advice.better is not None and advice.better != advice.current:
        numbers = {"reason": advice.reason, "better": advice.better}
        yield account.found("G3", numbers, verdict=Verdict.DERIVED)


def _lookback(account: Account) -> Iterator[Finding]:
    longest = run = 0
    for message in account.fresh:
        run = run + 1 if message.role == "tool" else 0
        longest = max(longest, run)
    most = limit("G5", "limit")
    if longest > most and account.report.layout != "none":
        numbers = {"rows": longest, "limit": most}
        yield account.found("G5", numbers, verdict=Verdict.SUSPECTED)


def _compaction_price(account: Account) -> Iterator[Finding]:
    for one in account.report.paybacks:
        price = one.price_usd if one.price_usd is not None else one.reread_usd
        if price is None or one.saving_per_call_usd is None:
            continue
        verdict = f"not paid back in {one.calls_after} calls"
        if one.paid_back_after is not None:
            verdict = f"paid back after {plural(one.paid_back_after, 'call')}"
        numbers = {
            "at": f"{one.at:%Y-%m-%d %H:%M}",
            "price": price,
            "saving": one.saving_per_call_usd,
            "verdict": verdict,
        }
        yield account.found("G7", numbers, session=one.session, verdict=Verdict.DERIVED)


CACHE_RULES: Sequence[Callable[[Account], Iterator[Finding]]] = (
    _breaks, _writes_exceed, _lifetime, _lookback, _compaction_price,
)  # fmt: skip
