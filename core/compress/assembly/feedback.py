"""What the user is told after `/compress` by Hermes, and by us where the new list has surprises.

The headline, token line and notes are formats that users know and scripts match, so they are the releases'
own. The policy says which outcomes a release distinguishes: up to 0.18 only changed and unchanged; from 0.19
also aborts and fallbacks; in 0.22 also the refusal of a summary larger than what it replaces. The lists are
those the release writes: nothing is corrected here, only reported where it is not sound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.compress.facts.topic import Topic, nearest
from core.compress.messages.kinds import content_text, is_summary
from core.compress.messages.list_rows import Row
from core.compress.messages.summary_row import last_visible, visible_role
from core.hermes.markers.markers import find_summary
from core.hermes.policy.policy import Policy
from core.hermes.policy.summary_rules import FeedbackRules
from core.model.compaction.preview import Feedback, Retention
from core.model.transcript.message import Message
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
_QUOTED = 200
"""How many characters identify a request: releases may shorten a long one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one manual compression ended.

    Attributes:
        before, after: Message counts.
        before_tokens, after_tokens: Estimates of the whole request.
        noop: The list came back unchanged.
        refused: The summary was larger than what it would replace.
        dropped: Messages a fallback removed; None takes the difference of the counts.
        reason: Why the summary failed, in the provider's words.
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
    """Word an outcome as the release does; a reason is redacted whatever the user's settings."""
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
    """The line with both sizes, as every release prints it."""
    return f"{rules.size_line}: ~{before:,} → ~{after:,} tokens"


def _token_line(outcome: Outcome, rules: FeedbackRules, *, refused: bool) -> str:
    before, after = outcome.before_tokens, outcome.after_tokens
    if refused or (outcome.noop and before == after):
        return f"{rules.size_line}: ~{before:,} tokens (unchanged)"
    return token_line(before, after, rules)


def caveats(
    before: Sequence[Message], after: Sequence[Message], summary_index: int, policy: Policy
) -> Iterator[str]:
    """One sentence for each property of a sound list that the release's list lacks."""
    live = sum(is_summary(message.wire, policy.summary) for message in after)
    if live > 1:
        yield f"The old summary stays next to the new one (Hermes {policy.release} does that)."
    if any(_is_foreign(message, policy) for message in after):
        yield "The list holds an earlier summary as an ordinary message: this release does not recognise it."
    yield from _request(before, after, summary_index, policy)
    if _has_equal_neighbour([Row(message) for message in after], summary_index, policy):
        role = after[summary_index].role
        yield f"The summary is next to another {role} message: strict providers refuse such a list."


def focus_caveats(focus: str, retention: Retention, middle: Sequence[Message]) -> Iterator[str]:
    """Notes on a topic that separates nothing: which word was meant if none has it, or that all are about it.

    That no fact is about it is what the headline says.
    """
    if retention.focus is None or retention.rest is None:
        return
    if not retention.focus.of:
        texts = [message.text for message in middle]
        if not Topic.of(focus, texts).weights and (meant := nearest(focus, texts)):
            yield f"No message to summarise mentions {focus.strip()!r}. Did you mean {meant}?"
    elif not retention.rest.of:
        yield f"Everything in the summarised messages is about {focus.strip()!r}: it favours nothing."


def _is_foreign(message: Message, policy: Policy) -> bool:
    """Whether a row holds a summary of another release or form, which this release does not recognise."""
    text = content_text(message.content)
    return (
        text.lstrip()[:1] == "["
        and find_summary(text) is not None
        and not is_summary(message.wire, policy.summary)
    )


def _request(
    before: Sequence[Message], after: Sequence[Message], summary_index: int, policy: Policy
) -> Iterator[str]:
    requests = (message for message in reversed(before) if message.role == "user" and message.text.strip())
    real = (m for m in requests if not is_summary(m.wire, policy.summary) and not _is_foreign(m, policy))
    newest = next(real, None)
    if newest is None:
        return
    words = newest.text.strip()[:_QUOTED]
    if any(words in message.text for message in after[summary_index:]):
        return
    if any(words in message.text for message in after[:summary_index]):
        yield "The newest request is before the summary: this policy does not repeat it after it."
    else:
        yield "The newest request is summarised away: this policy does not keep it word for word."


def _has_equal_neighbour(rows: Sequence[Row], index: int, policy: Policy) -> bool:
    before, after = rows[:index], rows[index + 1 :]
    if policy.assembly.visible_roles:
        own = visible_role(rows[index])
        return own is not None and own in (last_visible(before), last_visible(after[::-1]))
    return rows[index].role in (row.role for row in (*before[-1:], *after[:1]))
