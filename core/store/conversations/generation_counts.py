"""The family tree of a session, and how many generations each session holds.

Most sessions were compacted at most once: two sums and the position of one row then give the number. Where
such a quick look is not enough (copied rows, several summaries, one near the start), the session is read and
split as everywhere else.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.hermes.markers.markers import MAX_HEAD_LINES, PREFILTERS, is_summary, shares_row
from core.model.transcript.session import Kind
from core.store.conversations.conversation_query import is_lower_bound
from core.store.database.connect import chunks
from core.store.database.open_database import Schema
from core.store.lineage.families import family_of
from core.store.lineage.lineage import Lineage, Link
from core.store.rows.decode import HOLDS_SUMMARY, is_plain
from core.store.rows.sessions import read_sessions
from core.store.rows.usage import read_usage, unbooked_calls

if TYPE_CHECKING:
    from core.model.transcript.conversation import Chain, ChainNode
    from core.model.transcript.session import Session
    from core.model.transcript.storage import UsageRow

_BLANKS = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""The characters that `str.strip` removes."""
# A summary begins with a bracket; JSON content begins with NUL, at which SQLite ends the text.
_MAY_BE_SUMMARY = (
    "CASE WHEN role IN ('user', 'assistant') AND substr(ltrim(content, ?), 1, 1) IN ('[', '') "
    f"THEN {HOLDS_SUMMARY} ELSE 0 END"
)
_LOOKED_FOR = (_BLANKS, *PREFILTERS)


class Count(NamedTuple):
    """How many generations there are.

    Attributes:
        lost: The first begins with a summary of rows that are gone, so there were earlier compactions.
        pruned: The generations that began when old results were shortened without a summary.
    """

    generations: int = 0
    lost: bool = False
    pruned: int = 0

    @property
    def compactions(self) -> int:
        """How many of them a compaction began; a lower bound if some are lost."""
        return max(0, self.generations - self.pruned - (not self.lost))


def together(counts: Sequence[Count]) -> Count:
    """The count for a thread from those of its sessions; the first may never have been written to."""
    unwritten = len(counts) > 1 and not counts[0].generations
    lost = unwritten or (bool(counts) and counts[0].lost)
    return Count(sum(one.generations for one in counts), lost, sum(one.pruned for one in counts))


class _Glance(NamedTuple):
    """What a quick look at one session found.

    Attributes:
        rows: Rows that were not taken back.
        summaries: The position of each summary among them, and whether it may share its row.
        clear: Nothing needs a closer look: no row is stored twice, no summary is doubtful.
    """

    rows: int = 0
    summaries: tuple[tuple[int, bool], ...] = ()
    clear: bool = True


def count_generations(
    connection: sqlite3.Connection, schema: Schema, lineage: Lineage, session_ids: Iterable[str]
) -> Mapping[str, Count]:
    """How many generations each session holds, each counted within its own thread."""
    threads: list[tuple[str, ...]] = []
    seen: dict[str, None] = {}
    for one in session_ids:
        if one not in seen:
            threads.append(lineage.path(one))
            seen |= dict.fromkeys(threads[-1])
    glances = _glance_at(connection, schema, list(seen))
    counts: dict[str, Count] = {}
    for thread in threads:
        counts |= _counts_of_thread(thread, lineage, glances) or _split(connection, schema, lineage, thread)
    return counts


def _counts_of_thread(
    thread: Sequence[str], lineage: Lineage, glances: Mapping[str, _Glance]
) -> dict[str, Count] | None:
    """The counts for a thread's sessions; None where only splitting them can tell."""
    counts: dict[str, Count] = {}
    summarised = False
    for one in thread:
        glance = glances.get(one, _Glance())
        if glance.summaries and lineage.orphan(one):
            return None
        count = _generations(glance, lineage.kind(one) is Kind.CONTINUATION, summarised)
        if count is None:
            return None
        counts[one] = Count(count)
        summarised = summarised or bool(glance.summaries)
    return counts


def _generations(glance: _Glance, rotated: bool, summarised: bool) -> int | None:
    """The generations of one session; None where only splitting it can tell."""
    if not glance.clear or len(glance.summaries) > 1:
        return None
    if not glance.summaries:
        return 1 if glance.rows or rotated else 0
    ((place, shared),) = glance.summaries
    if place == 0 and rotated:
        return 1
    copied = rotated and (summarised or shared)
    return 2 if place > MAX_HEAD_LINES and not copied else None


def _split(
    connection: sqlite3.Connection, schema: Schema, lineage: Lineage, thread: Sequence[str]
) -> dict[str, Count]:
    # Splitting imports a dozen modules that most lists do not need.
    from core.store.generations.segments import of_same_size, read_segments

    found = read_segments(connection, schema, lineage, thread)[1]
    counts = Counter(session.id for session, _, _ in found)
    lost = bool(found) and found[0][2].mode is not None
    same_size = of_same_size(found) if schema.marks_summaries else ()  # older releases never only shorten
    pruned = Counter(found[at][0].id for at in same_size)
    return {one: Count(counts[one], lost and one == found[0][0].id, pruned[one]) for one in thread}


