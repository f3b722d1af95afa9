"""Rules about the usage of one conversation: what its records lack, and what its prompt cache did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise

from core.account.prompt_cache.routes import Route
from core.account.spending.ledger import collect
from core.explain.diagnose.case import Case, billed, unbooked
from core.explain.diagnose.registry import Found, spending_rule
from core.explain.headline.usage import brief_cause, cache_headline
from core.model.finding import Evidence, Source, Verdict
from core.model.transcript.session import Session
from core.support.formatting import moment, money, money_a_call, plural

_APART = "usage by model tells them apart"
_TOGETHER = "Hermes before 0.19 does not book them apart, so the list price of the one is not what they cost"


@spending_rule("F2")
def no_usage(case: Case) -> Iterable[Found]:
    """There are answers, but no tokens."""
    answered = Counter(answer.row.session_id for answer in case.answers if answer.row)
    sessions = case.conversation.sessions
    silent = [session for session in sessions if answered[session.id] and not any(billed(session))]
    if silent:
        words = f"{plural(answered[silent[0].id], 'answer')}, no tokens"
        where = Evidence(Source.DATABASE, f"sessions {silent[0].id}", words)
        yield Found({"sessions": plural(len(silent), "session")}, (where,), session=silent[0].id)


@spending_rule("F3")
def undercounted(case: Case, min_ratio: float, min_answers: int) -> Iterable[Found]:
    """Fewer calls are on record than answers."""
    recorded, answers = case.calls, len(case.answers)
    if recorded and answers >= min_answers and recorded / answers < min_ratio:
        words = plural(recorded, "call is", "calls are")
        numbers = {"told": words, "recorded": recorded, "answers": answers, "missing": answers - recorded}
        yield Found(numbers, verdict=Verdict.SUSPECTED)


@spending_rule("F10-invisible")
def invisible_summaries(case: Case) -> Iterable[Found]:
    """A model wrote summaries, but their usage is not recorded."""
    made = [rows for rows in case.context.boundaries if not rows.pruned]
    compactions = sum(rows.summary is None or not rows.summary.fallback for rows in made)
    if compactions and not any(row.task == "compression" for row in case.usage):
        yield Found({"told": plural(compactions, "compaction")})


@spending_rule("F11")
def misattributed(case: Case) -> Iterable[Found]:
    """Several models answered in a session that is booked on one."""
    for session in case.conversation.sessions:
        used = {row.model for row in case.usage if row.session_id == session.id and not row.task}
        models = ", ".join(sorted(used) or unbooked(case).get(session.id, ()))
        if ", " in models:
            where = Evidence(Source.DATABASE, f"session_model_usage {session.id}", models)
            if not used:
                where = Evidence(Source.LOG, "API call lines", models)
            numbers = {"model": session.model or "no model", "models": models}
            yield Found({**numbers, "told": _APART if used else _TOGETHER}, (where,), session=session.id)


@spending_rule("F12")
def repeats_its_parent(case: Case, min_ratio: float) -> Iterable[Found]:
    """A continuation may repeat the totals of its parent."""
    sessions = case.conversation.sessions
    for parent, child in pairwise(sessions):
        pairs = list(zip(billed(child), billed(parent), strict=True))
        own = (
            message
            for message in case.distinct_messages
            if message.row and message.row.session_id == child.id
        )
        answers = sum(message.role == "assistant" for message in own)
        calls = child.api_calls or 0
        # If nothing of the session is left (E5), its calls cannot be compared with answers.
        has_rows = any(one.row_ids for one in case.conversation.generations if one.session_id == child.id)
        grown = has_rows and any(billed(parent)) and all((new or 0) >= (old or 0) for new, old in pairs)
        if grown and calls > min_ratio * max(1, answers):
            numbers = {"child": child.id, "calls": calls, "answers": answers}
            yield Found(numbers, verdict=Verdict.SUSPECTED, session=child.id)


@spending_rule("F14")
def no_cache_bucket(case: Case, min_calls: int, min_prompt: int) -> Iterable[Found]:
    """Long prompts never hit the cache, while other models report hits."""
    long = [one for one in case.report.calls if (one.prompt or 0) >= min_prompt]
    models = {call.model for call in long if call.cache_read}
    for model, calls in Counter(call.model for call in long).items():
        if model not in models and calls >= min_calls and _hits_elsewhere(case):
            yield Found({"calls": calls, "model": model}, verdict=Verdict.SUSPECTED)


def _hits_elsewhere(case: Case) -> bool:
    return bool(collect([case.store], by="model").ledger().totals.tokens.cache_read)


@spending_rule("F15")
def no_reasoning(case: Case) -> Iterable[Found]:
    """Answers contain thinking, but no reasoning tokens are recorded."""
    sessions = case.conversation.sessions
    if any(session.tokens.reasoning for session in sessions) or not any(map(_reports_reasoning, sessions)):
        return
    thinking = sum(bool(message.thinking) for message in case.distinct_messages)
    if thinking:
        yield Found({"told": plural(thinking, "answer")})


def _reports_reasoning(session: Session) -> bool:
    """Whether the provider's usage has a count for reasoning; Anthropic's has none."""
    return Route.of(session).wire != "anthropic_messages"


@spending_rule("G1")
def breaks_with_cause(case: Case) -> Iterable[Found]:
    """What broke the cache, and how many tokens were re-read."""
    breaks = case.report.breaks
    if not breaks:
        return
    causes = Counter(one.cause for one in breaks)
    usd = [one.usd for one in breaks if one.usd is not None]
    numbers = {
        "told": plural(len(breaks), "cache break"),
        "causes": ", ".join(_caused(cause, count, len(causes)) for cause, count in causes.most_common()),
        "tokens": sum(one.tokens_lost for one in breaks),
        "price": f", for {money(sum(usd, Decimal(0)))} more than from the cache" if usd else "",
        "remedy": cache_headline(case.report).remedy or "",
    }
    evidence = [one.evidence[-1] for one in breaks if one.evidence]
    yield Found(numbers, tuple(evidence))


def _caused(cause: str, count: int, causes: int) -> str:
    return brief_cause(cause) if causes == 1 else f"{count} by {brief_cause(cause)}"


@spending_rule("G2")
def writes_exceed_reads(case: Case, min_calls: int) -> Iterable[Found]:
    """More is written to the cache than read from it."""
    tokens = case.report.tokens
    written, read = tokens.cache_write or 0, tokens.cache_read or 0
    if written > read and case.calls >= min_calls:
        yield Found({"written": written, "read": read})


@spending_rule("G3")
def other_lifetime(case: Case) -> Iterable[Found]:
    """With this conversation's pauses, the other cache lifetime would be cheaper."""
    advice = case.report.advice
    if advice is not None and advice.better is not None and advice.better != advice.current:
        numbers = {"reason": advice.reason, "better": advice.better}
        yield Found(numbers, verdict=Verdict.DERIVED)


