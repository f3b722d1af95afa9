"""Rules about the quality of summaries, and about failed ones."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from core.compress.pruning.stub_fields import reports_failure
from core.compress.retention.words import is_grave, loss_words, needs_help
from core.compress.sizing.estimate import text_tokens, transcript_tokens
from core.explain.compactions.causes import trigger_in_short
from core.explain.context.past_compaction import past_of
from core.explain.context.rows.unsaved_rows import ranges
from core.explain.diagnose.case import Case, passes
from core.explain.diagnose.registry import Found, Missing, conversation_rule
from core.explain.diagnose.rules.storage.structure import ANOTHER_MODEL, benched, paused
from core.explain.headline.conversation import standing_failure
from core.hermes.log.record import Kind
from core.model.compaction.event import SummaryStatus
from core.model.compaction.preview import Retention
from core.model.finding import NO_HEADLINE, Evidence, Severity, Source, Verdict
from core.model.transcript.message import Message
from core.redact.quick_check import masked_excerpt
from core.support.formatting import percent, plural

_NOT = r"(?:can['’]?t|cannot|(?:am )?unable|won['’]?t)"
_REFUSES = re.compile(
    rf"^(?:(?:I['’]?m|I am) (?:very )?sorry|Sorry|I apologi[sz]e)\b.{{0,30}}\b{_NOT}\b.{{0,80}}$"
    rf"|^I {_NOT} (?:to )?(?:help|assist|comply|summari[sz]e|do (?:that|this))\b.{{0,80}}$",
    re.MULTILINE | re.IGNORECASE,
)
"""A line that declines; a user's quoted words would come after a bullet or a quotation mark."""
_MENTIONS = re.compile("fail|exit|blocked|not run", re.IGNORECASE)
"""Words of a stub for a call that failed."""
_WRITTEN_SINCE = "A summary has been written since; repeat what matters of those messages"
_AFTERWARDS = "Repeat what matters; next time, /compress TOPIC keeps more of it."
_ORDERS = ("resume exactly", "## Active Task")
"""What releases before 0.17 write before a summary; later ones say that the newest message wins."""


@conversation_rule("C1")
def fallback_summary(case: Case) -> Iterable[Found]:
    """No model wrote the summary."""
    headlines = {
        (event.to_session, event.generation): event.headline for event in case.events if event.failed
    }
    over = None if standing_failure(case.events) is not None else Severity.INFO
    for rows in case.context.boundaries:
        match, opened = rows.summary, rows.opened
        if match is None or not match.fallback:
            continue
        headline = headlines.get((opened.session_id, opened.index - 1), NO_HEADLINE)
        dropped = "an unknown number of" if match.dropped is None else match.dropped
        numbers = {
            "what": headline.sentence.rstrip(".") or f"No model wrote a summary of {dropped} messages",
            "fix": _WRITTEN_SINCE if over else (headline.remedy or ANOTHER_MODEL).rstrip("."),
            "dropped": dropped,
            "reason": f": {match.reason}" if match.reason else "",
        }
        where = f"message {rows.boundary.summary_row}"
        evidence = Evidence(Source.DATABASE, where, masked_excerpt(match.body, 200))
        yield Found(numbers, (evidence,), severity=over, session=opened.session_id)


@conversation_rule("C12")
def compression_failed(case: Case) -> Iterable[Found]:
    """An attempt failed, and none has succeeded since."""
    event = standing_failure(case.events)
    if event is None or event.completed:
        return
    headline = event.headline
    lines = tuple(one for one in event.evidence if one.source is Source.LOG)
    numbers = {"what": headline.sentence.rstrip("."), "fix": (headline.remedy or "").rstrip(".")}
    yield Found(numbers, lines[-4:], event.verdict, headline.severity, event.session)


@conversation_rule("C2")
def summary_model_paused(case: Case, min_streak: int) -> Iterable[Found]:
    """Failures of the summary model block compression or pause the model."""
    streak = case.tip.guards.fallback_streak or 0
    if streak >= min_streak:
        yield benched(case.tip, streak, blocks=case.policy.gate.fallback_streak > 0)
    failed = standing_failure(case.events)
    if (failed is None or failed.completed) and (found := paused(case.tip, case.now)):
        yield found


