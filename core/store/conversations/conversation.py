"""Reads a conversation: the sessions of one thread, and the generations over all of them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from core.errors import NotFoundError
from core.model.finding import Evidence, Source
from core.model.transcript.conversation import Boundary, BoundaryMode, Conversation, Generation, OwnCompaction
from core.model.transcript.message import RowState
from core.model.transcript.session import Kind, Session
from core.store.database.open_database import Schema
from core.store.generations.row_outline import RowOutline, by_uid
from core.store.generations.segments import (
    Found,
    Part,
    block_end,
    lost_tail,
    missing_rows,
    of_same_size,
    read_segments,
    unnumbered_rows,
)
from core.store.generations.split import Segment
from core.store.lineage.families import family_of
from core.store.lineage.lineage import Lineage
from core.store.rows.decode import moment, read_first_words
from core.support.formatting import plural
from core.support.own_files import journal_file

_OURS = "legacy"
"""The family of the marker that begins the summaries this program writes."""
_SET_BACK = timedelta(minutes=10)
"""Rows of a long turn may be saved after what it compacted, with the times at which they were made."""


def read_conversation(
    connection: sqlite3.Connection, schema: Schema, path: Path, session_id: str
) -> Conversation | None:
    """The whole thread a session belongs to; None when there is no such session."""
    lineage = family_of(connection, schema, session_id)
    if lineage is None:
        return None
    ids = lineage.path(session_id)
    parts, segments = read_segments(connection, schema, lineage, ids, path)
    target, reason = lineage.resume(ids[0])
    named = any(part.session.title for part in parts)
    began = {} if named else read_first_words(connection, schema, (ids[0], ids[-1]))
    ours = _own_compactions(connection, path) if any(one.mode for _, _, one in segments) else ()
    rewound = RowState.REWOUND
    return Conversation(
        sessions=tuple(part.session for part in parts),
        generations=_generations(segments, schema, ours),
        resume_target=target,
        resume_reason=reason,
        rewound=tuple([one.id for part in parts for one in part.outlines if one.state is rewound]),
        notes=(*_missing(parts), *_notes(lineage, session_id, segments)),
        first_words=began.get(ids[0]) or began.get(ids[-1], ""),
        lost_tail=_lost_of(parts[-1].session.id, segments) if parts and schema.archives else (),
        lost_earlier=tuple(_lost_before(segments)) if schema.archives else (),
        forks=_forks(lineage, session_id),
    )


def numbered_generation(conversation: Conversation, index: int) -> Generation:
    """One generation of a conversation; they count from 1.

    Raises:
        NotFoundError: There is none of that number.
    """
    for generation in conversation.generations:
        if generation.index == index:
            return generation
    remedy = f"The conversation has {len(conversation.generations)}"
    raise NotFoundError(f"no generation {index}", where=conversation.root.id, remedy=remedy)


def _forks(lineage: Lineage, session_id: str) -> dict[str, tuple[str, ...]]:
    """Each session of a family that several others continue, with those others."""
    continued: dict[str, list[str]] = defaultdict(list)
    for link, _ in lineage.family(session_id):
        if link.parent_id is not None and lineage.kind(link.id) is Kind.CONTINUATION:
            continued[link.parent_id].append(link.id)
    return {parent: tuple(ids) for parent, ids in continued.items() if len(ids) > 1}


def _own_compactions(connection: sqlite3.Connection, path: Path) -> tuple[OwnCompaction, ...]:
    if not journal_file(path).exists():
        return ()
    from core.store.database.own_changes import own_compactions  # few write with this program

    return own_compactions(connection, path)


def read_lost_tail(
    connection: sqlite3.Connection, schema: Schema, session_id: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Rows of a session that a partial compression lost, and the live rows written after that."""
    lineage = family_of(connection, schema, session_id)
    if lineage is None or not schema.archives:
        return (), ()
    _, found = read_segments(connection, schema, lineage, lineage.path(session_id))
    own = [segment for session, _, segment in found if session.id == session_id]
    lost = lost_tail(own)
    later = own[-1].outlines[block_end(own[-1]) :] if lost else ()
    return lost, tuple(outline.id for outline in later)


def _generations(
    segments: Sequence[Found], schema: Schema, ours: Sequence[OwnCompaction]
) -> tuple[Generation, ...]:
    seen: set[int] = set()
    same_size = of_same_size(segments)
    found = []
    for index, (session, parent, segment) in enumerate(segments, start=1):
        copies = set[int]() if by_uid(segment.outlines) else set(segment.copies)
        for outline in segment.outlines:
            if outline.uid:
                if outline.uid in seen:
                    copies.add(outline.id)
                seen.add(outline.uid)
        order = _load_order(segment.outlines, schema)
        found.append(
            Generation(
                index=index,
                session_id=session.id,
                row_ids=order,
                copies=len(copies),
                boundary=_boundary(segment, parent, ours, same_size=index - 1 in same_size),
                copy_ids=tuple(one for one in order if one in copies),
                unseen=_unseen(segments[index - 1 : index + 1]),
            )
        )
    return tuple(found)


