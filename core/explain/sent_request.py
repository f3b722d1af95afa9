"""One recorded request as it was sent: system prompt, tools, and each message with the row that holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import NotFoundError
from core.recordings.read import RecordedRequest, Recording, SentRow
from core.recordings.row_names import row_name
from core.recordings.sent_lists import Placed, StoredRow, placed, whole_lists
from core.support.own_files import state_directory

if TYPE_CHECKING:
    from core.explain.context.context import ConversationContext


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message of a request.

    Attributes:
        kept: Its text, with credentials masked, if the recorder stored it.
    """

    row: SentRow
    place: Placed
    kept: str | None


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request as it was sent.

    Attributes:
        messages: None where the release did not show them to the recorder.
        tools: Characters of each tool's schema.
        texts: The texts of `system`, `tools` and `answer` that the recorder stored.
    """

    request: RecordedRequest
    messages: tuple[SentMessage, ...] | None
    tools: dict[str, int]
    texts: dict[str, str]


def sent_request(context: ConversationContext, number: int | None = None) -> SentRequest:
    """A recorded request of a conversation; without a number, the newest of its main loop.

    Raises:
        NotFoundError: No request was recorded, or none of that number.
        DatabaseError: The recording cannot be read.
    """
    home, recording = context.store.location.home, Recording(state_directory())
    requests = () if home is None else recording.requests(home, tuple(context.sessions))
    fit = [one for one in requests if (not one.task if number is None else one.id == number)]
    if home is None or not fit:
        what = "no request of it was recorded" if number is None else f"no recorded request {number} of it"
        raise NotFoundError(what, remedy="`plugin install --recorder` records those to come")
    request = fit[-1]
    rows = next((rows for one, rows in whole_lists(requests) if one is request), None)
    parts = {"system": request.system, "tools": request.tools, "answer": request.key}
    names = [name for name in parts.values() if name]
    kept = recording.texts(home, [*names, *(one.name for one in rows or ())])
    return SentRequest(
        request,
        None if rows is None else _messages(context, rows, kept),
        {} if request.tools is None else recording.tool_sizes(request.tools),
        {part: kept[name] for part, name in parts.items() if name in kept},
    )


def stored_places(context: ConversationContext, rows: Sequence[SentRow]) -> list[Placed]:
    """Where the messages of a request are stored."""
    return placed(rows, [_stored(context, one.row_ids) for one in context.conversation.generations])


def _messages(
    context: ConversationContext, rows: Sequence[SentRow], kept: dict[str, str]
) -> tuple[SentMessage, ...]:
    pairs = zip(rows, stored_places(context, rows), strict=True)
    return tuple(SentMessage(row, place, kept.get(row.name)) for row, place in pairs)


def _stored(context: ConversationContext, row_ids: Sequence[int]) -> list[StoredRow]:
    return [
        StoredRow(message.row.id, row_name(dict(message.wire)), message.role[:1])
        for message in context.messages(row_ids)
        if message.row is not None
    ]