@conversation_rule("C3")
def summary_model_swapped(case: Case) -> Iterable[Found]:
    """Another model than the configured one wrote summaries."""
    release = case.policy.release
    configured = case.context.config.setting("auxiliary.compression.model", release)
    retried = case.lines(Kind.MAIN_MODEL_RETRY)
    written = (event for event in case.completed if event.summary.status is SummaryStatus.MODEL)
    wrote = {line.where for event in written for line in event.evidence}
    for record in retried:
        if record.where not in wrote:
            continue  # the main model failed too
        numbers = {"used": "the main model", "configured": record.model or "summary model"}
        yield Found(numbers, (record.evidence,))
    if retried or not configured.value:
        return
    used = {event.summary.model for event in case.completed if event.summary.model}
    for model in sorted(used - {configured.value}):
        evidence = Evidence(Source.CONFIG, configured.origin, f"model: {configured.value}")
        yield Found({"used": model, "configured": configured.value}, (evidence,), Verdict.DERIVED)


@conversation_rule("C4")
def summary_too_small(case: Case, few_tokens: int, tiny_share: float, fair_share: float) -> Iterable[Found]:
    """A summary is far smaller than the messages it replaces."""
    for rows in case.context.boundaries:
        if rows.summary is None or rows.summary.fallback or not rows.before or not rows.after:
            continue
        past = past_of(case.context, rows)
        replaced = past.before[past.middle.start : past.middle.end] if past else ()
        middle = transcript_tokens(replaced, case.policy.estimate)
        tokens = text_tokens(rows.summary.body, case.policy.estimate.unit)
        # A short summary of a short middle is fine.
        small = tokens < few_tokens and tokens < fair_share * middle
        heading_note = "" if "## " in rows.summary.body else ", without a heading"
        if small or heading_note or tokens < tiny_share * middle:
            where = f"message {rows.boundary.summary_row}"
            evidence = Evidence(Source.DATABASE, where, masked_excerpt(rows.summary.body, 200))
            numbers = {"tokens": tokens, "middle": middle, "bare": heading_note}
            yield Found(numbers, (evidence,), Verdict.DERIVED)


@conversation_rule("C4-refused")
def summary_refused(case: Case) -> Iterable[Found]:
    """The model declined, and Hermes stored its refusal as the summary."""
    for rows in case.context.boundaries:
        refusal = _REFUSES.search(rows.summary.body) if rows.summary is not None else None
        if refusal is not None:
            where = f"message {rows.boundary.summary_row}"
            evidence = Evidence(Source.DATABASE, where, masked_excerpt(refusal[0], 200))
            yield Found({"model": _written_by(case, rows.opened.index - 1)}, (evidence,), Verdict.DERIVED)


def _written_by(case: Case, generation: int) -> str:
    wrote = (event.summary.model for event in case.completed if event.generation == generation)
    return next(wrote, None) or "The summary model"


@conversation_rule("C5")
def summary_grows(case: Case, min_times: int, min_share: float) -> Iterable[Found]:
    """Summaries grow with every compaction, or take a large share of the threshold."""
    unit = case.policy.estimate.unit
    sizes = [text_tokens(rows.summary.body, unit) for rows in case.context.boundaries if rows.summary]
    grown = sizes[-min_times - 1 :]
    rising = len(grown) > min_times and all(one < other for one, other in pairwise(grown))
    fills = case.threshold is not None and sizes and sizes[-1] > min_share * case.threshold
    if rising or fills:
        sizes_text = ", ".join(f"{size:,}" for size in grown)
        what = "Summaries grow with every compaction" if rising else "Summaries fill much of the room"
        numbers = {"what": what, "sizes": sizes_text}
        yield Found(numbers, (Evidence(Source.DATABASE, "summaries", sizes_text),), Verdict.DERIVED)


@conversation_rule("C6")
def stacked_summaries(case: Case) -> Iterable[Found]:
    """Every request carries more than one summary."""
    if len(case.summaries) > 1:
        where = ranges(message for message, _ in case.summaries)
        evidence = Evidence(Source.DATABASE, where, "summaries, all live")
        yield Found({"count": len(case.summaries)}, (evidence,))


@conversation_rule("C7")
def summary_is_the_last_request(case: Case) -> Iterable[Found]:
    """The newest user message is a summary, or an early release's summary gives orders of its own."""
    newest = next((message for message in reversed(case.live) if message.role == "user"), None)
    for message, match in case.summaries:
        where = f"message {message.row.id}" if message.row else "the summary"
        evidence = Evidence(Source.DATABASE, where, masked_excerpt(message.text, 120))
        if message is newest and not match.merged and not match.restated:
            yield Found({"what": "The newest user message is a summary"}, (evidence,))
        elif any(order in _said_before(message.text, match.body) for order in _ORDERS):
            own = case.policy.release in (*match.releases, match.family)
            what = "The words before the summary send the model to the task it names"
            yield Found({"what": what}, (evidence,), severity=Severity.INFO if own else Severity.WARNING)


