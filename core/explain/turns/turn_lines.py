"""Which lines of the log belong to which turn of a conversation."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from core.explain.compactions.refusals import turns_of, unanswered
from core.explain.context.context import ConversationContext
from core.hermes.log.record import Kind, LogRecord
from core.model.compaction.event import Trigger
from core.model.transcript.message import Message

_QUOTED = re.compile(r"""(['"])(?P<text>.*)\1(?:\s*\[origin=.*)?$""", re.DOTALL)
_COMPARED_CHARS = 32
"""How many letters and digits are compared: a line quotes the first 80 characters, escaped."""
_JOINED = 2_000
"""How many characters at the end of a message are searched for joined requests."""
_STAMP_LEAD = timedelta(seconds=0.5)
"""A row may be stamped this long before the line of its turn is written."""
_GATEWAY = "Session hygiene: "
_SKIPS = frozenset(
    {
        Kind.PREFLIGHT_SKIPPED,
        Kind.REENTRY_SKIPPED,
        Kind.SKIPPED,
        Kind.THRASH,
        Kind.DEFERRED,
        Kind.OVER_THRESHOLD,
        Kind.CANNOT_COMPRESS,
        Kind.NOTHING_TO_COMPRESS,
    }
)
_STATES_THRESHOLD = frozenset({Kind.PREFLIGHT, Kind.PREFLIGHT_SKIPPED, Kind.PRE_API, Kind.OVER_THRESHOLD})
_NAMED_BY = {
    Trigger.PREFLIGHT: (Kind.PREFLIGHT, Kind.PREFLIGHT_SKIPPED),
    Trigger.PRE_API: (Kind.PRE_API,),
}


@dataclass(frozen=True, slots=True)
class TurnLines:
    """The log lines of one turn.

    Attributes:
        calls: Answered calls, by their number in the turn.
        skipped: Lines that say a check was skipped, each with the number of the last call before it.
        stated: Lines that state the number a check compared, in the same form.
        gateway_skip: The line that says the gateway skipped its own check before the turn began.
        crowded: Another process ran a turn of the session at the same time, and saved its rows among these.
        unanswered: The failed call that ended it.
    """

    began: LogRecord
    calls: dict[int, LogRecord] = field(default_factory=dict)
    skipped: tuple[tuple[int, LogRecord], ...] = ()
    stated: tuple[tuple[int, LogRecord], ...] = ()
    gateway_skip: LogRecord | None = None
    crowded: bool = False
    unanswered: LogRecord | None = None

    @property
    def threshold(self) -> int | None:
        """The threshold in the last line that states one."""
        return next((record.threshold for _, record in reversed(self.stated)), None)

    def compared(self, trigger: Trigger, answers: int) -> LogRecord | None:
        """The line that states the number a check compared, after so many answers."""
        kinds = _NAMED_BY.get(trigger, ())
        return next((line for after, line in self.stated if after == answers and line.kind in kinds), None)


def turn_lines(context: ConversationContext, requests: Sequence[Message]) -> Mapping[int, TurnLines]:
    """Pair user messages with the turns of the log, newest first: by their text, else by time.

    Messages from before the log begins are missing from the lines by row.
    """
    turns = _turns(context)
    places: dict[str, list[int]] = defaultdict(list)
    for place, lines in enumerate(turns):
        places[_shown_by_line(lines.began.text or "")].append(place)
    began = [context.clock.utc(lines.began.at) for lines in turns]
    found: dict[int, TurnLines] = {}
    newest = len(turns)
    for request in reversed(requests):
        known = [places[opening] for opening in _openings(request.text) if opening in places]
        openings = (_last_below(one, newest) for one in known)
        at = (
            max((one for one in openings if one is not None), default=None)
            if known
            else _running(began, request)
        )
        if request.row is not None and at is not None and at < newest:
            newest = at
            found[request.row.id] = turns[newest]
    return found


def _last_below(places: Sequence[int], limit: int) -> int | None:
    at = bisect_left(places, limit) - 1
    return places[at] if at >= 0 else None


def _running(began: Sequence[datetime], request: Message) -> int | None:
    """The turn that ran when a row was stamped; what reaches the model may differ from what was typed."""
    stamp = request.row.timestamp if request.row is not None else None
    if stamp is None:
        return None
    at = bisect_right(began, stamp + _STAMP_LEAD) - 1
    return at if at >= 0 else None


def _turns(context: ConversationContext) -> list[TurnLines]:
    """The turns of the log, oldest first."""
    spans, skips = list(turns_of(context)), _gateway_skips(context)
    turns, last = [], 0
    ends = [sum(record.kind is Kind.TURN_ENDED for record in span) for span in spans]
    for span, own, following in zip(spans, ends, [*ends, 1][1:], strict=True):
        numbers = [record.number for record in span if record.kind is Kind.CALL and record.number is not None]
        first = min(numbers, default=0)
        # An agent continues to number its calls across turns; a new one begins at 1.
        before = last if 0 < last < first else first - 1 if not last else 0
        crowded = own > 1 or (not own and following > 1)
        turns.append(replace(_lines(span, before), gateway_skip=skips.get(span[0].where), crowded=crowded))
        last = max(numbers, default=last)
    return turns


def _gateway_skips(context: ConversationContext) -> Mapping[str, LogRecord]:
    """The lines that say the gateway skipped its own check, by the place of the turn that follows."""
    found: dict[str, LogRecord] = {}
    skip: LogRecord | None = None
    for record in context.log.records:
        if _is_gateway_skip(record) and record.session in context.sessions:
            skip = record
        elif skip is not None and record.kind is Kind.TURN and record.session in context.sessions:
            found[record.where], skip = skip, None
    return found


def _is_gateway_skip(record: LogRecord) -> bool:
    return record.kind is Kind.SKIPPED and record.message.startswith(_GATEWAY)


def _lines(span: Sequence[LogRecord], before: int) -> TurnLines:
    """The lines of a turn that began after so many calls."""
    calls: dict[int, LogRecord] = {}
    skipped: list[tuple[int, LogRecord]] = []
    stated: list[tuple[int, LogRecord]] = []
    for record in span:
        if record.kind is Kind.CALL and record.number is not None:
            calls[record.number - before] = record
        elif record.kind in _SKIPS and not _is_gateway_skip(record):
            skipped.append((max(calls, default=0), record))
        if record.kind in _STATES_THRESHOLD and record.threshold:
            stated.append((max(calls, default=0), record))
    return TurnLines(span[0], calls, tuple(skipped), tuple(stated), unanswered=unanswered(span))


def _shown_by_line(text: str) -> str:
    """The quoted text of a line, without escapes and the dots where it was cut."""
    quoted = _QUOTED.match(text)
    return _letters_of(re.sub(r"\\.", "", quoted["text"] if quoted else text))


def _openings(text: str) -> Iterator[str]:
    """The beginning of a message, and of its last lines, as Hermes joins unanswered requests."""
    yield _letters_of(text)
    yield from filter(None, map(_letters_of, text[-_JOINED:].split("\n")))


def _letters_of(text: str) -> str:
    """The letters and digits of a text, which a quotation leaves unchanged."""
    return re.sub(r"\W+", "", text[:80])[:_COMPARED_CHARS]
