"""A conversation: the sessions of one thread, and the generations over all of them."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from core.model.conversation import Boundary, BoundaryMode, Conversation, Generation
from core.model.evidence import Evidence, Source
from core.model.message import RowState
from core.model.session import Kind, Session
from core.store.completeness import missing_rows
from core.store.decode import moment
from core.store.families import family_of
from core.store.first_words import read_first_words
from core.store.generations import Segment, by_uid, split
from core.store.lineage import Lineage
from core.store.lost_tail import block_end, lost_tail
from core.store.schema import Schema
from core.store.sessions import read_sessions
from core.store.skeleton import Bone, add_keys, read_bones, text_key


@dataclass(frozen=True, slots=True)
class _Part:
    """One session of the thread with its rows."""

    session: Session
    bones: tuple[Bone, ...]
    rotated: bool


_Found = tuple[Session, Session | None, Segment]
"""A segment, its session, and the session that one continues."""


def read_conversation(
    connection: sqlite3.Connection, schema: Schema, path: Path, session_id: str
) -> Conversation | None:
    """The whole thread a session belongs to; None when there is no such session."""
    lineage = family_of(connection, schema, session_id)
    if lineage is None:
        return None
    ids = lineage.path(session_id)
    parts, segments = _read_segments(connection, schema, lineage, ids, path)
    target, reason = lineage.resume(ids[0])
    named = any(part.session.title for part in parts)
    return Conversation(
        sessions=tuple(part.session for part in parts),
        generations=_generations(segments, schema),
        resume_target=target,
        resume_reason=reason,
        rewound=tuple(bone.id for part in parts for bone in part.bones if bone.state is RowState.REWOUND),
        notes=(*_missing(parts), *_notes(lineage, session_id, segments)),
        first_words="" if named else read_first_words(connection, schema, ids[:1]).get(ids[0], ""),
    )


def thread_counts(
    connection: sqlite3.Connection, schema: Schema, lineage: Lineage, thread: Sequence[str]
) -> Counter[str]:
    """How many generations each session of a thread holds."""
    return Counter(session.id for session, _, _ in _read_segments(connection, schema, lineage, thread)[1])


def read_lost_tail(
    connection: sqlite3.Connection, schema: Schema, session_id: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Rows of a session that a partial compression lost, and the live rows written after that."""
    lineage = family_of(connection, schema, session_id)
    if lineage is None or not schema.archives:
        return (), ()
    _, found = _read_segments(connection, schema, lineage, lineage.path(session_id))
    own = [segment for session, _, segment in found if session.id == session_id]
    lost = lost_tail(own)
    later = own[-1].bones[block_end(own[-1]) :] if lost else ()
    return lost, tuple(bone.id for bone in later)


def _read_segments(
    connection: sqlite3.Connection, schema: Schema, lineage: Lineage, ids: Sequence[str], path: Path = Path()
) -> tuple[list[_Part], list[_Found]]:
    sessions = read_sessions(connection, schema, path, ids)
    parts = _read_parts(connection, schema, lineage, [sessions[one] for one in ids if one in sessions])
    live = [replace(part, bones=_kept(part.bones)) for part in parts]
    return parts, _segments(live, lambda: _summaries_of_parent(connection, schema, lineage, ids[0]))


def _read_parts(
    connection: sqlite3.Connection, schema: Schema, lineage: Lineage, sessions: Sequence[Session]
) -> list[_Part]:
    parts = []
    for session in sessions:
        bones = read_bones(connection, schema, session.id)
        compacted = any(bone.summary or bone.flagged or bone.state is RowState.ARCHIVED for bone in bones)
        chained = len(sessions) > 1 or session.end_reason == "compression"
        if (compacted or chained) and not by_uid(bones):
            add_keys(connection, schema, session.id, bones)
            _unwrap_merged(bones)
        rotated = lineage.kind(session.id) is Kind.CONTINUATION or (compacted and lineage.orphan(session.id))
        parts.append(_Part(session, tuple(bones), rotated))
    return parts


def _unwrap_merged(bones: Sequence[Bone]) -> None:
    """A row that holds a summary and a message of the tail is compared by that message."""
    for bone in bones:
        if bone.summary and bone.summary.merged and isinstance(bone.key, tuple):
            bone.key = (*bone.key[:-1], text_key(bone.summary.before or bone.summary.after))


def _kept(bones: Sequence[Bone]) -> tuple[Bone, ...]:
    return tuple(bone for bone in bones if bone.state is not RowState.REWOUND)


def _segments(parts: Sequence[_Part], held_by_parent: Callable[[], frozenset[str]]) -> list[_Found]:
    found: list[_Found] = []
    previous: Sequence[Bone] = ()
    parent: Session | None = None
    for part in parts:
        doubled = part.session.end_reason == "compression" and not by_uid(part.bones)
        segments = split(part.bones, previous, part.rotated, doubled)
        if not found and segments:
            segments[0] = _as_branched(segments[0], held_by_parent)
        if not segments and part.rotated:
            # The compaction happened; its rows were never written, or belong to a turn that failed.
            segments = [Segment((), BoundaryMode.ROTATION)]
        found += [(part.session, parent, segment) for segment in segments]
        previous = segments[-1].bones if segments and segments[-1].bones else previous
        parent = part.session
    return found


