"""What each row of a conversation is, as columns of plain values that planning can walk without its texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from core.compress.messages.merged_summary import unwrapped
from core.compress.pruning.shrink import Calls, has_images, skill_loaded, skill_named
from core.compress.sizing.estimate import Size, calls_of, function_of, message_size
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message


@dataclass(frozen=True, slots=True)
class Skills:
    """Skill bodies in the conversation, for the rule that spares them.

    Attributes:
        sites: Position of each call that loaded a skill, and the skill.
        mentions: Last user message that names a skill.
        bodies: Which skill a tool result holds as text; images never count as a body.
    """

    sites: tuple[tuple[int, str], ...] = ()
    mentions: Mapping[str, int] | None = None
    bodies: Mapping[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """One value a row.

    Attributes:
        roles: Role as stored; None when a row has none.
        calls: The row makes tool calls.
        requests: Positions of user messages the tail is anchored to, ascending.
        assistants: Positions of assistant rows that may anchor the tail.
        answers: Those of them with readable text.
        text_only: Requests that can be restated as text.
        summaries: Positions of earlier summaries.
        leftovers: What remains of a merged summary's row once it is unwrapped: its size; None for nothing.
        echoes: Blank user rows between the newest request and its answer.
        images: Positions of tool results with images.
        steers: Rows of the user steering a running turn.
        skills: Skill bodies and where they are needed.
        newest_assistant: Position of the newest assistant row, -1 without one.
    """

    roles: tuple[Any, ...]
    calls: tuple[bool, ...]
    requests: tuple[int, ...]
    assistants: tuple[int, ...]
    answers: tuple[int, ...]
    text_only: frozenset[int]
    summaries: tuple[int, ...]
    leftovers: Mapping[int, Size | None]
    echoes: range
    images: tuple[int, ...]
    steers: frozenset[int]
    skills: Skills
    newest_assistant: int

    def __len__(self) -> int:
        return len(self.roles)

    @property
    def has_system(self) -> bool:
        """The list begins with a system message."""
        return bool(self.roles) and self.roles[0] == "system"


def columns_of(messages: Sequence[Message], calls: Calls, policy: Policy) -> Columns:
    """Classify the rows of a conversation."""
    wires = [message.wire for message in messages]
    roles = tuple(_plain(wire.get("role")) for wire in wires)
    summaries = tuple(i for i, wire in enumerate(wires) if is_summary(wire, policy.summary))
    passed = frozenset(summaries) if policy.tail.real_users else frozenset()
    assistants = tuple(i for i, role in enumerate(roles) if role == "assistant" and i not in passed)
    requests = tuple(i for i, wire in enumerate(wires) if is_request(wire, policy))
    return Columns(
        roles=roles,
        calls=tuple(bool(wire.get("tool_calls")) for wire in wires),
        requests=requests,
        assistants=assistants,
        answers=tuple(i for i in assistants if is_readable_answer(wires[i])),
        text_only=frozenset(i for i in requests if is_text_only(wires[i].get("content"))),
        summaries=summaries,
        leftovers=_leftovers(messages, summaries, policy),
        echoes=_echoes(messages, requests, policy),
        images=tuple(i for i, role in enumerate(roles) if role == "tool" and has_images(messages[i])),
        steers=frozenset(i for i, wire in enumerate(wires) if wire.get("display_kind") == STEER),
        skills=_skills(messages, calls) if policy.prune.skill_window else Skills(),
        newest_assistant=max((i for i, role in enumerate(roles) if role == "assistant"), default=-1),
    )


def _plain(role: Any) -> Any:
    return role if isinstance(role, str) else None


def _leftovers(
    messages: Sequence[Message], summaries: tuple[int, ...], policy: Policy
) -> dict[int, Size | None]:
    if not policy.summary.every_summary:
        return {}
    kept = {i: unwrapped(messages[i]) for i in summaries}
    return {i: None if m is None else message_size(m.wire, policy.estimate) for i, m in kept.items()}


def _echoes(messages: Sequence[Message], requests: tuple[int, ...], policy: Policy) -> range:
    if not policy.prune.blank_echoes or not requests:
        return range(0)
    start = requests[-1] + 1
    end = start
    while end < len(messages) and is_blank_user(messages[end].wire, policy.summary):
        end += 1
    answered = end < len(messages) and messages[end].wire.get("role") == "assistant"
    return range(start, end) if answered else range(0)


def _skills(messages: Sequence[Message], calls: Calls) -> Skills:
    sites = tuple(
        (i, skill)
        for i, message in enumerate(messages)
        if message.wire.get("role") == "assistant"
        for skill in _loaded(message)
    )
    if not sites:
        return Skills()
    known = {skill for _, skill in sites}
    mentions: dict[str, int] = {}
    for i, message in enumerate(messages):
        if message.wire.get("role") == "user" and isinstance(message.content, str):
            text = content_text(message.content).lower()
            mentions.update((skill, i) for skill in known if skill in text)
    results = ((i, m) for i, m in enumerate(messages) if m.role == "tool" and isinstance(m.content, str))
    held = ((i, skill_loaded(message, calls)) for i, message in results)
    return Skills(sites, mentions, {i: skill.lower() for i, skill in held if skill is not None})


def _loaded(message: Message) -> list[str]:
    functions = [function_of(call) for call in calls_of(message.wire)]
    named = [skill_named(f.get("arguments")) for f in functions if f.get("name") == "skill_view"]
    return [skill.lower() for skill in named if skill is not None]
