"""Measures what each compaction of the engine kept and lost, and stores that for the app."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.compress.engines.host.hosted_preview import replaced
from core.compress.retention.score import retention_of
from core.compress.sizing.estimate import transcript_tokens
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message
from inspector.hermes_plugin.stub.recording.recording_file import add_compaction

_LOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of one compaction.

    Attributes:
        before, after: Numbers of messages.
        before_tokens, after_tokens: The release's estimates.
        score: Share of the facts kept; None if there were none.
        lost: Lost facts by category.
        seconds: How long it took.
    """

    before: int
    after: int
    before_tokens: int
    after_tokens: int
    score: float | None
    lost: dict[str, int]
    seconds: float = 0.0


def measured(
    before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]], policy: Policy, focus: str | None
) -> Measured:
    """Compare a compacted list with the conversation before."""
    old, new = tuple(map(Message, before)), tuple(map(Message, after))
    cut, held = replaced(old, new)
    kept = retention_of(old, cut, held, focus=focus)
    lost = {name: count.lost for name, count in kept.by_category.items() if count.lost}
    tokens, left = (transcript_tokens(some, policy.estimate) for some in (old, new))
    return Measured(len(old), len(new), tokens, left, kept.score, lost)


def keep(state: Path, home: Path, session: str, value: Measured) -> None:
    """Store a compaction; if the file cannot be written, only the measurement is lost."""
    try:
        about = {"at": time.time(), "home": str(home.resolve()), "session": session}
        add_compaction(state, {**about, **asdict(value)})
    except (OSError, sqlite3.Error):
        return


def measured_json(value: Measured | None) -> dict[str, Any] | None:
    """The last compaction, in the form of the status tool."""
    if value is None:
        return None
    return {
        "messages": [value.before, value.after],
        "tokens": [value.before_tokens, value.after_tokens],
        "facts_kept": value.score,
        "facts_lost": dict(sorted(value.lost.items(), key=lambda item: -item[1])[:_LOST_NAMED]),
    }
