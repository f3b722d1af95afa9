"""What each row of a conversation is, as columns of plain values that planning can use without the texts."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.compress.messages.kinds import (
    STEER,
    content_text,
    is_blank_user,
    is_readable_answer,
    is_request,
    is_summary,
    is_text_only,
)
from core.compress.messages.summary_row import unwrapped
from core.compress.pruning.shrink import Calls, has_images, skill_loaded
from core.compress.pruning.skills import skill_calls
from core.compress.sizing.estimate import Size, message_size, numbers
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message, Wire


@dataclass(frozen=True, slots=True)
class Skills:
    """Skill bodies in the conversation, for the rule that protects them.

    Attributes:
        sites: Position of each call that loaded a skill, with the skill.
        mentions: Position of the last user message that names a skill.
        bodies: The skill whose text a tool result holds; images are never a skill body.
    """

    sites: tuple[tuple[int, str], ...] = ()
    mentions: Mapping[str, int] | None = None
    bodies: Mapping[int, str] | None = None


@dataclass(frozen=True, slots=True)
class StubTexts:
    """Texts by position in one byte string: as single strings, thousands take three times as much memory.

    Attributes:
        places: The positions, ascending.
        ends: Where each text ends.
    """

    places: array[int] = field(default_factory=numbers)
    ends: array[int] = field(default_factory=numbers)
    texts: bytes = b""

    def at(self, place: int) -> str | None:
        """The text at a position."""
        found = bisect_left(self.places, place)
        if self.places[found : found + 1] != numbers([place]):
            return None
        start = self.ends[found - 1] if found else 0
        return self.texts[start : self.ends[found]].decode("utf-8", "surrogatepass")

    def with_(self, added: Iterable[tuple[int, str]]) -> StubTexts:
        """A copy with the texts of later positions added."""
        places, ends, texts = self.places[:], self.ends[:], bytearray(self.texts)
        for place, text in added:
            texts += text.encode("utf-8", "surrogatepass")
            places.append(place)
            ends.append(len(texts))
        return StubTexts(places, ends, bytes(texts))


@dataclass(frozen=True, slots=True)
class Columns:
    """One value for each row.

    Attributes:
        roles: Role as stored; None when a row has none.
        requests: Positions of user messages the tail is anchored to, ascending.
        assistants: Positions of assistant rows that may anchor the tail.
        answers: Those of them with readable text.
        text_only: Requests that can be restated as text alone.
        summaries: Positions of earlier summaries.
        leftovers: Size of what remains of a row once its merged summary is removed; None for nothing.
        echoes: Blank user rows between the newest request and its answer.
        images: Positions of tool results with images.
        steers: Positions of messages with which the user steered a running turn.
        skills: Skill bodies and where they are needed.
        newest_assistant: Position of the newest assistant row, -1 without one.
        has_system: Whether the list begins with a system message.
    """

    roles: tuple[Any, ...]
    calls: bytes
    requests: Sequence[int]
    assistants: Sequence[int]
    answers: Sequence[int]
    text_only: Sequence[int]
    summaries: tuple[int, ...]
    leftovers: Mapping[int, Size | None]
    echoes: range
    images: tuple[int, ...]
    steers: frozenset[int]
    skills: Skills
    newest_assistant: int
    has_system: bool = False

    def __len__(self) -> int:
        return len(self.roles)

    def without(self, removed: range) -> Columns:
        """The columns without some adjacent blank rows."""
        shift = len(removed)

        def moved(positions: Sequence[int]) -> tuple[int, ...]:
            return tuple(i if i < removed.start else i - shift for i in positions if i not in removed)

        return replace(
            self,
            roles=self.roles[: removed.start] + self.roles[removed.stop :],
            calls=self.calls[: removed.start] + self.calls[removed.stop :],
            requests=moved(self.requests),
            assistants=moved(self.assistants),
            answers=moved(self.answers),
            text_only=moved(self.text_only),
            summaries=moved(self.summaries),
            echoes=range(0),
        )


NO_COLUMNS = Columns((), b"", (), (), (), (), (), {}, range(0), (), frozenset(), Skills(), -1)
"""The columns of an empty list."""


def columns_of(
    messages: Sequence[Message], calls: Calls, policy: Policy, before: Columns = NO_COLUMNS
) -> Columns:
    """Classify the rows of a conversation; `before` are the columns of its first rows."""
    start = len(before)
    rows = [(i, message.wire) for i, message in enumerate(messages[start:], start)]
    roles = [_plain(wire.get("role")) for _, wire in rows]
    summaries = [i for i, wire in rows if is_summary(wire, policy.summary)]
    passed = frozenset(summaries) if policy.tail.real_users else frozenset()
    assistants = [row for row, role in zip(rows, roles, strict=True) if role == "assistant"]
    anchors = [(i, wire) for i, wire in assistants if i not in passed]
    requests = [(i, wire) for i, wire in rows if is_request(wire, policy)]
    results = [i for (i, _), role in zip(rows, roles, strict=True) if role == "tool"]
    asked = numbers(before.requests, (i for i, _ in requests))
    return Columns(
        roles=(*before.roles, *roles),
        calls=before.calls + bytes(bool(wire.get("tool_calls")) for _, wire in rows),
        requests=asked,
        assistants=numbers(before.assistants, (i for i, _ in anchors)),
        answers=numbers(before.answers, (i for i, wire in anchors if is_readable_answer(wire))),
        text_only=numbers(before.text_only, (i for i, wire in requests if _can_be_restated(wire, policy))),
        summaries=(*before.summaries, *summaries),
        leftovers={**before.leftovers, **_leftovers(messages, summaries, policy)},
        echoes=_echoes(messages, asked, policy),
        images=(*before.images, *(i for i in results if has_images(messages[i]))),
        steers=before.steers.union(i for i, wire in rows if wire.get("display_kind") == STEER),
        skills=_skills(messages, calls, before) if policy.prune.skill_window else Skills(),
        newest_assistant=assistants[-1][0] if assistants else before.newest_assistant,
        has_system=(*before.roles[:1], *roles[:1])[:1] == ("system",),
    )


def _can_be_restated(wire: Wire, policy: Policy) -> bool:
    """Whether a release restates a request: any that is text alone, or one whose text is short."""
    content, most = wire.get("content"), policy.tail.restates_most
    return 0 < len(content_text(content).strip()) <= most if most else is_text_only(content)


def _plain(role: Any) -> Any:
    return role if isinstance(role, str) else None


def _leftovers(
    messages: Sequence[Message], summaries: Sequence[int], policy: Policy
) -> dict[int, Size | None]:
    if not policy.summary.every_summary:
        return {}
    kept = {i: unwrapped(messages[i]) for i in summaries}
    return {i: None if m is None else message_size(m.wire, policy.estimate) for i, m in kept.items()}


def _echoes(messages: Sequence[Message], requests: Sequence[int], policy: Policy) -> range:
    if not policy.prune.blank_echoes or not requests:
        return range(0)
    start = requests[-1] + 1
    end = start
    while end < len(messages) and is_blank_user(messages[end].wire, policy.summary):
        end += 1
    answered = end < len(messages) and messages[end].wire.get("role") == "assistant"
    return range(start, end) if answered else range(0)


def _skills(messages: Sequence[Message], calls: Calls, before: Columns) -> Skills:
    added = (
        (i, skill.lower())
        for i, message in enumerate(messages[len(before) :], len(before))
        if message.wire.get("role") == "assistant"
        for skill in skill_calls(message)[1]
    )
    sites = (*before.skills.sites, *added)
    if not sites:
        return Skills()
    known = {skill for _, skill in sites}
    mentions: dict[str, int] = {}
    for i, message in enumerate(messages):
        if message.wire.get("role") == "user" and isinstance(message.content, str):
            text = content_text(message.content).lower()
            mentions.update((skill, i) for skill in known if skill in text)
    results = ((i, m) for i, m in enumerate(messages) if m.role == "tool" and isinstance(m.content, str))
    loaded_skills = ((i, skill_loaded(message, calls)) for i, message in results)
    return Skills(sites, mentions, {i: skill.lower() for i, skill in loaded_skills if skill is not None})
