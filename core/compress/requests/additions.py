"""What a release adds to any summary by rule, such as the newest request and exact values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from core.compress.facts.collect import about, topic_of
from core.compress.facts.readable import views
from core.compress.facts.topic import Topic
from core.compress.messages.kinds import content_text, is_asking, request_text
from core.compress.messages.summary_row import body_text
from core.compress.pruning.skills import lost_skills, mark
from core.compress.pruning.truncate import elide
from core.compress.pruning.truncate import mark as elision
from core.compress.requests.identifier_index import identifier_index
from core.compress.summarise.base import heading_line
from core.hermes.markers.markers import markers
from core.hermes.markers.wording import OURS, Wording
from core.hermes.policy.policy import Policy
from core.model.transcript.message import Message
from core.redact.text import redact_text

_TASK_MOST, _TASK_BRIEF = 1400, 300
_IDENTIFIERS = "Anchor Index (mechanically extracted, exact)"
_USERS = "User Messages (verbatim, newest first)"
_USERS_MOST, _USER_MOST = 24000, 4000
_RECOVERY = "Context Recovery"
_SKILLS = "Pruned Skills"
_MARK_LONGEST = len(elision(10**12 - 1, 10**12 - 1))
"""The longest mark of a cut: a message with less room than that is not quoted at all."""


@dataclass(frozen=True)
class Finish:
    """What the additions depend on.

    Attributes:
        lean: The tail mode is lean.
        session: Id under which the full messages can be searched; None without one.
        focus: The topic the additions are limited to; None for all, as in releases, whatever their model was
            asked. Only a summary made without a model is limited, as the additions are most of it.
        originals: The turns before pruning, which show what each is about; empty when they are the same.
        previous: Body of the previous summary, which may name skills to load again.
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
        """The messages from which exact values and requests are taken."""
        if self.focus is None:
            return self.turns
        return narrowed(self.turns, self.focus, self.originals or self.turns)

    @cached_property
    def identifiers(self) -> str:
        """The exact values of the turns, one line for each kind."""
        return identifier_index(self.quoted)

    @cached_property
    def users(self) -> str:
        """The requests of the turns, newest first."""
        return _users(self.quoted)


def finished(body: str, finish: Finish, *, grounds: bool = True, wording: Wording = OURS) -> str:
    """A summary's body with the release's own additions.

    Every release strips white space around it. `grounds` inserts the newest request; a summary made by rule
    already has it.
    """
    rules, body = finish.policy.summary, body.strip()
    if rules.reloads_skills:
        body = _with_skills(body, lost_skills(finish.turns, finish.previous), wording)
    if rules.grounds_task and grounds:
        body = grounded(body, finish)
    if rules.lean_extras and finish.lean:
        for heading, text in _mechanical(finish, wording):
            if text and heading_line(heading) not in body:
                body += f"\n\n{heading_line(heading)}\n{text}"
    return body_text(body, rules)


def _mechanical(finish: Finish, wording: Wording) -> tuple[tuple[str, str], ...]:
    """The sections that are the same for every body, as heading and text."""
    return (
        (_IDENTIFIERS, _closed(finish.identifiers, wording.identifiers)),
        (_USERS, _closed(finish.users, wording.users)),
        (_RECOVERY, _recovery(finish, wording)),
    )


def _closed(text: str, closing: str) -> str:
    return f"{text}\n{closing}" if text and closing else text


def grounded(body: str, finish: Finish) -> str:
    """The body with its first section replaced by the newest request of the turns, word for word."""
    policy = finish.policy
    newest = next((message for message in reversed(finish.turns) if is_asking(message, policy)), None)
    if newest is None:
        return body
    heading, *aliases = map(heading_line, (policy.summary.headings[0], *policy.summary.task_aliases))
    most = _TASK_MOST if any(message is newest for message in finish.quoted) else _TASK_BRIEF
    texts = markers()
    task = f"{texts['grounded_open']}{_quoted(newest, policy, most)}\n{texts['grounded_close']}"
    named = "|".join(map(re.escape, (heading, *aliases)))
    section = re.compile(rf"^(?:{named})\s*\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    body = body_text(body, policy.summary)
    first = section.search(body)
    if first is None:
        return f"{heading}\n{task}\n\n{body}".strip()
    rest = body[first.end() :]
    return f"{body[: first.start()]}{heading}\n{task}\n\n{section.sub('', rest) if aliases else rest}".strip()


def _quoted(message: Message, policy: Policy, limit: int) -> str:
    text = redact_text(content_text(message.content).strip())
    if len(text) > limit:
        text = redact_text(request_text(message)) or text
    text = " ".join(text.split())
    if len(text) <= limit:
        return repr(text)
    if policy.summary.elision == "counted":
        return elide(repr(text), limit)
    return repr(text[: limit - 15].rstrip() + " ...[truncated]")


def _with_skills(body: str, names: Sequence[str], wording: Wording) -> str:
    """The summary with marks for the skills that it does not name itself."""
    missing = "\n".join(mark(name) for name in names if mark(name) not in body)
    return f"{body}\n\n{heading_line(_SKILLS)}\n{_closed(missing, wording.skills)}" if missing else body


def _users(turns: Sequence[Message]) -> str:
    quoted: list[str] = []
    room = _USERS_MOST
    for message in reversed(turns):
        text = redact_text(content_text(message.content).strip()) if message.role == "user" else ""
        if not text or text.startswith(_not_requests()):
            continue
        if room <= 0 or (len(text) > room and room <= _MARK_LONGEST):
            break
        text = elide(text, min(_USER_MOST, room))
        quoted.append("> " + text.replace("\n", "\n> "))
        room -= len(text)
    return "\n\n".join(quoted)


@cache
def _not_requests() -> tuple[str, ...]:
    return tuple(markers()["not_quoted"])


def _recovery(finish: Finish, wording: Wording) -> str:
    if finish.session is None:
        return ""
    return wording.recovery.format(count=len(finish.turns), session=finish.session)


def narrowed(turns: Sequence[Message], focus: str | None, originals: Sequence[Message]) -> list[Message]:
    """The messages about a focus; of other messages only the lines about it; all if nothing mentions it.

    `originals` are the same messages before pruning, which show what they are about.
    """
    read = views(originals)
    topic = topic_of(focus, read)
    if topic is None:
        return list(turns)
    found = zip(turns, read, strict=True)
    kept = (message if about(view, topic) else _lines(message, topic) for message, view in found)
    return [message for message in kept if message is not None]


def _lines(message: Message, topic: Topic) -> Message | None:
    if not topic.share(message.text):
        return None
    lines = [line for line in message.text.splitlines() if topic.covers(line)]
    return message.with_wire(content="\n".join(lines)) if lines else None
