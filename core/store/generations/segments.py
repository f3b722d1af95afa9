"""The rows of a thread, session by session, split at its compactions; and which rows are missing.

A damaged table or index loses rows without an error. `/compress here N` of Hermes 0.18 and 0.19 archives
every live row but writes back only the compressed part: the turns it should keep stay archived.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from pathlib import Path

from core.hermes.markers.markers import MAX_HEAD_LINES
from core.model.transcript.conversation import BoundaryMode
from core.model.transcript.message import RowState
from core.model.transcript.session import Kind, Session
from core.store.database.open_database import Schema
from core.store.generations.copied_rows import could_be_copy, lost_behind
from core.store.generations.row_outline import RowOutline, add_keys, by_uid, read_outlines
from core.store.generations.split import Segment, split
from core.store.lineage.lineage import Lineage
from core.store.rows.message_decoding import NOTE_ROLE
from core.store.rows.sessions import read_sessions
from core.support.formatting import plural

_MAX_ROWS_AFTER = 4
"""A copy must be among this many rows after a summary."""


@dataclass(frozen=True, slots=True)
class Part:
    """One session of the thread with its rows."""

    session: Session
    outlines: tuple[RowOutline, ...]
    rotated: bool


Found = tuple[Session, Session | None, Segment]
"""A segment, preceded by its session and the session which that one continues."""


def read_segments(
    connection: sqlite3.Connection, schema: Schema, lineage: Lineage, ids: Sequence[str], path: Path = Path()
) -> tuple[list[Part], list[Found]]:
    """The sessions of a thread with all their rows, and the generations formed by rows not taken back."""
    sessions = read_sessions(connection, schema, path, ids)
    parts = _read_parts(connection, schema, lineage, [sessions[one] for one in ids if one in sessions])
    live = [replace(part, outlines=_kept(part.outlines)) for part in parts]
    rewound = RowState.REWOUND
    found = _segments(live, lambda: _summaries_of_parent(connection, schema, lineage, ids[0]))
    return parts, _with_taken_back(
        found, [one for part in parts for one in part.outlines if one.state is rewound]
    )


def _read_parts(
    connection: sqlite3.Connection, schema: Schema, lineage: Lineage, sessions: Sequence[Session]
) -> list[Part]:
    parts = []
    archived = RowState.ARCHIVED  # looked up once, as access to enumeration members is slow
    rows = [read_outlines(connection, schema, session.id) for session in sessions]
    compactions = [
        bool([one for one in own if one.summary or one.flagged or one.state is archived]) for own in rows
    ]
    linked = not any(compactions) or _share_uids(rows)
    for session, outlines, compacted in zip(sessions, rows, compactions, strict=True):
        chained = len(sessions) > 1 or session.end_reason == "compression"
        if (compacted or chained) and not (linked and by_uid(outlines)):
            add_keys(connection, schema, session.id, outlines)
            outlines = [replace(outline, uid=None) if outline.uid else outline for outline in outlines]
        rotated = lineage.kind(session.id) is Kind.CONTINUATION or (compacted and lineage.orphan(session.id))
        parts.append(Part(session, tuple(outlines), rotated))
    return parts


def _share_uids(sessions: Sequence[Sequence[RowOutline]]) -> bool:
    """Whether copies share the uid of their original.

    An upgrade to 0.22 gives each older row its own uid. The first rows of a branch repeat rows of its parent.
    """
    known: set[int | None] = set()
    for number, outlines in enumerate(sessions):
        for at, outline in enumerate(outlines):
            if (outline.summary or outline.flagged) and (number or at > MAX_HEAD_LINES):
                after = outlines[at + 1 : at + 1 + _MAX_ROWS_AFTER]
                if after and known.isdisjoint(other.uid for other in after):
                    return False
            known.add(outline.uid)
    return True


def _kept(outlines: Sequence[RowOutline]) -> tuple[RowOutline, ...]:
    # A row whose id is not a number cannot be asked for.
    rewound = RowState.REWOUND
    return tuple(
        [
            outline
            for outline in outlines
            if outline.state is not rewound and outline.role != NOTE_ROLE and isinstance(outline.id, int)
        ]
    )


def _with_taken_back(found: Sequence[Found], rewound: Sequence[RowOutline]) -> list[Found]:
    """The segments, each with the rows that its compaction had copied and the user took back."""
    if not rewound:
        return list(found)
    closed = [None, *(segment for _, _, segment in found)]
    return [
        (session, parent, replace(segment, taken_back=_taken_back(segment, before, rewound)))
        for (session, parent, segment), before in zip(found, closed, strict=False)
    ]


def _taken_back(segment: Segment, closed: Segment | None, rewound: Sequence[RowOutline]) -> tuple[int, ...]:
    """Those of the rows right after a block that repeat the previous generation."""
    end = block_end(segment)
    if closed is None or not 0 < end <= len(segment.outlines):
        return ()
    known = {outline.identity for outline in closed.outlines}
    times = {outline.timestamp for outline in closed.outlines}
    written = segment.outlines[segment.summary or 0].timestamp
    after = [outline.id for outline in segment.outlines[end:]] or [rewound[-1].id + 1]
    between = [one for one in rewound if segment.outlines[end - 1].id < one.id < after[0]]
    between = _retried(segment, closed, rewound) or between
    copied = takewhile(lambda one: one.identity in known and could_be_copy(one, times, written), between)
    return tuple(outline.id for outline in copied)


def _retried(segment: Segment, closed: Segment, rewound: Sequence[RowOutline]) -> list[RowOutline]:
    """What followed the summary before `/retry` took both back and stored the summary again."""
    at = segment.summary
    if at is None or not closed.outlines:
        return []
    first, again = (segment.outlines[at - 1] if at else closed.outlines[-1]).id, segment.outlines[at]
    before = [one for one in rewound if first < one.id < again.id]
    return before[1:] if before and before[0].flagged and before[0].timestamp == again.timestamp else []


def _segments(parts: Sequence[Part], held_by_parent: Callable[[], frozenset[str]]) -> list[Found]:
    found: list[Found] = []
    previous: Sequence[RowOutline] = ()
    parent: Session | None = None
    for part in parts:
        doubled = part.session.end_reason == "compression" and not by_uid(part.outlines)
        segments = split(part.outlines, previous, part.rotated, doubled)
        if not found and segments:
            segments[0] = _as_branched(segments[0], held_by_parent)
        if not segments and part.rotated:
            # The compaction happened, but its rows were never written, or belong to a failed turn.
            segments = [Segment((), BoundaryMode.ROTATION)]
        found += [(part.session, parent, segment) for segment in segments]
        previous = segments[-1].outlines if segments and segments[-1].outlines else previous
        parent = part.session
    return found


def _as_branched(segment: Segment, held_by_parent: Callable[[], frozenset[str]]) -> Segment:
    """A branch starts with its parent's summary, so no compaction happened here."""
    outline = segment.summary_outline
    if segment.mode is not BoundaryMode.REWRITE or outline is None or outline.summary is None:
        return segment
    return replace(segment, mode=None, summary=None) if outline.summary.body in held_by_parent() else segment