def _said_before(text: str, body: str) -> str:
    return text.partition(body)[0] if body else text


@conversation_rule("C8")
def many_compactions(case: Case, info: int, warn: int) -> Iterable[Found]:
    """Each compaction by Hermes' rules loses detail; another engine may keep all."""
    count, engine = passes(case), case.context.engine
    if count >= info and (engine is None or engine.is_ours):
        severity = Severity.WARNING if count >= warn else Severity.INFO
        yield Found({"count": count}, (), Verdict.DERIVED, severity)


@conversation_rule("C9")
def constraint_lost(case: Case) -> Iterable[Found]:
    """The newest summary leaves out instructions of the user."""
    report = _report(case)
    facts = report.facts if report else ()
    lost = [fact for fact in facts if fact.category == "constraints" and fact.fate == "lost"]
    if lost:
        quotes = (masked_excerpt(one.value, 200) for one in lost[:5])
        evidence = tuple(Evidence(Source.DATABASE, "the summarised messages", text) for text in quotes)
        numbers = {"told": plural(len(lost), "instruction"), "first": masked_excerpt(lost[0].value, 120)}
        yield Found(numbers, evidence, Verdict.SUSPECTED)


@conversation_rule("C10")
def anchors_lost(case: Case) -> Iterable[Found]:
    """The newest summary lost checkable facts; with most of what matters, that is as grave as *Why* says."""
    report = _report(case)
    if report and report.lost_share is not None and report.total.lost:
        of, lost = report.total.of, report.total.lost
        evidence = Evidence(Source.DERIVED, "the newest summary", f"{of - lost} of {of} facts kept")
        numbers = {"share": percent(report.lost_share), "lost": lost, "kept": of - lost, "of": of}
        numbers["what"], event = loss_words(report), case.newest_retention[1]
        numbers["which"] = (
            f" ({event.apart}, {trigger_in_short(event.trigger)})" if event and event.apart else ""
        )
        numbers["advice"] = _AFTERWARDS if needs_help(report) else ""
        grave = Severity.WARNING if is_grave(report) else None
        yield Found(numbers, (evidence,), Verdict.DERIVED, grave)


@conversation_rule("C13")
def unsupported_claims(case: Case) -> Iterable[Found]:
    """The newest summary claims things that the messages it replaced do not say."""
    report = _report(case)
    claims = report.unfounded if report else ()
    if claims:
        evidence = tuple(
            Evidence(Source.DERIVED, "the newest summary", masked_excerpt(claim.where, 200))
            for claim in claims[:5]
        )
        first = masked_excerpt(claims[0].value, 120)
        more = f" and {plural(len(claims) - 1, 'other thing')}" if len(claims) > 1 else ""
        counted = plural(len(claims), "thing")
        numbers = {"told": counted, "first": first, "more": more, "session": case.tip.id}
        yield Found(numbers, evidence, Verdict.SUSPECTED)


@conversation_rule("C11")
def failure_shown_as_success(case: Case) -> Iterable[Found]:
    """A shortened tool result no longer says that the call failed."""
    originals = _failed_results(case)
    hidden = [m for m in case.live if _hides(m, originals.get(m.tool_call_id))]
    if hidden:
        evidence = Evidence(Source.DATABASE, ranges(hidden), masked_excerpt(hidden[0].text, 160))
        numbers = {
            "told": plural(len(hidden), "shortened tool result does", "shortened tool results do"),
            "session": case.tip.id,
            "generation": case.context.boundaries[-1].opened.index - 1,
        }
        yield Found(numbers, (evidence,), Verdict.DERIVED)


def _report(case: Case) -> Retention | None:
    if case.context.boundaries and all(not rows.before for rows in case.context.boundaries):
        raise Missing("the summarised messages are gone")
    return case.newest_retention[0]


def _failed_results(case: Case) -> dict[str | None, str]:
    """The original results, now archived, that reported a failure; by the id of their call."""
    return {
        message.tool_call_id: message.text
        for rows in case.context.boundaries[-1:]
        for message in case.context.messages(rows.before)
        if message.role == "tool" and reports_failure(message.text)
    }


def _hides(message: Message, original: str | None) -> bool:
    """Whether a result is shorter than an original that reported a failure, and does not mention one."""
    if original is None or message.role != "tool" or len(message.text) >= len(original):
        return False
    return not (_MENTIONS.search(message.text) or reports_failure(message.text))
