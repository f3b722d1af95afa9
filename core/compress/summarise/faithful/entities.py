"""The things a middle worked on and the state each was left in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.compress.facts.history import Outcome, effect_of, is_acting, outcomes
from core.compress.facts.readable import View, one_line
from core.compress.facts.values import values
from core.compress.summarise.extract.fact_lines import FactLine

_LINE = 160
_READ = 400
"""Characters of the arguments of a call in which it names what it is about."""


class State(StrEnum):
    """What was last done to a thing."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"
    FAILED = "failed"
    FIXED = "fixed"
    READ = "read"


_STATES = {"wrote": State.CREATED, "changed": State.CHANGED, "removed": State.DELETED, "read": State.READ}


@dataclass(frozen=True, slots=True)
class Entity:
    """A file, a record or a command target.

    Attributes:
        name: Its path or id.
        state: What the last call about it left it in.
        by: The tool of that call.
        at: Index of the message of that call.
        ended: What the call gave back, or its error, on one line.
    """

    name: str
    state: State
    by: str
    at: int
    ended: str


def entities(views: Sequence[View]) -> dict[str, Entity]:
    """Every file and id that calls named, with its last state, in order of first mention."""
    found: dict[str, Entity] = {}
    for one in outcomes(views):
        for name in dict.fromkeys(_names(one)):
            state = _state(one, found.get(name))
            known = found.get(name)
            if known is None or state is not State.READ:
                found[name] = Entity(name, state, one.call.name, one.at, _ended(one))
    return found


def entity_lines(views: Sequence[View]) -> Iterator[FactLine]:
    """One line for each thing that was not only looked at."""
    for one in entities(views).values():
        if one.state is not State.READ:
            weight = 1.5 if one.state in (State.FAILED, State.DELETED) else 1.0
            yield FactLine("state", f"{one.name}: {one.state}, {one.by} -> {one.ended}", one.at, weight)


def _names(one: Outcome) -> Iterator[str]:
    if one.call.path:
        yield one.call.path
    yield from (
        anchor.value for anchor in values(one.call.strings[:400], errors=False) if anchor.category == "ids"
    )


def _state(one: Outcome, before: Entity | None) -> State:
    if one.error:
        return State.FAILED
    effect = effect_of(one.call.name)
    if effect is None and is_acting(one.call):
        effect = "changed"
    state = _STATES[effect or "read"]
    failed = before is not None and before.state is State.FAILED
    return State.FIXED if failed and state in (State.CHANGED, State.CREATED) else state


def _ended(one: Outcome) -> str:
    first = next((line for line in one.text.splitlines() if line.strip()), "done")
    return one_line(one.error or first, _LINE)
