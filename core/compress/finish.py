"""What a release adds to a summary by rule, whoever wrote it: the newest request and exact values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from core.compress.elide import elide
from core.compress.index import identifier_index
from core.compress.narrow import narrowed
from core.compress.redact import redact_text
from core.compress.restate import is_asking, request_text
from core.compress.summarise.base import heading_line
from core.compress.turns import content_text
from core.hermes.policy import Policy
from core.hermes.signs import markers
from core.model.message import Message

_TASK_MOST, _TASK_BRIEF = 1400, 300
_ANCHORS = "Anchor Index (mechanically extracted, exact)"
_USERS = "User Messages (verbatim, newest first)"
_USERS_MOST, _USER_MOST = 24000, 4000
_RECOVERY = "Context Recovery"
_SKILLS = "Pruned Skills"
_SKILL_OPENS = "[SKILL_PRUNED:"
_SKILL = re.compile(r"\[SKILL_PRUNED:[^\]]*?skill_view\(name='([^']+)'\)\]")
_SKILLS_MOST = 20


@dataclass(frozen=True)
class Finish:
    """What the additions depend on.

    Attributes:
        turns: The messages summarised.
        policy: The release.
        lean: The tail mode is lean.
        session: Id under which the full messages can be searched; None when there is none.
        focus: The topic the additions keep to; None for all, which is what a release does whatever its model
            was asked. Only a summary made without a model is narrowed: there the additions are most of it.
        originals: The turns before pruning, which tell what each is about; none when they are the same.
    """

    turns: Sequence[Message]
    policy: Policy
    lean: bool
    session: str | None = None
    focus: str | None = None
    originals: Sequence[Message] = ()

    @cached_property
    def quoted(self) -> Sequence[Message]:
        """The messages that exact values and requests are taken from."""
        if self.focus is None:
            return self.turns
        return narrowed(self.turns, self.focus, self.originals or self.turns)

    @cached_property
    def lists(self) -> tuple[tuple[str, str], ...]:
        """The mechanical sections that are the same for every body: heading and text."""
        return (
            (_ANCHORS, identifier_index(self.quoted)),
            (_USERS, _users(self.quoted, self.policy)),
            (_RECOVERY, _recovery(self)),
        )


def finished(body: str, finish: Finish) -> str:
    """A summary with the release's own additions."""
    rules = finish.policy.summary
    if rules.grounds_task:
        body = grounded(body, finish)
    if not (rules.lean_extras and finish.lean):
        return body
    for heading, text in (_skills(body, finish.turns), *finish.lists):
        if text and heading_line(heading) not in body:
            body += f"\n\n{heading_line(heading)}\n{text}"
    return body


def grounded(body: str, finish: Finish) -> str:
    """The first section overwritten with the newest request of the turns, word for word."""
    policy = finish.policy
    newest = next((m for m in reversed(finish.turns) if is_asking(m, policy)), None)
    if newest is None:
        return body
    heading = heading_line(policy.summary.headings[0])
    most = _TASK_MOST if any(m is newest for m in finish.quoted) else _TASK_BRIEF
    texts = markers()
    task = f"{texts['grounded_open']}{_quoted(newest, policy, most)}\n{texts['grounded_close']}"
    section = re.compile(rf"^{re.escape(heading)}\s*\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    replaced, count = section.subn(lambda _: f"{heading}\n{task}\n\n", body, count=1)
    return (replaced if count else f"{heading}\n{task}\n\n{body}").strip()


def _quoted(message: Message, policy: Policy, most: int) -> str:
    text = " ".join(redact_text(request_text(message)).split())
    if len(text) <= most:
        return repr(text)
    if policy.summary.elision == "counted":
        return elide(repr(text), most)
    return repr(text[: most - 15].rstrip() + " ...[truncated]")


def _skills(body: str, turns: Sequence[Message]) -> tuple[str, str]:
    """Skills whose instructions are gone, so that the model loads them again."""
    texts = (content_text(message.content) for message in turns)
    marks = {m[1]: m[0] for text in texts if _SKILL_OPENS in text for m in _SKILL.finditer(text)}
    missing = [mark for mark in list(marks.values())[:_SKILLS_MOST] if mark not in body]
    return _SKILLS, "\n".join(missing)


def _users(turns: Sequence[Message], policy: Policy) -> str:
    quoted: list[str] = []
    room = _USERS_MOST
    for message in reversed(turns):
        if room <= 0:
            break
        if not is_asking(message, policy):
            continue
        text = elide(redact_text(content_text(message.content).strip()), min(_USER_MOST, room))
        quoted.append("> " + text.replace("\n", "\n> "))
        room -= len(text)
    return "\n\n".join(quoted)


def _recovery(finish: Finish) -> str:
    if finish.session is None:
        return ""
    search = f"session_search(query='<words>', session_id='{finish.session}')"
    return f"All {len(finish.turns)} messages are still in the session's history: {search} finds them."
