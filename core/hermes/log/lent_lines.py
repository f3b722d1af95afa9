"""Lines logged under the tag of another session: a gateway's thread keeps that of the chat before it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta

from core.hermes.log.record import Kind, LogRecord

LONGEST = timedelta(hours=1)
"""How long a compaction without an end is taken to be under way."""
_SAID = frozenset(
    {
        Kind.ABORTED,
        Kind.FALLBACK,
        Kind.SUMMARY_FAILED,
        Kind.SUMMARY_CALL,
        Kind.MAIN_MODEL_RETRY,
        Kind.AUX_CALL,
        Kind.AUX_LOWERED,
        Kind.STALLED,
    }
)


def lent_tags(records: Iterable[LogRecord], sessions: Collection[str] | None) -> frozenset[str]:
    """Tags under which attempts of another session were logged, where some sessions have part in that."""
    return frozenset(
        one.tag
        for one in records
        if one.tag is not None
        and _works_for_another(one)
        and (sessions is None or one.session in sessions or one.tag in sessions)
    )


def lent_lines(records: Iterable[LogRecord]) -> Iterator[tuple[LogRecord, LogRecord]]:
    """Lines that only their tag gives to a session, and the same as the session's they truly are about.

    Such a line stands between the start and the end of an attempt that names one session and carries the tag
    of another. Where the tagged session compresses itself meanwhile, nothing is certain: it keeps the line.
    """
    open_: dict[str, LogRecord] = {}
    own: set[str] = set()
    for one in records:
        tag = one.tag
        if tag is None:
            continue
        if one.kind is Kind.STARTED:
            if _works_for_another(one):
                open_[tag] = one
            else:
                own.add(tag)
        elif one.kind in (Kind.DONE, Kind.TELEMETRY):
            if one.session == tag:
                own.discard(tag)
            else:
                open_.pop(tag, None)
        elif one.kind in _SAID and one.session == tag and tag not in own:
            start = open_.get(tag)
            if start is not None and one.at - start.at <= LONGEST:
                yield one, replace(one, session=start.session)


def _works_for_another(record: LogRecord) -> bool:
    return record.kind is Kind.STARTED and record.session not in (None, record.tag)
