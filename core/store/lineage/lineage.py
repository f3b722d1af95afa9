"""How sessions are related: continuations, branches, sub-agents, and what /resume opens.

Pure rules over a few columns; `core.store.lineage.families` reads these.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from core.model.transcript.session import Kind

MAX_CHAIN = 100
"""How many continuations Hermes itself follows."""
MAX_DESCENT = 32
"""How many levels Hermes descends from the tip when it resumes."""

MARKERS = ("_branched_from", "_delegate_from", "_reset_from")
_RESETS = frozenset(
    ("session_reset", "session_switch", "idle", "daily", "suspended", "resume_pending_expired", "new_session")
)


_NOTHING: Mapping[str, str] = {}
_T = TypeVar("_T")


class Link(NamedTuple):
    """The columns that determine how a session is related to its parent; a tuple, as there may be 50,000.

    Attributes:
        markers: `_branched_from`, `_delegate_from`, `_reset_from` of `model_config`, where present.
        titled: It has a title.
    """

    id: str
    parent_id: str | None = None
    started_at: float | None = None
    ended_at: float | None = None
    end_reason: str | None = None
    source: str | None = None
    session_key: str | None = None
    markers: Mapping[str, str] = _NOTHING
    titled: bool = False


def markers_of(model_config: object) -> Mapping[str, str]:
    """The lineage markers in `model_config`; none if it is not a JSON object."""
    if not isinstance(model_config, str) or "_from" not in model_config:
        return _NOTHING
    try:
        config: Any = json.loads(model_config)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(config, dict):
        return {}
    return {name: str(config[name]) for name in MARKERS if config.get(name)}


class _Memo(dict[str, _T]):
    """Computes each value when first asked for, and keeps it."""

    def __init__(self, find: Callable[[str], _T]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: str) -> _T:
        found = self[key] = self._find(key)
        return found


@dataclass(frozen=True)
class Lineage:
    """A set of sessions with their parents and children.

    Attributes:
        links: All known sessions, by id.
        tests_start: The rule of 0.13 to 0.17: a continuation starts after its parent ended.
        last_message: Epoch seconds of a session's newest message; called only to choose between rivals.
        has_messages: Whether a session has any row; called only to find what /resume opens.
        descends: From 0.18 on, resume goes down from the tip to the deepest session with messages.
    """

    links: Mapping[str, Link]
    tests_start: bool
    last_message: Callable[[str], float | None]
    has_messages: Callable[[str], bool]
    descends: bool = True

    @cached_property
    def children(self) -> Mapping[str, tuple[Link, ...]]:
        """Children by parent id, oldest first."""
        found: dict[str, list[Link]] = {}
        for link in self.links.values():
            if link.parent_id and link.parent_id != link.id:
                found.setdefault(link.parent_id, []).append(link)
        return {parent: tuple(sorted(group, key=_age)) for parent, group in found.items()}

    @cached_property
    def _kinds(self) -> _Memo[Kind]:
        return _Memo(lambda one: self._kind(self.links[one]))

    @cached_property
    def _predecessor(self) -> _Memo[str | None]:
        """The session each one continues; cached, as long chains are walked from every link."""
        return _Memo(lambda one: self.links[one].parent_id if self.kind(one) is Kind.CONTINUATION else None)

    @cached_property
    def _successor(self) -> _Memo[str | None]:
        """The continuation of each session that Hermes prefers."""
        return _Memo(lambda one: next((rival.id for rival in self.successors(one)), None))

    def kind(self, session_id: str) -> Kind:
        """How the session is related to its parent."""
        return self._kinds[session_id]

    def _kind(self, link: Link) -> Kind:
        if link.parent_id is None or link.parent_id == link.id:
            return Kind.MAIN
        if self._marked(link, "_branched_from"):
            return Kind.BRANCH
        if link.source == "tool" or self._marked(link, "_delegate_from"):
            return Kind.DELEGATE
        parent = self.links.get(link.parent_id)
        if parent is None or self._marked(link, "_reset_from"):
            return Kind.MAIN
        return self._kind_by_parent(link, parent)

    def orphan(self, session_id: str) -> bool:
        """Whether the session names a parent that is not in the database."""
        parent = self.links[session_id].parent_id
        return parent is not None and parent not in self.links

    def path(self, session_id: str) -> tuple[str, ...]:
        """The conversation of a session: up to its root, and down to the tip that /resume would choose."""
        up = {session_id: None}
        current = session_id
        before = self._predecessor
        while (parent := before[current]) is not None and parent not in up:
            up[parent] = None
            current = parent
        return (*reversed(up), *self._chain_below(session_id, up))

    def tip(self, session_id: str) -> str:
        """The last continuation, followed as Hermes does."""
        return (session_id, *self._chain_below(session_id, (session_id,)))[-1]

    def successors(self, session_id: str) -> tuple[Link, ...]:
        """Continuations of one session, the one Hermes prefers first; several are a fork."""
        rivals = [
            child for child in self.children.get(session_id, ()) if self.kind(child.id) is Kind.CONTINUATION
        ]
        return tuple(sorted(rivals, key=self._preference, reverse=True)) if len(rivals) > 1 else tuple(rivals)

    def why_preferred(self, session_id: str) -> str | None:
        """Why resume takes one of several continuations of a session; None without a choice."""
        rivals = self.successors(session_id)
        if len(rivals) < 2:
            return None
        chosen, other = rivals[0], rivals[1]
        if self.tests_start:
            return f"{chosen.id} started last of {len(rivals)} continuations"
        ranks = {2: "was compressed again", 1: "is still open", 0: "is closed"}
        rank, next_rank = _rank(chosen), _rank(other)
        if rank != next_rank:
            return f"{chosen.id} {ranks[rank]}, {other.id} {ranks[next_rank]}"
        return f"{chosen.id} has the newest message of {len(rivals)} continuations"

    def resume(self, session_id: str) -> tuple[str, str]:
        """What `hermes --resume` opens, and why."""
        tip = self.tip(session_id)
        landed = self._landing(tip)
        if landed != tip:
            return landed, f"a descendant of {tip} holds the messages"
        forks = [why for at in self.path(session_id) if (why := self.why_preferred(at))]
        if forks:
            return landed, "; ".join(forks)
        return landed, "it is the newest continuation" if tip != session_id else "it was not continued"

    def family(self, session_id: str) -> tuple[tuple[Link, int], ...]:
        """All related sessions with their depth: from the topmost ancestor down, parents before children."""
        top = self._topmost(session_id)
        ordered: list[tuple[Link, int]] = []
        stack, seen = [(top, 0)], {top}
        while stack:
            current, depth = stack.pop()
            ordered.append((self.links[current], depth))
            for child in reversed(self.children.get(current, ())):
                if child.id not in seen:
                    seen.add(child.id)
                    stack.append((child.id, depth + 1))
        return tuple(ordered)

    def cycle(self, session_id: str) -> bool:
        """Whether following parents from here leads back to a session already seen."""
        seen: set[str] = set()
        current: str | None = session_id
        while current is not None and current in self.links:
            if current in seen:
                return True
            seen.add(current)
            current = self.links[current].parent_id
        return False

    def _kind_by_parent(self, link: Link, parent: Link) -> Kind:
        after = parent.ended_at is not None and (link.started_at or 0.0) >= parent.ended_at
        if parent.end_reason == "compression" and (after or not self.tests_start):
            return Kind.CONTINUATION
        if parent.end_reason == "branched" and after:
            return Kind.BRANCH
        same_chat = bool(link.session_key) and link.session_key == parent.session_key
        if parent.end_reason in _RESETS and (after or same_chat):
            return Kind.MAIN
        # Releases that mark neither give a title to each branch, and to no sub-agent.
        return Kind.BRANCH if self.tests_start and link.titled else Kind.DELEGATE

    def _marked(self, link: Link, marker: str) -> bool:
        """Whether a marker counts: not if it names another known session, as markers are inherited."""
        named = link.markers.get(marker)
        if named is None:
            return False
        return named == link.parent_id or named not in self.links or named == link.id

    def _chain_below(self, session_id: str, seen: Collection[str]) -> tuple[str, ...]:
        walked: dict[str, None] = {}
        after, following = self._successor, self._successor[session_id]
        while len(walked) < MAX_CHAIN and following is not None:
            if following in seen or following in walked:
                break
            walked[following] = None
            following = after[following]
        return tuple(walked)

    def _preference(self, link: Link) -> tuple[float, float, float, str]:
        started = link.started_at or 0.0
        if self.tests_start:
            return (0, 0, started, link.id)
        newest = self.last_message(link.id)
        return (_rank(link), started if newest is None else newest, started, link.id)

    def _landing(self, tip: str) -> str:
        """The deepest session below the tip that has messages; before 0.18 the first that has."""
        found, current, seen = tip, tip, {tip}
        for _ in range(MAX_DESCENT):
            if self.has_messages(current):
                found = current
                if not self.descends:
                    break
            children = self.children.get(current, ())
            below = [child.id for child in children if not self.descends or self._followed(child)]
            if not below or below[-1] in seen:
                break
            current = below[-1]
            seen.add(current)
        return found

    def _followed(self, child: Link) -> bool:
        return child.source != "tool" and not any(self._marked(child, marker) for marker in MARKERS)

    def _topmost(self, session_id: str) -> str:
        current, seen = session_id, {session_id}
        while (parent := self.links[current].parent_id) in self.links and parent not in seen:
            assert parent is not None
            seen.add(parent)
            current = parent
        return current


def _age(link: Link) -> tuple[float, str]:
    return (link.started_at or 0.0, link.id)


def _rank(link: Link) -> int:
    """Hermes' preference: a child that was compressed again (2), then one still open (1), then others (0)."""
    if link.end_reason == "compression":
        return 2
    return 1 if link.ended_at is None else 0
