"""Rows of the session list from one or several databases, and the table for printing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from core.model.transcript.session import ConversationRow, Kind
from core.support import formatting as fmt

if TYPE_CHECKING:
    from datetime import datetime

    from core.model.transcript.session import ListQuery, Session, SessionEntry
    from core.store.conversations.generation_counts import Count
    from core.store.conversations.session_lists import ConversationLists, SessionLists
    from inspector.cli.table import Column

MAX_COUNTED = 1_000
_SIGNS = {
    Kind.CONTINUATION: "sessions that compression continued",
    Kind.BRANCH: "branch",
    Kind.DELEGATE: "sub-agent",
}
"""The signs around a title, explained below the table."""


class Row(NamedTuple):
    """A conversation, represented by its tip, or a single session.

    Attributes:
        line: The conversation, or its one session.
        root, tip: First and last session of the conversation.
        position: Place of the session in its conversation, from 0.
        sessions: How many sessions the conversation has.
        held: Generation counts of the conversation; None if not read.
        preview: The user's first words, for a row without a title; None if not read.
    """

    store: SessionLists
    line: ConversationRow
    root: str
    tip: str
    position: int
    sessions: int
    held: Count | None = None
    preview: str | None = None

    @property
    def session(self) -> Session:
        """The session, or the one that continues the conversation."""
        return self.line.tip

    @property
    def generations(self) -> int | None:
        """How many generations there are; None if not read."""
        return None if self.held is None else self.held.generations


def sessions(store: SessionLists, query: ListQuery) -> tuple[list[Row], int]:
    """One row per session, and how many match without the limit."""
    page = store.sessions(query)
    return [_of_session(store, entry) for entry in page.rows], page.total


def conversations(store: ConversationLists, query: ListQuery) -> tuple[list[Row], int]:
    """One row per conversation, and how many match without the limit."""
    page = store.conversations(query)
    rows = ((row, len(row.sessions)) for row in page.rows)
    return [Row(store, row, row.root.id, row.tip.id, held - 1, held) for row, held in rows], page.total


def with_generations(rows: Sequence[Row]) -> list[Row]:
    """The same rows with their generation counts.

    Counting reads messages, so a list longer than `MAX_COUNTED` is left without.
    """
    if len(rows) > MAX_COUNTED:
        return list(rows)
    counts: dict[tuple[SessionLists, str], Count] = {}
    for store in dict.fromkeys(row.store for row in rows):
        ids = [row.session.id for row in rows if row.store is store]
        numbers = store.thread_generation_counts(ids)
        counts.update({(store, one): number for one, number in zip(ids, numbers, strict=True)})
    return [row._replace(held=counts[row.store, row.session.id]) for row in rows]


def with_previews(rows: Sequence[Row]) -> list[Row]:
    """The same rows; those without a title get their first words, up to `MAX_COUNTED` rows."""
    if len(rows) > MAX_COUNTED:
        return list(rows)
    found: dict[SessionLists, Mapping[str, str]] = {}
    for store in dict.fromkeys(row.store for row in rows):
        found[store] = store.began_with(row.line for row in rows if row.store is store)
    return [row._replace(preview=found[row.store].get(row.line.root.id)) for row in rows]


def table(rows: Sequence[Row], total: int, *, several: bool) -> Iterator[str]:
    """The printed list; `several` databases have the profile of each row named."""
    from inspector.cli.table import lines
    from inspector.terminal.glyphs import KIND, NO_SUMMARY

    if not total:
        yield "no sessions: Hermes has written none, or none matches the filters"
        return
    now = fmt.utc_now()
    yield from lines(_columns(several), (_cells(row, now, several=several) for row in rows))
    shown = f"{len(rows):,} of {total:,}" if len(rows) < total else f"{total:,}"
    more = " · --limit N shows more, --all shows every session" if len(rows) < total else ""
    yield f"{shown} {'row' if total == 1 else 'rows'}{more}"
    kinds = {row.line.kind for row in rows} | {Kind.CONTINUATION for row in rows if row.sessions > 1}
    signs = (f"{KIND[kind]} {words}" for kind, words in _SIGNS.items() if kind in kinds)
    yield from filter(None, (" · ".join(signs),))
    if any(map(_failing, rows)):
        yield f"{NO_SUMMARY} the last summary attempt failed: `why` says what helps"
    if any(row.held and row.held.lost for row in rows):
        yield f"{fmt.LOWER_BOUND} rows of compactions are missing: `why` shows what the log says"
    if any(one.auxiliary_usd is not None for row in rows for one in row.line.sessions):
        yield "tokens without summaries and other side tasks: `usage` adds them"
    if any(row.line.lower_bound for row in rows):
        yield f"{fmt.LOWER_BOUND} not all calls are on record: `usage` says which are missing"


def _columns(several: bool) -> tuple[Column, ...]:
    from inspector.cli.table import Column

    return (
        Column("last"),
        *([Column("profile", varies=True, rank=5)] if several else ()),
        Column("conversation", shrinks=True, least=24),
        Column("source", varies=True, rank=6),
        Column("model", shrinks=True, varies=True, rank=4),
        Column("messages", right=True, rank=3),
        Column("compressions", right=True, varies=True, rank=1),
        Column("tokens", right=True, rank=2),
        Column("cache hit", right=True, rank=7),
        Column("cost", right=True),
        Column("session", rank=9),
    )


def _cells(row: Row, now: datetime, *, several: bool) -> list[str]:
    from core.account.pricing.paid import paid
    from inspector.terminal.glyphs import KIND

    line = row.line
    title = line.title or (f"“{row.preview}”" if row.preview else fmt.UNKNOWN)
    count = f" {KIND[Kind.CONTINUATION]}{row.sessions}" if row.sessions > 1 else ""
    sign = "" if line.kind is Kind.MAIN else f"{KIND[line.kind]} "
    return [
        fmt.age(line.last_active, now),
        *([row.store.location.label] if several else ()),
        f"{sign}{title}{count}",
        row.session.source or fmt.UNKNOWN,
        fmt.model(row.session.model),
        fmt.count(line.messages),
        _compactions(row),
        fmt.tokens(line.tokens.total, lower_bound=line.lower_bound),
        fmt.percent(line.tokens.hit_rate),
        paid(line.usd, line.sessions, lower_bound=line.lower_bound),
        row.session.id,
    ]


def _failing(row: Row) -> bool:
    """Whether the session row says the last attempt failed; failures seen only in the log are findings."""
    return bool(row.session.guards.failure_error)


def _compactions(row: Row) -> str:
    from inspector.terminal.glyphs import NO_SUMMARY
    from inspector.terminal.ink import Ink, inked, joined

    held = row.held
    known = held and fmt.count(held.compactions, mark=fmt.LOWER_BOUND if held.lost else "")
    return joined(known or fmt.UNKNOWN, inked(f" {NO_SUMMARY}" if _failing(row) else "", Ink.CRITICAL))


def _of_session(store: SessionLists, entry: SessionEntry) -> Row:
    one = entry.session
    line = ConversationRow((one,), entry.kind, one.tokens, one.cost, lower_bound=entry.lower_bound)
    return Row(store, line, entry.root, entry.tip, entry.position, entry.sessions)
