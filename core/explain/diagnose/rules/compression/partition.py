"""Rules about where a compaction cuts, and what it cannot shrink."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from core.compress.sizing.estimate import image_count, transcript_tokens
from core.explain.context.next_request import overhead
from core.explain.context.rows.boundary_rows import is_request
from core.explain.context.rows.unsaved_rows import ranges
from core.explain.diagnose.case import Case, passes
from core.explain.diagnose.registry import Found, Missing, conversation_rule
from core.hermes.log.record import Kind
from core.hermes.markers.markers import find_summary
from core.hermes.policy.trigger_rules import EstimateRules
from core.model.compaction.plan import Plan
from core.model.finding import Evidence, Severity, Source, Verdict
from core.model.transcript.message import Message
from core.redact.quick_check import masked_excerpt
from core.store.database.open_database import TEXTS

_UNPROTECT = "Set compression.protect_first_n: 0 in config.yaml, so that it is summarised too"
_UNPROTECTED = "Nothing to do: compression.protect_first_n is 0 now, so the next compaction summarises it too"
_HIDDEN = tuple(name for name in TEXTS if name not in ("content", "tool_calls"))


@conversation_rule("D1")
def tail_swallowed(case: Case, message_share: float, tail_share: float) -> Iterable[Found]:
    """The tail is far over its budget, or one message fills it."""
    plan = _planned(case)
    budget, tail = plan.tail_budget or 0, case.live[plan.tail.start : plan.tail.end]
    weights = plan.weights[plan.tail.start : plan.tail.end]
    if not plan.middle.size or not budget or not weights:
        return
    biggest = max(range(len(weights)), key=weights.__getitem__)
    if weights[biggest] >= message_share * budget:
        tail = tail[biggest : biggest + 1]
        name = tail[0].wire.get("tool_name") or tail[0].role
        what = f"One message of the tail ({name}) takes {weights[biggest]:,} of its {budget:,} tokens"
        advice = "Shorten that message, or start afresh with /new"
    elif sum(weights) > tail_share * budget:
        what = f"The tail holds {sum(weights):,} tokens, its budget is {budget:,}"
        advice = (
            "Start afresh with /new, as the newest request and what followed it are kept whatever their size"
        )
    else:
        return
    numbers = {"what": what, "free": plan.middle_tokens, "advice": advice}
    yield Found(numbers, (Evidence(Source.DERIVED, ranges(tail) or "the tail", what),), Verdict.DERIVED)


@conversation_rule("D2")
def nothing_to_compress(case: Case) -> Iterable[Found]:
    """Head and tail leave no middle to summarise."""
    refused = case.lines(Kind.CANNOT_COMPRESS, Kind.NOTHING_TO_COMPRESS)
    if refused:
        yield Found({"why": "Hermes found so the last time"}, (refused[-1].evidence,))
        return
    plan = _planned(case)
    if case.live and not plan.summarises:
        why = "; ".join(plan.blocked_by) or "head and tail hold everything"
        yield Found({"why": why}, (Evidence(Source.DERIVED, "plan", why),), Verdict.DERIVED)


@conversation_rule("D3")
def fossil_head(case: Case, warn: int) -> Iterable[Found]:
    """A request from before the first compaction still comes before the summary."""
    count = passes(case)
    if not count or not case.summaries:
        return
    for place, message in enumerate(case.live):
        if message.role == "system":
            continue
        if find_summary(message.text) is not None:
            return
        if is_request(message):
            where = f"message {message.row.id}" if message.row else "the first message"
            text = masked_excerpt(" ".join(message.text.split()), 100)
            plan, outlived = case.plan, count >= warn
            mended = not plan.settings.protect_first and place >= plan.head.end
            numbers = {
                "text": text,
                "after": f" after {count} of them" if outlived else "",
                "fix": _UNPROTECTED if mended else _UNPROTECT,
            }
            severity = Severity.WARNING if outlived and not mended else None
            yield Found(numbers, (Evidence(Source.DATABASE, where, text),), severity=severity)
            return


@conversation_rule("D4")
def middle_exceeds_summary_model(case: Case) -> Iterable[Found]:
    """The next middle does not fit the summary model."""
    lowered = case.lines(Kind.AUX_LOWERED)
    aux = case.settings.aux_window or (lowered[-1].window if lowered else None)
    if aux is None:
        raise Missing("the window of the summary model is nowhere stated")
    plan = _planned(case)
    middle = plan.middle_tokens
    if middle + (plan.summary_budget or 0) > aux:
        evidence = Evidence(
            Source.DERIVED, "plan", f"middle {middle:,}, summary {plan.summary_budget or 0:,}"
        )
        yield Found({"middle": middle, "aux": aux}, (evidence,), Verdict.DERIVED)


@conversation_rule("D5")
def images(case: Case, min_count: int, min_bytes: int) -> Iterable[Found]:
    """The transcript holds images, which Hermes counts by number whatever their size."""
    policy = case.policy.estimate
    holders = [message for message in case.live if image_count(message.wire, policy)]
    count = sum(image_count(message.wire, policy) for message in holders)
    stored = sum(len(json.dumps(message.content, default=str)) for message in holders)
    if count < min_count and stored < min_bytes:
        return
    evidence = Evidence(Source.DATABASE, ranges(holders), _by_part(case, policy))
    yield Found({"count": count, "bytes": stored, "each": policy.image_tokens}, (evidence,))


@conversation_rule("D6")
def hidden_payload(case: Case, min_share: float, min_bytes: int) -> Iterable[Found]:
    """Much of the transcript is never shown."""
    wires = [message.wire for message in case.live]
    hidden = sum(len(str(wire[key])) for wire in wires for key in _HIDDEN if wire.get(key))
    shown = sum(len(message.text) for message in case.live)
    if hidden < min_bytes or hidden / (hidden + shown) < min_share:
        return
    tokens = transcript_tokens(case.live, case.policy.estimate)
    evidence = Evidence(
        Source.DERIVED, "live messages", f"{hidden:,} bytes hidden, about {tokens:,} tokens in all"
    )
    yield Found({"share": hidden / (hidden + shown), "bytes": hidden}, (evidence,))


@conversation_rule("D7")
def cut_through_a_tool_chain(case: Case) -> Iterable[Found]:
    """A compaction left a tool result without its call, or a call without its result."""
    for rows in case.context.boundaries:
        evidence = next(_parted(case.context.messages(rows.before), case.context.messages(rows.after)), None)
        if evidence is not None:
            yield Found({}, (evidence,), session=rows.opened.session_id)


@conversation_rule("A8")
def overhead_dominates(case: Case, warn: float, critical: float) -> Iterable[Found]:
    """System prompt and tools fill the budget before the first message."""
    if case.threshold is None:
        raise Missing("the window is unknown")
    found = overhead(case.context, case.policy)
    if found.evidence is None:
        raise Missing("neither the tool schemas nor the first call of the conversation is on record")
    share = found.tokens / case.threshold
    if share < warn:
        return
    severity = Severity.CRITICAL if share >= critical else Severity.WARNING
    numbers = {"overhead": found.tokens, "share": share, "threshold": case.threshold}
    yield Found(numbers, (found.evidence,), Verdict.DERIVED, severity)


def _parted(before: Sequence[Message], after: Sequence[Message]) -> Iterator[Evidence]:
    """Results that a compaction left without their call, and calls it left without their result."""
    calls = {call.id for message in after for call in message.tool_calls}
    results = {message.tool_call_id for message in after if message.role == "tool"}
    answered = {message.tool_call_id for message in before if message.role == "tool"}
    for message in after:
        where = f"message {message.row.id}" if message.row else "a tool row"
        if message.role == "tool" and message.tool_call_id and message.tool_call_id not in calls:
            yield Evidence(Source.DATABASE, where, f"result of {message.tool_call_id}, its call is gone")
        for call in message.tool_calls:
            if call.id in answered - results:
                yield Evidence(Source.DATABASE, where, f"call {call.id}, its result is gone")


def _by_part(case: Case, policy: EstimateRules) -> str:
    """How many images each part of the transcript holds."""
    counts = [image_count(message.wire, policy) for message in case.live]
    if case.window is None:
        return f"{sum(counts)} images"
    parts = {"head": case.plan.head, "middle": case.plan.middle, "tail": case.plan.tail}
    return ", ".join(f"{sum(counts[part.start : part.end])} in the {name}" for name, part in parts.items())


def _planned(case: Case) -> Plan:
    if case.window is None:
        raise Missing("the window is unknown")
    return case.plan
