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
