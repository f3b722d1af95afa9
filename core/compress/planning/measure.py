"""All work on texts, done once, so that planning again under other settings touches numbers only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TypeVar

from core.compress.planning.demote_results import noted
from core.compress.planning.row_facts import Columns, columns_of
from core.compress.pruning.shrink import Calls, calls_by_id, duplicate, shrink
from core.compress.sizing.estimate import Size, Weight, message_size, message_weight, total_tokens
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message, Wire

_T = TypeVar("_T")
_DUPLICATE_LEAST = 200


@dataclass(frozen=True, slots=True)
class Weights:
    """What each message weighs.

    Attributes:
        full: With all thinking.
        bare: With the thinking of the newest answer only.
    """

    full: tuple[int, ...]
    bare: tuple[int, ...]

    def walked(self, *, thinking: bool) -> tuple[int, ...]:
        """As a walk sees them on a route that replays old thinking, or does not."""
        return self.full if thinking else self.bare


@dataclass(frozen=True)
class Measured:
    """A conversation and every number a plan may need of it. Positions are those of `messages`.

    Attributes:
        policy: The release it was measured for.
        messages: As given.
        base: As given, older copies of tool results replaced by references.
        duplicates: Where those stood, ascending.
        shrunk: What pruning would make of a message, by position, ascending; others it leaves alone.
        counted: Positions in `shrunk` that count as pruned tool results.
        weights: Weights of the messages as given.
        base_weights: Weights of `base`.
        shrunk_weights: Weight of each entry of `shrunk`.
        sizes: Size of each message as given.
        base_sizes: Size of each message of `base`.
        shrunk_sizes: Size of each entry of `shrunk`.
        noted_sizes: Size of each large tool result as the note a lean tail makes of it.
        running: Sums of `base_sizes` up to each position: text, images.
        columns: What each row is, for walking and anchoring.
    """

    policy: Policy
    messages: tuple[Message, ...]
    base: tuple[Message, ...]
    duplicates: tuple[int, ...]
    shrunk: Mapping[int, Message]
    counted: frozenset[int]
    weights: Weights
    base_weights: Weights
    shrunk_weights: Mapping[int, int]
    sizes: tuple[Size, ...]
    base_sizes: tuple[Size, ...]
    shrunk_sizes: Mapping[int, Size]
    noted_sizes: Mapping[int, Size]
    running: tuple[tuple[int, ...], tuple[int, ...]]
    columns: Columns

    @cached_property
    def estimated_tokens(self) -> int:
        """The release's estimate of the messages given."""
        return total_tokens(self.sizes, self.policy.estimate)

    @cached_property
    def estimates(self) -> tuple[int, ...]:
        """The estimate of each message on its own; rounding makes their sum differ a little."""
        rules = self.policy.estimate
        return tuple(total_tokens((size,), rules) for size in self.sizes)

    @cached_property
    def bare_tokens(self) -> int:
        """The estimate where the route replays only the newest thinking."""
        newest = self.columns.newest_assistant
        extra = self.sizes[newest].text - self.sizes[newest].bare if newest >= 0 else 0
        return total_tokens(self.sizes, self.policy.estimate, bare=True) + extra

    @cached_property
    def known_sizes(self) -> Mapping[int, Size]:
        """The size of every message here, given, base or shrunk, by the identity of the object."""
        sizes = dict(zip(map(id, self.base), self.base_sizes, strict=True))
        sizes |= {id(message): self.shrunk_sizes[i] for i, message in self.shrunk.items()}
        sizes |= zip(map(id, self.messages), self.sizes, strict=True)
        return sizes

    @cached_property
    def shrinkable(self) -> tuple[int, ...]:
        """Positions of `shrunk`, ascending."""
        return tuple(self.shrunk)


