"""Measures every message once, so that planning again under other settings only compares numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from heapq import merge
from itertools import groupby
from operator import itemgetter

from core.compress.planning.row_facts import NO_COLUMNS, Columns, StubTexts, columns_of
from core.compress.pruning.old_outputs import is_large, note
from core.compress.pruning.shrink import Calls, answer_to, calls_by_id, duplicate, fails_on, shrink
from core.compress.sizing.estimate import Size, Sizes, message_size, numbers, total_tokens
from core.compress.sizing.weight import Weight, message_weight
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message

_DUPLICATE_LEAST = 200
_UNSIZED = Size(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each message.

    Attributes:
        full: With all thinking.
        bare: With the thinking of the newest answer only.
    """

    full: array[int] = field(default_factory=numbers)
    bare: array[int] = field(default_factory=numbers)

    def walked(self, *, thinking: bool) -> array[int]:
        """The weights a walk uses, for a route that replays old thinking or one that does not."""
        return self.full if thinking else self.bare


@dataclass(frozen=True)
class Measured:
    """A conversation and every number a plan may need. Positions are indices into `messages`.

    Attributes:
        messages: As given.
        base: As given, with older copies of tool results replaced by references.
        duplicates: Positions of these copies, ascending.
        shrunk: What pruning would make of a message, by position; messages it leaves alone are missing. Of a
            list whose texts were dropped, only summaries.
        stubs: The texts that pruning would put in place of results.
        weights: Weights of `messages`.
        base_weights: Weights of `base`.
        shrunk_weights: Weight of each message after pruning; -1 for messages that pruning leaves alone.
        sizes: Size of each of `messages`.
        duplicate_sizes: Sizes of the references in `base`.
        shrunk_sizes: Size of each message after pruning; only those that pruning shortens have one.
        noted_sizes: Size of each large tool result as the note that a lean tail makes of it.
        failing: Positions at which a release fails when it shortens a tool result.
        columns: What each row is, for walking and anchoring.
        calls: Calls by id; of a list whose texts were dropped, only those still waiting for a result.
        let_go: Hashes of the ids of the dropped calls.
        results: Hashes of results; a later copy would replace the older one by a reference.
        estimates: The estimate of each message by itself; because of rounding their sum differs a little.
        whole: Whether the messages are as given, not outlined.
    """

    policy: Policy
    messages: tuple[Message, ...] = ()
    base: tuple[Message, ...] = ()
    calls: Calls = field(default_factory=dict)
    let_go: array[int] = field(default_factory=lambda: array("q"))
    results: array[int] = field(default_factory=lambda: array("q"))
    duplicates: tuple[int, ...] = ()
    shrunk: Mapping[int, Message] = field(default_factory=dict)
    stubs: StubTexts = field(default_factory=StubTexts)
    weights: Weights = field(default_factory=Weights)
    base_weights: Weights = field(default_factory=Weights)
    shrunk_weights: array[int] = field(default_factory=numbers)
    sizes: Sizes = field(default_factory=Sizes)
    duplicate_sizes: Mapping[int, Size] = field(default_factory=dict)
    shrunk_sizes: Sizes = field(default_factory=Sizes)
    noted_sizes: Mapping[int, Size] = field(default_factory=dict)
    failing: frozenset[int] = frozenset()
    columns: Columns = NO_COLUMNS
    estimates: array[int] = field(default_factory=numbers)
    whole: bool = True

    @cached_property
    def estimated_tokens(self) -> int:
        """The release's estimate of `messages`."""
        return total_tokens(self.sizes, self.policy.estimate)

    @cached_property
    def bare_tokens(self) -> int:
        """The estimate for a route that replays only the newest thinking."""
        newest = self.columns.newest_assistant
        extra = self.sizes[newest].text - self.sizes[newest].bare if newest >= 0 else 0
        return total_tokens(self.sizes, self.policy.estimate, bare=True) + extra

    @cached_property
    def known_sizes(self) -> Mapping[int, Size]:
        """The size of every message here (as given, base or shrunk) by the `id()` of the object."""
        sizes = {id(self.base[i]): size for i, size in self.duplicate_sizes.items()}
        sizes |= {id(message): self.shrunk_sizes[i] for i, message in self.shrunk.items()}
        sizes |= zip(map(id, self.messages), self.sizes, strict=True)
        return sizes

    def shortened(self, index: int, *, again: bool = False) -> Message:
        """A message as pruning leaves it; `again` where it meets its own stub and shortens that too."""
        once = self.shrunk.get(index, self.base[index])
        return (shrink(once, self.calls, self.policy) or once) if again else once

    @cached_property
    def shrinkable(self) -> tuple[int, ...]:
        """Positions of messages that pruning would shorten, ascending."""
        return tuple(i for i, weight in enumerate(self.shrunk_weights) if weight >= 0)


def measure(messages: Sequence[Message], policy: Policy, sizes: Sequence[Size] = ()) -> Measured:
    """Measure a conversation for one release.

    Accepts anything a damaged row may hold: missing roles, contents and calls of any type, lone surrogates.
    `sizes` are the messages' sizes by the release's estimate, if already counted.
    """
    return _with(Measured(policy), tuple(messages), sizes)


