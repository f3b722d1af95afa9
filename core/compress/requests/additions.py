"""What a release adds to a summary by rule, whoever wrote it: the newest request and exact values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from core.compress.facts.narrow import narrowed
from core.compress.messages.kinds import content_text
from core.compress.messages.merged_summary import bare
from core.compress.messages.restated_request import is_asking, request_text
from core.compress.pruning.skills import lost_skills, mark
from core.compress.pruning.truncate import elide
from core.compress.pruning.truncate import mark as elision
from core.compress.requests.identifier_index import identifier_index
from core.compress.summarise.base import heading_line
from core.hermes.markers.summary_signs import markers
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message
from core.redact.text import redact_text

_TASK_MOST, _TASK_BRIEF = 1400, 300
_ANCHORS = "Anchor Index (mechanically extracted, exact)"
_USERS = "User Messages (verbatim, newest first)"
_USERS_MOST, _USER_MOST = 24000, 4000
_RECOVERY = "Context Recovery"
_SKILLS = "Pruned Skills"
_MARK_LONGEST = len(elision(10**12 - 1, 10**12 - 1))
"""What the mark of a cut takes at most: a message of which less could be quoted is not quoted at all."""


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
        previous: Body of the summary before, which may name skills to load again.
    """

    turns: Sequence[Message]
    policy: Policy
    lean: bool
    session: str | None = None
    focus: str | None = None
    originals: Sequence[Message] = ()
    previous: str | None = None

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
            (_USERS, _users(self.quoted)),
            (_RECOVERY, _recovery(self)),
        )


def finished(body: str, finish: Finish, *, grounds: bool = True) -> str:
    """A summary with the release's own additions.

    Args:
        body: What the summariser wrote.
        finish: What the additions depend on.
        grounds: The newest request is put in; a summary made by rule has it already.
    """
    rules = finish.policy.summary
    if rules.reloads_skills:
        body = _with_skills(body, lost_skills(finish.turns, finish.previous))
    if rules.grounds_task and grounds:
        body = grounded(body, finish)
    if rules.lean_extras and finish.lean:
        for heading, text in finish.lists:
            if text and heading_line(heading) not in body:
                body += f"\n\n{heading_line(heading)}\n{text}"
    return bare(body, rules)


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
    body = bare(body, policy.summary)
    replaced, count = section.subn(lambda _: f"{heading}\n{task}\n\n", body, count=1)
    return (replaced if count else f"{heading}\n{task}\n\n{body}").strip()


def _quoted(message: Message, policy: Policy, most: int) -> str:
    text = redact_text(content_text(message.content).strip())
    if len(text) > most:
        text = redact_text(request_text(message)) or text
    text = " ".join(text.split())
    if len(text) <= most:
        return repr(text)
    if policy.summary.elision == "counted":
        return elide(repr(text), most)
    return repr(text[: most - 15].rstrip() + " ...[truncated]")


def _with_skills(body: str, names: Sequence[str]) -> str:
    """The summary with the marks of skills that it does not name itself."""
    missing = [mark(name) for name in names if mark(name) not in body]
    return "\n".join([f"{body}\n\n{heading_line(_SKILLS)}", *missing]) if missing else body


def _users(turns: Sequence[Message]) -> str:
    quoted: list[str] = []
    room = _USERS_MOST
    for message in reversed(turns):
        text = redact_text(content_text(message.content).strip()) if message.role == "user" else ""
        if not text or text.startswith(_not_said()):
            continue
        if room <= 0 or (len(text) > room and room <= _MARK_LONGEST):
            break
        text = elide(text, min(_USER_MOST, room))
        quoted.append("> " + text.replace("\n", "\n> "))
        room -= len(text)
    return "\n\n".join(quoted)


@cache
def _not_said() -> tuple[str, ...]:
    return tuple(markers()["not_quoted"])


def _recovery(finish: Finish) -> str:
    if finish.session is None:
        return ""
    search = f"session_search(query='<words>', session_id='{finish.session}')"
    return f"All {len(finish.turns)} messages are still in the session's history: {search} finds them."
