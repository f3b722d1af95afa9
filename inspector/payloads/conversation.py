"""A conversation as JSON: why it was compressed, and the sessions around it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.explain.explanation import Explanation, Now
    from core.hermes.policy.release import ReleaseGuess
    from core.model.accounting.amounts import Buckets, Money
    from core.model.compaction.event import CompressionEvent, Failure
    from core.model.transcript.conversation import Chain, ChainNode


def why_payload(found: Explanation) -> dict[str, Any]:
    """An answer as the command line promises it."""
    return {
        "session": found.session,
        **jsonio.headline(found.headline),
        "release": _release(found.release),
        "events": [event_payload(event) for event in found.events],
        "now": _now(found.now),
        "window": {
            "tokens": found.window.tokens,
            "verdict": found.window.verdict.value,
            "evidence": [jsonio.evidence(one) for one in found.window.evidence],
        },
        "notes": list(found.notes),
    }


def event_payload(event: CompressionEvent) -> dict[str, Any]:
    """One compaction as the command line promises it."""
    return {
        "session": event.session,
        "to_session": event.to_session,
        "mode": None if event.mode is None else event.mode.value,
        **jsonio.fields(event, "at generation trigger"),
        "refused": event.refused or None,
        "attempt": None if event.attempt is None else asdict(event.attempt),
        **jsonio.fields(
            event,
            "verdict completed tokens threshold window messages_before messages_after tokens_after focus",
        ),
        "summary": {
            "status": event.summary.status.value,
            "model": event.summary.model,
            "tokens": event.summary.tokens,
            "failure": _failure(event.summary.failure),
        },
        "duration": event.duration,
        "release": event.release,
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


def chain_payload(chain: Chain) -> dict[str, Any]:
    """A lineage as the command line promises it."""
    from core.explain.headline.conversation import chain_headline  # `why` printed again does without

    return {
        **jsonio.headline(chain_headline(chain)),
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
        "depth": node.depth,
        "orphan": node.orphan,
        **jsonio.fields(session, "title source model started_at ended_at end_reason messages"),
        "generations": node.generations,
        "tokens": jsonio.tokens(session.tokens),
        "cost": jsonio.session_cost(session),
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