def _summaries_of_parent(
    connection: sqlite3.Connection, schema: Schema, lineage: Lineage, root: str
) -> frozenset[str]:
    parent = lineage.links[root].parent_id
    outlines = read_outlines(connection, schema, parent) if parent is not None else []
    return frozenset(outline.summary.body for outline in outlines if outline.summary)


def missing_rows(session: Session, outlines: Sequence[RowOutline], name: str = "the session") -> str | None:
    """What to say when a session counts more live messages than can be read; None if all are there.

    A compaction sets `message_count` to the live rows, and each later row increments it. Taking a turn back
    does not change it (0.16 and later), so the count may include rows that were taken back.
    """
    counted, archived = session.messages, RowState.ARCHIVED
    if counted is None or counted <= sum([outline.state is not archived for outline in outlines]):
        return None
    live = sum(outline.state is RowState.LIVE for outline in outlines)
    return (
        f"{name} counts {counted:,} live messages, {live:,} of them could be read: "
        "the database may be damaged; `doctor --integrity` checks it"
    )


def unnumbered_rows(outlines: Sequence[RowOutline], name: str = "the session") -> str | None:
    """What to say of rows whose id is not a number, which only a hand-made table holds."""
    count = sum([not isinstance(outline.id, int) for outline in outlines])
    if not count:
        return None
    rows = plural(count, "message")
    return f"{name} holds {rows} without a number for an id, which are left out"


def lost_tail(segments: Sequence[Segment]) -> tuple[int, ...]:
    """Ids of the rows after the last copied one that the newest compaction neither summarised nor kept."""
    if len(segments) < 2 or segments[-1].mode is not BoundaryMode.IN_PLACE or not segments[-1].tail:
        return ()
    if segments[-1].taken_back:
        return ()  # they were kept, and then taken back by the user
    newest = segments[-1]
    copied = [one for one in newest.outlines[newest.summary or 0 :] if one.id in newest.copies]
    last = copied[-1].key if copied else None
    return tuple(outline.id for outline in lost_behind(segments[-2].outlines, last))


def block_end(segment: Segment) -> int:
    """How many rows of a generation its compaction wrote; the others came later."""
    copied = [index for index, outline in enumerate(segment.outlines) if outline.id in segment.copies]
    return max([*copied, segment.summary if segment.summary is not None else -1]) + 1


def of_same_size(found: Sequence[Found]) -> frozenset[int]:
    """Indices of segments that began with as many rows as were before them and no other summary.

    Results were shortened; an engine may also write a row anew, which is then no copy.
    """
    return frozenset(
        at
        for at, ((before, _, closed), (session, _, segment)) in enumerate(pairwise(found), start=1)
        if session is before and _is_of_same_size(segment, closed)
    )


def _is_of_same_size(segment: Segment, closed: Segment) -> bool:
    known = {outline.summary.body for outline in closed.outlines if outline.summary}
    outline = segment.summary_outline
    anew = outline is not None and (outline.summary is None or outline.summary.body not in known)
    in_place = segment.mode is BoundaryMode.IN_PLACE and not anew
    return in_place and block_end(segment) == len(closed.outlines)
