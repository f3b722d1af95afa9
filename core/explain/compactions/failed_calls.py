"""Turns that ended with a call the provider refused, or never answered."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from core.hermes.log.record import Kind, LogRecord
from core.model.compaction.event import CompressionEvent

if TYPE_CHECKING:
    from core.explain.context.context import ConversationContext

_ENDS = frozenset({Kind.CALL, Kind.CALL_FAILED, Kind.TURN_ENDED})


_TRIED_AGAIN = timedelta(minutes=2)
"""Hermes waits no longer than this before it calls again."""


class FailedCall(NamedTuple):
    """A call after which nothing came.

    Attributes:
        text: What the provider said, or what became of the connection. Untrusted.
        means: What that truly is about: `bad_request`, `disconnect`, ...
        says, helps: The same as sentences.
    """

    line: LogRecord
    text: str
    means: str
    says: str
    helps: str


def unanswered(lines: Iterable[LogRecord]) -> LogRecord | None:
    """The failed call a turn ended with; None where an answer followed it, or none failed."""
    last = None
    for line in lines:
        last = line if line.kind in _ENDS else last
    return last if last is not None and last.kind is Kind.CALL_FAILED else None


def failed_call(line: LogRecord) -> FailedCall:
    """What a failed call is about, and what helps."""
    # Most conversations hold none.
    from core.hermes.provider_errors.explain import advice_of
    from core.hermes.provider_errors.failure import failure_of
    from core.hermes.provider_errors.meaning import meaning_of

    text = (line.text or line.message).strip()
    meaning = meaning_of(failure_of(text, provider=line.provider or ""))
    return FailedCall(line, text, meaning.kind, *advice_of(meaning))


def turns_of(context: ConversationContext) -> Iterator[Sequence[LogRecord]]:
    """The lines of each turn of the log, the one that began it first."""
    ids, turn = context.sessions, list[LogRecord]()
    for record in context.log.records:
        if record.kind is Kind.TURN and record.session in ids:
            if turn:
                yield turn
            turn = [record]
        elif turn and (record.session is None or record.session in ids or record.tag in ids):
            turn.append(record)
    if turn:
        yield turn


def newest_failure(context: ConversationContext, events: Sequence[CompressionEvent]) -> FailedCall | None:
    """The failed call the newest turn ended with, unless a compaction in it tells of that already."""
    turn = deque(turns_of(context), maxlen=1)
    line = unanswered(turn[0]) if turn else None
    if line is None or tried_again(context):
        return None
    began = context.clock.utc(turn[0][0].at)
    return None if any(_gave_up(event, began) for event in events) else failed_call(line)


def tried_again(context: ConversationContext) -> bool:
    """Whether the last line is of a call that failed this moment, which Hermes may try again."""
    last = next((one for one in reversed(context.log.records) if one.kind in _ENDS), None)
    if last is None or last.kind is not Kind.CALL_FAILED:
        return False
    return timedelta(0) <= datetime.now(UTC) - context.clock.utc(last.at) < _TRIED_AGAIN


def _gave_up(event: CompressionEvent, began: datetime) -> bool:
    ended = not event.completed or (event.attempt is not None and event.attempt.gives_up)
    return ended and event.at is not None and event.at >= began
