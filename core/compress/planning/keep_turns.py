"""A boundary moved by hand, as `/compress here N` moves it: the last N user turns stay word for word.

Hermes 0.16 and later take those turns off, compress what precedes them as if it were the whole conversation,
with a head and a tail of its own, and put them back behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.compress.planning.measure import Measured, measure
from core.compress.sizing.estimate import numbers
from core.model.compaction.plan import Plan, Span
from core.model.transcript.message import Message

MOST_TURNS = 100
"""Turns a user can keep at the most."""


def clamped(turns: int) -> int:
    """The number of turns Hermes would take instead: 1 to 100."""
    return max(1, min(turns, MOST_TURNS))


def boundary(messages: Sequence[Message], turns: int) -> int | None:
    """Where the last user turns begin; every message of the user's counts as one.

    Returns:
        A position; the earliest turn when there are fewer. None when nothing would lie before it: then all is
        compressed as without a number.
    """
    asked = [i for i, message in enumerate(messages) if message.role == "user"]
    return (asked[-clamped(turns) :] or [0])[0] or None


def part_of(measured: Measured, plan: Plan, start: int) -> tuple[Measured, Plan]:
    """What a plan compresses as if it were all there is: what precedes the kept turns."""
    part = measure(measured.messages[:start], measured.policy)
    return part, replace(
        plan,
        kept_from=None,
        messages=start,
        tail=Span(plan.tail.start, start),
        estimated_tokens=part.estimated_tokens,
        weights=plan.weights[:start],
        estimates=part.estimates,
    )


def widened(part: Plan, measured: Measured, compared: int) -> Plan:
    """The plan of the messages before the kept turns, as the plan of them all.

    Args:
        part: The plan of `measured.messages[: part.messages]`.
        measured: The whole conversation.
        compared: The number the trigger compares.
    """
    start, count = part.messages, len(measured.messages)
    fires = part.threshold_tokens is not None and compared >= part.threshold_tokens
    return replace(
        part,
        kept_from=start,
        messages=count,
        tail=Span(part.tail.start, count),
        would_fire=fires and not part.blocked_by,
        compared_tokens=compared,
        estimated_tokens=measured.estimated_tokens,
        weights=numbers(part.weights, measured.weights.full[start:]),
        estimates=measured.estimates,
        arithmetic=(
            f"the last {count - start} messages stay; the {start} before them are cut on their own",
            *part.arithmetic,
        ),
    )


def rejoined(compressed: tuple[Message, ...], kept: tuple[Message, ...]) -> tuple[Message, ...]:
    """The kept turns behind the compressed part; two messages of one speaker never follow each other.

    Texts that meet are joined by a blank line; where one is not text, an empty message goes between them.
    """
    if not compressed or not kept:
        return compressed + kept
    last, first = compressed[-1], kept[0]
    if last.role != first.role or last.role not in ("user", "assistant"):
        return compressed + kept
    if isinstance(last.content, str) and isinstance(first.content, str):
        joined = last.with_wire(content=f"{last.content}\n\n{first.content}")
        return (*compressed[:-1], joined, *kept[1:])
    bridge = Message({"role": "assistant" if first.role == "user" else "user", "content": ""})
    return (*compressed, bridge, *kept)