def _glance_at(
    connection: sqlite3.Connection, schema: Schema, session_ids: Sequence[str]
) -> dict[str, _Glance]:
    candidate = f"(_compressed_summary OR {_MAY_BE_SUMMARY})" if schema.marks_summaries else _MAY_BE_SUMMARY
    twice = "0"
    if schema.has_uids:
        twice = "count(nullif(message_uid, '')) - count(DISTINCT nullif(message_uid, ''))"
    archived = "sum(coalesce(compacted, 0) <> 0)" if schema.archives else "0"
    found: dict[str, _Glance] = {}
    for chunk in chunks(session_ids):
        query = (
            f"SELECT session_id, sum({_kept(schema)}), {twice}, sum({candidate}), {archived} "  # noqa: S608
            f"FROM messages WHERE session_id IN ({', '.join('?' * len(chunk))}) GROUP BY session_id"
        )
        for one, rows, repeated, likely, away in connection.execute(query, (*_LOOKED_FOR, *chunk)).fetchall():
            silent = away and not likely  # archived by a compaction that left no summary
            glance = _Glance(int(rows or 0), clear=not repeated and not silent)
            found[str(one)] = (
                _with_summaries(connection, schema, one, glance, candidate) if likely else glance
            )
    return found


def _with_summaries(
    connection: sqlite3.Connection, schema: Schema, session_id: str, glance: _Glance, candidate: str
) -> _Glance:
    place = (
        "SELECT count(*) FROM messages AS earlier WHERE earlier.session_id = found.session_id "  # noqa: S608
        f"AND earlier.id < found.id AND {_kept(schema, 'earlier.')}"
    )
    query = (
        f"SELECT content, ({place}) "  # noqa: S608 - names from the schema
        f"FROM messages AS found WHERE session_id = ? AND {candidate} AND {_kept(schema)} ORDER BY id"
    )
    rows = connection.execute(query, (session_id, *_LOOKED_FOR)).fetchall()
    plain = not schema.marks_summaries and all(is_plain(content) for content, _ in rows)
    summaries = tuple(
        (place, shares_row(content)) for content, place in rows if plain and is_summary(content)
    )
    return glance._replace(summaries=summaries, clear=glance.clear and plain)


def _kept(schema: Schema, prefix: str = "") -> str:
    """SQL for a row that was not taken back."""
    if not schema.keeps_rows:
        return "1"
    archived = f" OR coalesce({prefix}compacted, 0) <> 0" if schema.archives else ""
    return f"(coalesce({prefix}active, 1) <> 0{archived})"


def read_chain(connection: sqlite3.Connection, schema: Schema, path: Path, session_id: str) -> Chain | None:
    """All sessions related to one; None when there is no such session."""
    from core.model.transcript.conversation import Chain  # a list of sessions needs none

    lineage = family_of(connection, schema, session_id)
    if lineage is None:
        return None
    family = lineage.family(session_id)
    links = [link for link, _ in family]
    sessions = read_sessions(connection, schema, path, [link.id for link in links])
    counts = count_generations(connection, schema, lineage, [link.id for link in links])
    short = unbooked_calls(connection, schema, path, list(sessions))
    beside = _side_tasks(read_usage(connection, schema, list(sessions)))
    target, reason = lineage.resume(session_id)
    thread = lineage.path(session_id)
    return Chain(
        root=thread[0],
        tip=thread[-1],
        resume_target=target,
        resume_reason=reason,
        nodes=tuple(
            _node(sessions[link.id], depth, lineage, counts[link.id], beside[link.id], short)
            for link, depth in family
            if link.id in sessions
        ),
        findings=tuple(_findings(lineage, links, session_id)),
    )


def _node(
    session: Session,
    depth: int,
    lineage: Lineage,
    count: Count,
    beside: Sequence[UsageRow],
    short: Collection[str],
) -> ChainNode:
    from core.model.transcript.conversation import ChainNode

    return ChainNode(
        session=session,
        kind=lineage.kind(session.id),
        parent_id=lineage.links[session.id].parent_id,
        depth=depth,
        generations=count.generations,
        lost=count.lost,
        pruned=count.pruned,
        orphan=lineage.orphan(session.id),
        beside=tuple(beside),
        lower_bound=is_lower_bound(session, short),
    )


def _side_tasks(rows: Iterable[UsageRow]) -> Mapping[str, list[UsageRow]]:
    """The usage of everything but the main loop, by session."""
    found: dict[str, list[UsageRow]] = defaultdict(list)
    for row in rows:
        if row.task:
            found[row.session_id].append(row)
    return found


def _findings(lineage: Lineage, family: list[Link], session_id: str) -> Iterator[str]:
    if lineage.cycle(session_id):
        yield "the parents of these sessions form a circle, which was cut"
    for link in family:
        rivals = lineage.successors(link.id)
        if link.end_reason == "compression" and not rivals:
            yield f"{link.id} ended in a compression, but no session continues it"
        if len(rivals) > 1:
            yield f"{link.id} is continued {len(rivals)} times: {lineage.why_preferred(link.id)}"
        if lineage.orphan(link.id):
            yield f"{link.id} names a parent that is not in this database: {link.parent_id}"
        if lineage.kind(link.id) is Kind.CONTINUATION and not lineage.has_messages(link.id):
            yield f"{link.id} continues a conversation, but holds no messages"