def _unseen(segments: Sequence[Found]) -> frozenset[int] | None:
    """For a segment and the one after it; see `Generation.unseen`."""
    session, _, closed = segments[0]
    return closed.unseen.union(_lost_of(session.id, segments)) if closed.unseen is not None else None


def _load_order(outlines: Sequence[RowOutline], schema: Schema) -> tuple[int, ...]:
    if schema.orders_by_time:
        outlines = sorted(outlines, key=lambda outline: (outline.timestamp or 0.0, outline.id))
    return tuple([outline.id for outline in outlines])


def _boundary(
    segment: Segment, parent: Session | None, ours: Sequence[OwnCompaction], *, same_size: bool
) -> Boundary | None:
    if segment.mode is None:
        return None
    outline = segment.summary_outline
    first = outline or next(iter(segment.outlines), None)
    place = f"message {first.id}" if first else "sessions"
    merged = bool(outline and outline.summary and outline.summary.merged)
    written = outline.id if outline and outline.summary and outline.summary.family == _OURS else None
    own = next((own for own in ours if written in own.rows), None)
    return Boundary(
        mode=segment.mode,
        at=_commit_time(segment, parent, merged) if own is None else own.at,
        summary_row=outline.id if outline else None,
        head_rows=segment.head,
        tail_rows=segment.tail,
        merged=merged,
        taken_back=segment.taken_back,
        evidence=(Evidence(Source.DATABASE, place, _boundary_words(segment, merged)),),
        own=own,
        same_size=same_size,
    )


def _commit_time(segment: Segment, parent: Session | None, merged: bool) -> datetime | None:
    if segment.mode is BoundaryMode.ROTATION and parent is not None and parent.ended_at is not None:
        return parent.ended_at
    outline, end = segment.summary_outline, block_end(segment) or 1
    if outline is not None and not merged and outline.id not in segment.copies:
        times = [outline.timestamp]
    else:
        # A copy keeps the time of its original, so the newest of the block is nearer.
        times = [other.timestamp for other in segment.outlines[:end]]
    written = max((at for at in map(moment, times) if at is not None), default=None)
    if segment.mode is BoundaryMode.REWRITE:  # later rows may be copies, which keep their old times
        return written
    answered = next(
        (moment(one.timestamp) for one in segment.outlines[end:] if one.role == "assistant"), None
    )
    # Hermes stamps a block's rows in order, so a clock that was set back shows only after the block.
    back = written is not None and answered is not None and written - answered > _SET_BACK
    return answered if back else written


def _boundary_words(segment: Segment, merged: bool) -> str:
    if not segment.outlines:
        return "a continuation without messages"
    if segment.summary is None:
        return f"no summary; {segment.head} rows stored once more"
    kind = "the summary, in the row of a message that was kept" if merged else "the summary"
    if segment.mode is BoundaryMode.REWRITE:
        return f"{kind}; the rows it replaced are gone"
    places = ((segment.head, "before it"), (segment.tail, "behind it"))
    copied = " and ".join(f"{count} {where}" for count, where in places if count)
    return f"{kind}; rows copied: {copied or 'none'}"


def _missing(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        name = part.session.id if len(parts) > 1 else "the session"
        notes = missing_rows(part.session, part.outlines, name), unnumbered_rows(part.outlines, name)
        yield from (note for note in notes if note is not None)


def _lost_of(session_id: str, segments: Sequence[Found]) -> tuple[int, ...]:
    """Rows of a session that a partial compression should have kept but lost."""
    return lost_tail([segment for session, _, segment in segments if session.id == session_id])


def _lost_before(segments: Sequence[Found]) -> Iterator[tuple[int, ...]]:
    """The same for each partial compression that another compaction has followed."""
    for (session, _, closed), (other, _, opened) in pairwise(segments[:-1]):
        lost = lost_tail((closed, opened)) if session.id == other.id else ()
        if lost:
            yield lost


def _notes(lineage: Lineage, session_id: str, segments: Sequence[Found]) -> list[str]:
    notes = []
    if lineage.cycle(session_id):
        notes.append("The sessions of this thread name each other as parents; the circle was cut")
    for session, _, segment in segments:
        if segment.repeated:
            again = plural(segment.repeated, "message")
            notes.append(f"{session.id} holds {again} twice, counted once")
        if segment.mode is BoundaryMode.REWRITE:
            notes.append(f"{session.id} begins with a summary; the rows it replaced are not in the database")
    own = defaultdict[str, list[Found]](list)
    for found in segments:
        own[found[0].id].append(found)
    for one, those in own.items():
        if lost := _lost_of(one, those):
            kept = plural(len(lost), "message")
            notes.append(f"a partial compression of {one} lost {kept} that it was to keep")
    return notes
