"""Skills whose instructions a compaction removes, and the marks that name them so they are loaded again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from core.compress.messages.kinds import calls_of, content_text, function_of
from core.hermes.markers.markers import markers
from core.model.transcript.message import Message, json_object

MARK = "[SKILL_PRUNED:"
"""The beginning of the mark that Hermes 0.22 leaves in place of a skill's body."""
_NAMED = re.compile(r"\[SKILL_PRUNED:[^\]]*?reload with skill_view\(name='([^']+)'\)")
_BODY_LEAST = 5000
_MAX_SKILLS = 20


def mark(name: str) -> str:
    """The mark that names a skill."""
    return f"{MARK} content lost in compression; reload with skill_view(name='{name}')]"


def pruned_skills(texts: Iterable[str]) -> list[str]:
    """The skills named by marks in the texts, each once, in order; at most twenty."""
    found = (match[1] for text in texts if MARK in text for match in _NAMED.finditer(text))
    return list(dict.fromkeys(found))[:_MAX_SKILLS]


def reload_notice(messages: Sequence[Message]) -> str:
    """The notice below open to-dos if skills they may depend on were removed; else empty."""
    names = pruned_skills(content_text(message.content) for message in messages)
    if not names:
        return ""
    calls = "; ".join(f"skill_view(name='{name}')" for name in names)
    notice: str = markers()["skills_pruned"]
    return (
        f"{notice}\nThese tasks came through word for word, the instructions they were begun under did not. "
        f"Load what a task depends on before carrying it out: {calls}. Then see if it is still called for."
    )


def skill_named(arguments: Any) -> str | None:
    """The skill a `skill_view` call asks for."""
    skill = (json_object(arguments) or {}).get("name")
    return skill if isinstance(skill, str) and skill else None


def skill_calls(message: Message) -> tuple[list[dict[str, Any]], list[str]]:
    """The calls of a message that ask for skills, and the skills."""
    calls = [call for call in calls_of(message.wire) if function_of(call).get("name") == "skill_view"]
    named = (skill_named(function_of(call).get("arguments")) for call in calls)
    return calls, [skill for skill in named if skill is not None]


def lost_skills(turns: Sequence[Message], previous: str | None) -> list[str]:
    """The skills a summary of these turns has to name: marked ones, whole bodies, and those named before."""
    loaded: dict[str, str] | None = None
    names: list[str] = []
    for message in turns:
        body = message.content
        text = body if isinstance(body, str) else content_text(body)
        if MARK in text:
            names += pruned_skills((text,))
        if len(text) > _BODY_LEAST and text is body and message.wire.get("role") == "tool":
            if loaded is None:
                loaded = dict(chain.from_iterable(map(_loads, turns)))
            names += filter(None, (loaded.get(message.tool_call_id or ""),))
    return list(dict.fromkeys([*names, *pruned_skills((previous or "",))]))[:_MAX_SKILLS]


def _loads(message: Message) -> Iterator[tuple[str, str]]:
    """Each call of a row that loads a skill, with the row's last skill, which 0.22 uses for all of them."""
    calls, skills = skill_calls(message)
    if skills and message.wire.get("role") == "assistant":
        yield from ((str(call["id"]), skills[-1]) for call in calls if call.get("id"))