def measured_on(before: Measured, added: Sequence[Message]) -> Measured | None:
    """Measure messages added to a conversation; None where they change what is known of the others."""
    return _with(before, tuple(added)) if _holds(before, tuple(added)) else None


def _with(old: Measured, added: tuple[Message, ...], counted: Sequence[Size] = ()) -> Measured:
    policy, new = old.policy, len(old.messages)
    weigh, size = partial(_weighed, policy), partial(_sized, policy)
    calls = {**old.calls, **calls_by_id(added)}
    older = _older_copies(added) if policy.prune.duplicates else frozenset[int]()
    laid = tuple(duplicate(m) if i in older else m for i, m in enumerate(added))
    base = (*old.base, *laid)
    columns = columns_of(base, calls, policy, old.columns)
    weights, sizes = list(map(weigh, added)), list(counted or map(size, added))
    laid_weights = [weigh(laid[i]) if i in older else weight for i, weight in enumerate(weights)]
    shrunk = {i: one for i, m in enumerate(laid) if (one := shrink(m, calls, policy)) is not None}
    over = policy.tail.demote_over
    return Measured(
        policy=policy,
        messages=(*old.messages, *added),
        base=base,
        calls=calls,
        let_go=old.let_go,
        results=joined(old.results, sorted(map(hash, _results(added)))),
        duplicates=(*old.duplicates, *sorted(new + i for i in older)),
        shrunk={**old.shrunk, **{new + i: one for i, one in shrunk.items()}},
        stubs=old.stubs.with_((new + i, one.text) for i, one in shrunk.items()),
        weights=_weights(old, old.weights, weights, columns),
        base_weights=_weights(old, old.base_weights, laid_weights, columns),
        shrunk_weights=numbers(
            old.shrunk_weights, (weigh(shrunk[i]).total if i in shrunk else -1 for i in range(len(added)))
        ),
        sizes=old.sizes.with_(sizes),
        duplicate_sizes={**old.duplicate_sizes, **{new + i: size(laid[i]) for i in older}},
        shrunk_sizes=old.shrunk_sizes.with_(
            size(shrunk[i]) if i in shrunk else _UNSIZED for i in range(len(added))
        ),
        noted_sizes={
            **old.noted_sizes,
            **{i: size(note(m)) for i, m in enumerate(laid, new) if over and is_large(m, over)},
        },
        failing=old.failing.union(new + i for i in shrunk if fails_on(laid[i], calls, policy.prune)),
        columns=columns,
        estimates=numbers(old.estimates, (total_tokens((one,), policy.estimate) for one in sizes)),
        whole=old.whole,
    )


def joined(old: array[int], added: Sequence[int]) -> array[int]:
    """Both in order, each number once; merged lazily, as the old list may hold thousands."""
    return array("q", map(itemgetter(0), groupby(merge(old, added)))) if added else old


def _weighed(policy: Policy, message: Message) -> Weight:
    return message_weight(message.wire, policy)


def _sized(policy: Policy, message: Message) -> Size:
    return message_size(message.wire, policy.estimate)


def _holds(before: Measured, added: tuple[Message, ...]) -> bool:
    """Whether added messages change nothing about those already measured.

    A copy of an earlier result does, and so does a repeated call. Where texts were dropped, so does a call's
    second result, and the first skill, as earlier messages may have named it.
    """
    if before.policy.prune.duplicates and not {*map(hash, _results(added))}.isdisjoint(before.results):
        return False
    calls = calls_by_id(added)
    named = {hash(call) for call in (*calls, *map(answer_to, added))}
    if not before.calls.keys().isdisjoint(calls) or not named.isdisjoint(before.let_go):
        return False
    spared = before.policy.prune.skill_window and any(name == "skill_view" for name, _ in calls.values())
    return before.whole or not spared


def _weights(old: Measured, before: Weights, added: Sequence[Weight], columns: Columns) -> Weights:
    """The thinking of the newest answer counts; that of the previously newest answer no longer does."""
    full = numbers(before.full, (weight.total for weight in added))
    bare = numbers(before.bare, (weight.total - weight.thinking for weight in added))
    was, newest = old.columns.newest_assistant, columns.newest_assistant
    if was != newest:
        bare[newest] = full[newest]
    if 0 <= was != newest:
        weight = message_weight(old.messages[was].wire, old.policy)
        bare[was] = weight.total - weight.thinking
    return Weights(full, bare)


def _results(messages: Sequence[Message]) -> Iterator[str]:
    """Texts of tool results long enough to be replaced as copies."""
    for message in messages:
        content = message.wire.get("content")
        if (
            message.wire.get("role") == "tool"
            and isinstance(content, str)
            and len(content) >= _DUPLICATE_LEAST
        ):
            yield content


def _older_copies(messages: Sequence[Message]) -> frozenset[int]:
    """Positions of tool results that a later one repeats word for word."""
    last: dict[str, int] = {}
    older: set[int] = set()
    for i, message in enumerate(messages):
        for content in _results((message,)):
            if content in last:
                older.add(last[content])
            last[content] = i
    return frozenset(older)
