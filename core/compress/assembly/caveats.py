"""What a reader of the new list should know: where it is not what one would expect of a sound list.

The lists are those the release writes, so nothing is put right here; it is only said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.compress.facts.topic import nearest
from core.compress.messages.kinds import content_text, is_summary
from core.compress.messages.list_rows import Row
from core.compress.messages.summary_row import last_visible, visible_role
from core.hermes.markers.markers import find_summary
from core.hermes.policy.policy import Policy
from core.model.compaction.preview import Retention
from core.model.transcript.message import Message

_QUOTED = 200
"""Characters a request is recognised by: releases may shorten a long one."""


def caveats(
    before: Sequence[Message], after: Sequence[Message], summary_index: int, policy: Policy
) -> Iterator[str]:
    """One sentence for each property of a sound list that the release's list lacks.

    Args:
        before: The messages given.
        after: The messages left.
        summary_index: Where the new summary stands in `after`.
        policy: Says what counts as a summary, and as a neighbour.
    """
    live = sum(is_summary(message.wire, policy.summary) for message in after)
    if live > 1:
        yield f"The old summary stays next to the new one (Hermes {policy.release} does that)."
    if any(_is_foreign(message, policy) for message in after):
        yield "An earlier summary stands in the list as an ordinary message: this release does not know it."
    yield from _request(before, after, summary_index, policy)
    if _has_equal_neighbour([Row(message) for message in after], summary_index, policy):
        role = after[summary_index].role
        yield f"The summary stands beside another {role} message: strict providers refuse such a list."


def focus_caveats(focus: str, retention: Retention, middle: Sequence[Message]) -> Iterator[str]:
    """What a reader should know of a topic that sets nothing apart: nobody mentions it, or everything.

    Args:
        focus: The topic.
        retention: What of the middle survives, the topic counted apart.
        middle: The messages summarised.
    """
    if retention.focus is None or retention.rest is None:
        return
    if not retention.focus.of:
        meant = nearest(focus, (message.text for message in middle))
        hint = f" Did you mean {meant}?" if meant else ""
        yield f"Nothing checkable in the summarised messages is about {focus.strip()!r}.{hint}"
    elif not retention.rest.of:
        yield f"Everything in the summarised messages is about {focus.strip()!r}: it favours nothing."


def _is_foreign(message: Message, policy: Policy) -> bool:
    """Whether a row holds a summary of another release, or in another form, than this one reads."""
    text = content_text(message.content)
    return (
        text.lstrip()[:1] == "["
        and find_summary(text) is not None
        and not is_summary(message.wire, policy.summary)
    )


def _request(
    before: Sequence[Message], after: Sequence[Message], summary_index: int, policy: Policy
) -> Iterator[str]:
    spoken = (message for message in reversed(before) if message.role == "user" and message.text.strip())
    real = (m for m in spoken if not is_summary(m.wire, policy.summary) and not _is_foreign(m, policy))
    newest = next(real, None)
    if newest is None:
        return
    words = newest.text.strip()[:_QUOTED]
    if any(words in message.text for message in after[summary_index:]):
        return
    if any(words in message.text for message in after[:summary_index]):
        yield "The newest request stands before the summary: this policy does not carry it behind it."
    else:
        yield "The newest request is summarised away: this policy does not keep it word for word."


def _has_equal_neighbour(rows: Sequence[Row], index: int, policy: Policy) -> bool:
    before, behind = rows[:index], rows[index + 1 :]
    if policy.assembly.visible_roles:
        own = visible_role(rows[index])
        return own is not None and own in (last_visible(before), last_visible(behind[::-1]))
    return rows[index].role in (row.role for row in (*before[-1:], *behind[:1]))