def measure(messages: Sequence[Message], policy: Policy, before: Measured | None = None) -> Measured:
    """Measure a conversation for one release.

    Tolerates anything a damaged row may hold: missing roles, contents and calls of any type, lone surrogates.
    Where `before` holds what the messages begin with, only the others are measured.
    """
    given = tuple(messages)
    calls = calls_by_id(given)
    older = _older_copies(given) if policy.prune.duplicates else ()
    old = before if before is not None and _holds(before, given, older, policy) else _nothing(policy)
    new, rules = len(old.messages), policy.estimate
    base = (*old.base, *_with_references(given, older)[new:])
    columns = columns_of(base, calls, policy)
    weights = (*_weighed(old), *(message_weight(message.wire, policy) for message in given[new:]))
    sizes = (*old.sizes, *(message_size(message.wire, rules) for message in given[new:]))
    copies = {i: old.base_sizes[i] if i < new else message_size(base[i].wire, rules) for i in older}
    copied = {i: message_weight(base[i].wire, policy) for i in older}
    base_sizes = _replaced(sizes, copies)
    shrunk, counted = _shrink_all(base, calls, old)
    return Measured(
        policy=policy,
        messages=given,
        base=base,
        duplicates=older,
        shrunk=shrunk,
        counted=counted,
        weights=_weights(weights, columns),
        base_weights=_weights(_replaced(weights, copied), columns),
        shrunk_weights=_known(old.shrunk_weights, shrunk, lambda wire: message_weight(wire, policy).total),
        sizes=sizes,
        base_sizes=base_sizes,
        shrunk_sizes=_known(old.shrunk_sizes, shrunk, lambda wire: message_size(wire, rules)),
        noted_sizes=_known(old.noted_sizes, noted(base, policy.tail), lambda wire: message_size(wire, rules)),
        running=(_sums(size.text for size in base_sizes), _sums(size.images for size in base_sizes)),
        columns=columns,
    )


def _nothing(policy: Policy) -> Measured:
    """What no message measures."""
    none, weights = frozenset[int](), Weights((), ())
    columns = columns_of((), {}, policy)
    running = ((0,), (0,))
    return Measured(policy, (), (), (), {}, none, weights, weights, {}, (), (), {}, {}, running, columns)


def _known(
    old: Mapping[int, _T], messages: Mapping[int, Message], measured: Callable[[Wire], _T]
) -> dict[int, _T]:
    """A number of each message, measured where it was not before."""
    return {i: old[i] if i in old else measured(message.wire) for i, message in messages.items()}


def _holds(before: Measured, given: tuple[Message, ...], older: tuple[int, ...], policy: Policy) -> bool:
    """Whether messages that follow change nothing about those measured: no copy of a result, no call anew."""
    count = len(before.messages)
    if before.policy.release != policy.release or count > len(given):
        return False
    if any(one is not other for one, other in zip(before.messages, given, strict=False)):
        return False
    if tuple(i for i in older if i < count) != before.duplicates:
        return False
    return calls_by_id(before.messages).keys().isdisjoint(calls_by_id(given[count:]))


def _weighed(old: Measured) -> Iterator[Weight]:
    """The weights measured before; of the newest answer then, the thinking in it was not kept apart."""
    newest = old.columns.newest_assistant
    for i, (full, bare) in enumerate(zip(old.weights.full, old.weights.bare, strict=True)):
        yield message_weight(old.messages[i].wire, old.policy) if i == newest else Weight(full, full - bare)


def _weights(weights: tuple[Weight, ...], columns: Columns) -> Weights:
    newest = columns.newest_assistant
    bare = tuple(w.total if i == newest else w.total - w.thinking for i, w in enumerate(weights))
    return Weights(tuple(w.total for w in weights), bare)


def _sums(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(accumulate(values, initial=0))


def _shrink_all(
    base: tuple[Message, ...], calls: Calls, old: Measured
) -> tuple[dict[int, Message], frozenset[int]]:
    found = ((i, shrink(base[i], calls, old.policy)) for i in range(len(old.base), len(base)))
    added = {i: entry for i, entry in found if entry is not None}
    counted = old.counted.union(i for i, entry in added.items() if entry.counted)
    return {**old.shrunk, **{i: entry.message for i, entry in added.items()}}, counted


def _older_copies(messages: tuple[Message, ...]) -> tuple[int, ...]:
    """Tool results that a later one repeats word for word."""
    seen: set[str] = set()
    older: list[int] = []
    for i in range(len(messages) - 1, -1, -1):
        wire = messages[i].wire
        content = wire.get("content")
        if wire.get("role") != "tool" or not isinstance(content, str) or len(content) < _DUPLICATE_LEAST:
            continue
        if content in seen:
            older.append(i)
        seen.add(content)
    return tuple(reversed(older))


def _with_references(messages: tuple[Message, ...], older: tuple[int, ...]) -> tuple[Message, ...]:
    return _replaced(messages, {i: duplicate(messages[i]) for i in older})


def _replaced(values: tuple[_T, ...], changes: Mapping[int, _T]) -> tuple[_T, ...]:
    if not changes:
        return values
    changed = list(values)
    for i, value in changes.items():
        changed[i] = value
    return tuple(changed)
