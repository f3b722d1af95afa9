"""A conversation as JSON: why it was compressed, its current state, its cache, its lineage."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.explain.explanation import Explanation, Now
    from core.hermes.policy.release import ReleaseGuess
    from core.live.status import Status
    from core.model.accounting.amounts import Buckets, Money
    from core.model.accounting.prompt_cache import Breakpoint, CacheBreak, CacheCall, CacheReport, Payback
    from core.model.accounting.usage import RecordedUse
    from core.model.compaction.event import CompressionEvent, Failure
    from core.model.finding import Finding
    from core.model.transcript.conversation import Chain, ChainNode


def why_payload(found: Explanation) -> dict[str, Any]:
    """The document of `why`."""
    return {
        "session": found.session,
        **jsonio.headline(found.headline),
        "release": _release(found.context.release),
        "events": [event_payload(event) for event in found.events],
        "now": _now(found.now),
        "window": {
            **jsonio.fields(found.context.window, "tokens verdict"),
            "evidence": [jsonio.evidence(one) for one in found.context.window.evidence],
        },
        "notes": list(found.notes),
    }


def event_payload(event: CompressionEvent) -> dict[str, Any]:
    """One compaction in the document of `why`."""
    return {
        **jsonio.fields(event, "session to_session mode at generation trigger"),
        "refused": event.refused or None,
        "attempt": None if event.attempt is None else asdict(event.attempt),
        **jsonio.fields(
            event,
            "verdict completed tokens threshold window messages_before messages_after tokens_after focus "
            "window_verdict last_prompt",
        ),
        "summary": {
            **jsonio.fields(event.summary, "status model tokens"),
            "failure": _failure(event.summary.failure),
        },
        **jsonio.fields(event, "duration undo release"),
        "evidence": [jsonio.evidence(one) for one in event.evidence],
        **jsonio.fields(event, "explanation arithmetic disagreements"),
        **jsonio.headline(event.headline),
    }


def _failure(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return jsonio.fields(failure, "cause status text")


def _release(guess: ReleaseGuess) -> dict[str, Any]:
    return {
        "detected": guess.release,
        "version": guess.version,
        "verdict": guess.verdict.value,
        "evidence": "; ".join(f"{one.where}: {one.text}" for one in guess.evidence),
    }


def _now(now: Now) -> dict[str, Any]:
    return {
        **jsonio.fields(now, "tokens threshold window blocked_by headroom verdict"),
        "evidence": [jsonio.evidence(one) for one in now.evidence],
        "arithmetic": list(now.arithmetic),
        **jsonio.headline(now.headline),
    }


def chain_payload(chain: Chain, engine: str | None) -> dict[str, Any]:
    """The document of `chain`; `engine` as in its headline."""
    from core.explain.headline.chain import chain_headline  # a cached `why` does not need it

    return {
        **jsonio.headline(chain_headline(chain, engine)),
        **jsonio.fields(chain, "root tip resume_target resume_reason"),
        "nodes": [_node(*pair) for pair in zip(chain.nodes, chain.spent_below(), strict=True)],
        "findings": list(chain.findings),
    }


def _node(node: ChainNode, below: tuple[Buckets, Money]) -> dict[str, Any]:
    session = node.session
    tokens, recorded = below
    return {
        "id": session.id,
        "kind": node.kind.value,
        "parent": node.parent_id,
        **jsonio.fields(node, "depth orphan"),
        **jsonio.fields(session, "title source model started_at ended_at end_reason messages"),
        "generations": node.generations,
        "tokens": jsonio.tokens(session.tokens),
        "cost": jsonio.session_cost(session),
        "lower_bound": node.lower_bound,
        "beside": [
            {"task": row.task, "tokens": jsonio.tokens(row.tokens), "cost": jsonio.cost(row.recorded_cost)}
            for row in node.beside
        ],
        "subtree": {
            "tokens": jsonio.tokens(tokens),
            "recorded_usd": jsonio.money(recorded.usd),
            "unpriced": recorded.missing,
        },
    }


def cache_payload(found: CacheReport) -> dict[str, Any]:
    """The document of `cache`."""
    from core.explain.headline.usage import cache_headline

    return {
        **jsonio.headline(cache_headline(found)),
        **jsonio.fields(found, "strategy layout ttl"),
        "why": found.route.why,
        "breakpoints": list(dict.fromkeys(point.index for point in found.breakpoints if point.index >= 0)),
        "markers": [marker(point) for point in found.breakpoints],
        "calls": [cache_call(*pair) for pair in zip(found.calls, (None, *found.calls), strict=False)],
        "breaks": [_break(one, found) for one in found.breaks],
        "advice": {}
        if found.advice is None
        else jsonio.fields(found.advice, "current better reason usd_5m usd_1h gaps"),
        "paybacks": [_payback(payback) for payback in found.paybacks],
        "results": [jsonio.fields(result, "row session tool tokens calls usd") for result in found.results],
        "tokens": jsonio.tokens(found.tokens),
        "hit_rate": found.tokens.hit_rate,
        "log": found.log,
        "notes": list(found.notes),
        "recorded": None if found.recorded is None else recorded_payload(found.recorded),
    }


def marker(point: Breakpoint) -> dict[str, Any]:
    """One place where a request sets a cache marker."""
    return jsonio.fields(point, "index role where ttl honoured prefix_tokens")


def cache_call(call: CacheCall, before: CacheCall | None) -> dict[str, Any]:
    """One call: what it found in the cache, and the seconds since the call before it."""
    return {
        **jsonio.fields(call, "at session model prompt cache_read cache_write output hit_rate"),
        "gap": None if before is None else call.since(before),
        "where": call.where,
    }


def recorded_payload(found: RecordedUse) -> dict[str, Any]:
    """What the recorder inside Hermes saw in the requests themselves."""
    return {
        "requests": found.requests,
        "tokens": jsonio.tokens(found.tokens),
        "auxiliary": {task: jsonio.tokens(tokens) for task, tokens in found.auxiliary.items()},
        "characters": dict(found.parts),
        "tool_schemas": dict(found.tool_schemas),
        "breaks": [
            {**jsonio.fields(one, "at cause"), "message": one.at_message, **jsonio.fields(one, "of row")}
            for one in found.breaks
        ],
    }


def _break(one: CacheBreak, found: CacheReport) -> dict[str, Any]:
    from core.explain.headline.usage import break_headline

    return {
        **jsonio.fields(one, "at call cause tokens_lost"),
        "cost_usd": jsonio.money(one.usd),
        "hit_rate_before": one.before,
        "hit_rate_after": one.after,
        **jsonio.headline(break_headline(one, found.calls)),
        "evidence": [jsonio.evidence(evidence) for evidence in one.evidence],
    }


def _payback(one: Payback) -> dict[str, Any]:
    return jsonio.fields(
        one,
        "at session saved_per_call price_usd saving_per_call_usd calls_after paid_back_after notes",
    )


def status_payload(found: Status) -> dict[str, Any]:
    """The document of `status`."""
    return {
        **jsonio.fields(found, "session title tokens verdict threshold share"),
        "today_usd": jsonio.money(found.today.known),
        "today_at_least": found.today.at_least,
        "hit_rate": found.hit_rate,
        "worst": None if found.worst is None else _worst(found.worst),
    }


def _worst(found: Finding) -> dict[str, Any]:
    return {"rule": found.rule, "severity": found.severity.value, "headline": found.sentence}