@spending_rule("G5")
def beyond_lookback(case: Case, lookback: int) -> Iterable[Found]:
    """More tool results came back at once than the cache looks back over."""
    longest = run = 0
    for message in case.distinct_messages:
        run = run + 1 if message.role == "tool" else 0
        longest = max(longest, run)
    if longest > lookback and case.report.layout != "none":
        numbers = {"rows": longest, "limit": lookback}
        yield Found(numbers, verdict=Verdict.SUSPECTED)


@spending_rule("G7")
def price_of_a_compaction(case: Case) -> Iterable[Found]:
    """What a compaction cost, and whether it has paid for itself."""
    for payback in case.report.paybacks:
        price = payback.price_usd if payback.price_usd is not None else payback.reread_usd
        if price is None or payback.saving_per_call_usd is None:
            continue
        verdict = f"it has not paid for itself after {plural(payback.calls_after, 'call')}"
        if payback.paid_back_after is not None:
            verdict = f"it paid for itself after {plural(payback.paid_back_after, 'call')}"
        numbers = {
            "at": f"{payback.at:%Y-%m-%d %H:%M}",
            "when": moment(payback.at, seconds=False),
            "price": price,
            "saving": payback.saving_per_call_usd,
            "told": f"cost {money(price)} and saves {money_a_call(payback.saving_per_call_usd)}",
            "verdict": verdict,
        }
        yield Found(numbers, verdict=Verdict.DERIVED, session=payback.session)
