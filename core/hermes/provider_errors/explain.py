"""Explains a provider error: what it means, how each release reacts, and what helps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.hermes.policy.policy import load_policy, releases
from core.hermes.provider_errors.failure import ProviderFailure
from core.hermes.provider_errors.meaning import Meaning, meaning_of
from core.hermes.provider_errors.reaction import Reaction, reaction
from core.hermes.provider_errors.shapes import SessionSize
from core.support.program_files import shared_table

_TABLE = "core/hermes/provider_errors/advice.yaml"


@dataclass(frozen=True, slots=True)
class ErrorExplanation:
    """The explanation of a provider error.

    Attributes:
        meaning: Our own reading.
        reactions: How each release asked about reacts, oldest first.
        headline: One sentence: what is wrong, and which releases react in a way that cannot help.
    """

    meaning: Meaning
    reactions: tuple[Reaction, ...]
    headline: str
    remedy: str


def explain_error(
    failure: ProviderFailure, size: SessionSize, release: str | None = None
) -> ErrorExplanation:
    """Explain a failed call under one release, or all known ones."""
    meaning = meaning_of(failure)
    reactions = tuple(reaction(failure, size, name) for name in ((release,) if release else releases()))
    headline, remedy = advice_of(meaning)
    missed = [one for one in reactions if not helps(meaning, one)]
    if missed:
        headline = f"{headline} {_missed(missed)}"
    return ErrorExplanation(meaning, reactions, headline, remedy)


def advice_of(meaning: Meaning, *, enabled: bool = True) -> tuple[str, str]:
    """What is wrong and what helps, a sentence each.

    Args:
        meaning: What the error is about.
        enabled: `compression.enabled`; without it `/compress` refuses too.
    """
    advice, words = shared_table(_TABLE)[meaning.kind], _words(meaning)
    words["Compress"] = shared_table(_TABLE)["compress"][enabled]
    small = meaning.limit is not None and meaning.limit < words["least"]
    helps = advice.get("helps_small" if small else "helps", advice["helps"])
    return advice["says"].format(**words), helps.format(**words)


def helps(meaning: Meaning, reaction: Reaction) -> bool:
    """Whether a release's action can help with what is wrong; its numbers may still be wrong."""
    return reaction.action in shared_table(_TABLE)[meaning.kind]["fits"]


def next_step(reaction: Reaction) -> str:
    """What a release does next, as text, with the numbers it continues with."""
    words: str = shared_table(_TABLE)["actions"][reaction.action]
    rules = load_policy(reaction.release).overflow
    parts = [words]
    if reaction.kind == "billing" and reaction.action == "fallback_or_stop" and rules.unpaid_calls > 1:
        parts = [f"takes the fallback model; without one calls {rules.unpaid_calls} times, then stops"]
    if reaction.retry_output is not None:
        parts.append(f"{reaction.retry_output:,} tokens at most")
    if reaction.action == "reduce_output" and rules.compresses_with_output:
        parts.append("compresses too")
    if reaction.kind == "payload_too_large" and rules.drops_pictures:
        parts.append("then leaves out the pictures of tool results")
    if reaction.window_after is not None:
        parts.append(f"window {reaction.window_after:,}")
    if reaction.attempts is not None:
        parts.append(f"{reaction.attempts} attempts a turn")
    return ", ".join(parts)


def _missed(missed: list[Reaction]) -> str:
    """A sentence on the releases whose action cannot help."""
    words: Mapping[str, str] = shared_table(_TABLE)["actions"]
    parts = (f"{names} {words[action]}" for action, names in _by_action(missed))
    return f"Hermes {'; '.join(parts)}, which does not help."


def _by_action(reactions: list[Reaction]) -> Iterator[tuple[str, str]]:
    """Each action with the releases that take it, neighbours as a range."""
    order = list(releases())
    actions = dict.fromkeys(one.action for one in reactions)
    for action in actions:
        places = [order.index(one.release) for one in reactions if one.action == action]
        yield action, ", ".join(_ranges(places, order))


def _ranges(places: list[int], order: list[str]) -> Iterator[str]:
    start = previous = places[0]
    for place in [*places[1:], len(order) + 1]:
        if place != previous + 1:
            yield order[start] if start == previous else f"{order[start]}-{order[previous]}"
            start = place
        previous = place


def _words(meaning: Meaning) -> dict[str, Any]:
    """The numbers of a meaning as parts of sentences, "" if unknown."""
    limit, room = meaning.limit, meaning.available
    return {
        "of_limit": f" of {limit:,} tokens" if limit else "",
        "to_limit": f" ({limit})" if limit else "",
        "room": f": {room:,} tokens would fit" if room else "",
        "to_room": f" to at most {room}" if room else "",
        "least": load_policy(releases()[-1]).threshold.minimum,
    }
