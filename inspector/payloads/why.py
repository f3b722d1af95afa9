"""Why a conversation was compressed, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.explain.explanation import Explanation, Now
    from core.hermes.policy.release import ReleaseGuess
    from core.model.compaction.event import CompressionEvent, Failure


def payload(found: Explanation) -> dict[str, Any]:
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
        "at": jsonio.time(event.at),
        "generation": event.generation,
        "trigger": event.trigger.value,
        "refused": event.refused or None,
        "attempt": None if event.attempt is None else asdict(event.attempt),
        "verdict": event.verdict.value,
        "completed": event.completed,
        "tokens": event.tokens,
        "threshold": event.threshold,
        "window": event.window,
        "messages_before": event.messages_before,
        "messages_after": event.messages_after,
        "tokens_after": event.tokens_after,
        "focus": event.focus,
        "summary": {
            "status": event.summary.status.value,
            "model": event.summary.model,
            "tokens": event.summary.tokens,
            "failure": _failure(event.summary.failure),
        },
        "duration": event.duration,
        "release": event.release,
        "evidence": [jsonio.evidence(one) for one in event.evidence],
        "explanation": event.explanation,
        "arithmetic": list(event.arithmetic),
        "disagreements": list(event.disagreements),
        **jsonio.headline(event.headline),
    }


def _failure(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return {"cause": failure.cause, "status": failure.status, "text": failure.text}


def _release(guess: ReleaseGuess) -> dict[str, Any]:
    return {
        "detected": guess.release,
        "version": guess.version,
        "verdict": guess.verdict.value,
        "evidence": "; ".join(f"{one.where}: {one.text}" for one in guess.evidence),
    }


def _now(now: Now) -> dict[str, Any]:
    return {
        "tokens": now.tokens,
        "threshold": now.threshold,
        "window": now.window,
        "blocked_by": list(now.blocked_by),
        "headroom": now.headroom,
        "verdict": now.verdict.value,
        "evidence": [jsonio.evidence(one) for one in now.evidence],
        "arithmetic": list(now.arithmetic),
        **jsonio.headline(now.headline),
    }