def _as_branched(segment: Segment, held_by_parent: Callable[[], frozenset[str]]) -> Segment:
    """A branch starts with its parent's summary; no compaction happened here."""
    bone = segment.summary_bone
    if segment.mode is not BoundaryMode.REWRITE or bone is None or bone.summary is None:
        return segment
    return replace(segment, mode=None, summary=None) if bone.summary.body in held_by_parent() else segment


def _summaries_of_parent(
    connection: sqlite3.Connection, schema: Schema, lineage: Lineage, root: str
) -> frozenset[str]:
    parent = lineage.links[root].parent_id
    bones = read_bones(connection, schema, parent) if parent is not None else []
    return frozenset(bone.summary.body for bone in bones if bone.summary)


def _generations(segments: Sequence[_Found], schema: Schema) -> tuple[Generation, ...]:
    seen: set[str] = set()
    found = []
    for index, (session, parent, segment) in enumerate(segments, start=1):
        copies = set(segment.copies)
        if by_uid(segment.bones):
            copies = set()
        for bone in segment.bones:
            if bone.uid:
                if bone.uid in seen:
                    copies.add(bone.id)
                seen.add(bone.uid)
        order = _load_order(segment.bones, schema)
        found.append(
            Generation(
                index=index,
                session_id=session.id,
                row_ids=order,
                copies=len(copies),
                boundary=_boundary(segment, parent),
                copy_ids=tuple(one for one in order if one in copies),
            )
        )
    return tuple(found)


def _load_order(bones: Sequence[Bone], schema: Schema) -> tuple[int, ...]:
    if schema.orders_by_time:
        bones = sorted(bones, key=lambda bone: (bone.timestamp or 0.0, bone.id))
    return tuple(bone.id for bone in bones)


def _boundary(segment: Segment, parent: Session | None) -> Boundary | None:
    if segment.mode is None:
        return None
    bone = segment.summary_bone
    merged = bool(bone and bone.summary and bone.summary.merged)
    return Boundary(
        mode=segment.mode,
        at=_when(segment, parent, merged),
        summary_row=bone.id if bone else None,
        head_rows=segment.head,
        tail_rows=segment.tail,
        merged=merged,
        evidence=(Evidence(Source.DATABASE, _where(segment), _why(segment, merged)),),
    )


def _when(segment: Segment, parent: Session | None, merged: bool) -> datetime | None:
    if segment.mode is BoundaryMode.ROTATION and parent is not None and parent.ended_at is not None:
        return parent.ended_at
    bone = segment.summary_bone
    if bone is not None and not merged:
        times = [bone.timestamp]
    else:
        # A copy keeps the time of its original: the newest of the block is nearer.
        times = [other.timestamp for other in segment.bones[: _block_end(segment)]]
    return max((at for at in map(moment, times) if at is not None), default=None)


def _block_end(segment: Segment) -> int:
    """Where the rows of the compaction end, as far as its copies show."""
    if segment.summary is not None:
        return segment.summary + segment.tail + 1
    return max((at for at, bone in enumerate(segment.bones, 1) if bone.id in segment.copies), default=1)


def _where(segment: Segment) -> str:
    bone = segment.summary_bone or next(iter(segment.bones), None)
    return f"message {bone.id}" if bone else "sessions"


def _why(segment: Segment, merged: bool) -> str:
    if not segment.bones:
        return "a continuation without messages"
    if segment.summary is None:
        return f"no summary; {segment.head} rows stored once more"
    kind = "summary merged into a message" if merged else "summary"
    return f"{kind}; {segment.head} copies before it, {segment.tail} behind it"


def _missing(parts: Sequence[_Part]) -> Iterator[str]:
    for part in parts:
        name = part.session.id if len(parts) > 1 else "the session"
        note = missing_rows(part.session, part.bones, name)
        if note is not None:
            yield note


def _notes(lineage: Lineage, session_id: str, segments: Sequence[_Found]) -> list[str]:
    notes = []
    if lineage.cycle(session_id):
        notes.append("The sessions of this thread name each other as parents; the circle was cut")
    for session, _, segment in segments:
        if segment.repeated:
            notes.append(f"{session.id} holds {segment.repeated} messages twice; they count once")
        if segment.mode is BoundaryMode.REWRITE:
            notes.append(f"{session.id} was rewritten; what its summary replaced is gone")
    for one in dict.fromkeys(session.id for session, _, _ in segments):
        lost = lost_tail([segment for session, _, segment in segments if session.id == one])
        if lost:
            notes.append(f"a partial compression of {one} was to keep {len(lost)} messages, and lost them")
    return notes
