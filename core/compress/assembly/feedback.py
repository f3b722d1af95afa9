"""What Hermes tells the user after `/compress`.

The headline, token line and notes are formats users know and scripts match, so they stand here as the
releases print them. Which outcomes a release tells apart is policy: up to 0.18 only changed and unchanged;
0.19 adds aborts and fallbacks; 0.22 adds the refusal of a summary larger than what it replaces.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.hermes.policy.rules import FeedbackRules
from core.model.compaction.preview import Feedback
from core.redact.text import redact_text

_ABORTED = "Summary generation failed; no messages were removed."
_REFUSED = "The generated summary was larger than what it would replace; no messages were removed."
_FALLBACK = (
    "Summary generation failed; Hermes used limited fallback context and removed {dropped} message(s)."
)
_DENSER = (
    "Note: fewer messages can still raise this estimate when "
    "compression rewrites the transcript into denser summaries."
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one manual compression ended.

    Attributes:
        before, after: Message counts.
        before_tokens, after_tokens: Estimates of the whole request.
        noop: The list came back as it went in.
        refused: The summary was larger than what it would replace.
        dropped: Messages a fallback removed; None takes the difference of the counts.
        reason: Why the summary failed, as the provider put it.
    """

    before: int
    after: int
    before_tokens: int
    after_tokens: int
    noop: bool = False
    aborted: bool = False
    fallback_used: bool = False
    refused: bool = False
    dropped: int | None = None
    reason: str | None = None


def feedback(outcome: Outcome, rules: FeedbackRules) -> Feedback:
    """Word an outcome as the release does.

    Args:
        outcome: What happened.
        rules: What the release tells apart.

    Returns:
        The feedback; a reason is redacted whatever the user's settings.
    """
    aborted = outcome.aborted and rules.names_failures
    fallback_used = outcome.fallback_used and rules.names_failures
    refused = outcome.refused and rules.names_refusals
    headline, note = _message(outcome, aborted=aborted, fallback_used=fallback_used, refused=refused)
    if outcome.reason and outcome.reason.strip() and (aborted or fallback_used):
        note = f"{note} Reason: {redact_text(outcome.reason.strip())}"
    return Feedback(
        noop=outcome.noop,
        aborted=outcome.aborted,
        fallback_used=outcome.fallback_used,
        headline=headline,
        token_line=_token_line(outcome, rules, refused=refused),
        note=note,
    )


def _message(
    outcome: Outcome, *, aborted: bool, fallback_used: bool, refused: bool
) -> tuple[str, str | None]:
    before, after = outcome.before, outcome.after
    if refused:
        grow = "Compression refused (summary would grow the conversation)"
        return f"{grow}: {before} messages preserved", _REFUSED
    if aborted:
        return f"Compression aborted: {before} messages preserved", _ABORTED
    if fallback_used:
        dropped = max(before - after, 0) if outcome.dropped is None else outcome.dropped
        return f"Compressed with fallback: {before} → {after} messages", _FALLBACK.format(dropped=dropped)
    if outcome.noop:
        return f"No changes from compression: {before} messages", None
    denser = after < before and outcome.after_tokens > outcome.before_tokens
    return f"Compressed: {before} → {after} messages", _DENSER if denser else None


def token_line(before: int, after: int, rules: FeedbackRules) -> str:
    """The line on both sizes, as every release prints it."""
    return f"{rules.size_line}: ~{before:,} → ~{after:,} tokens"


def _token_line(outcome: Outcome, rules: FeedbackRules, *, refused: bool) -> str:
    before, after = outcome.before_tokens, outcome.after_tokens
    if refused or (outcome.noop and before == after):
        return f"{rules.size_line}: ~{before:,} tokens (unchanged)"
    return token_line(before, after, rules)
