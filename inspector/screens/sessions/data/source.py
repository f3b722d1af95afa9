"""Reads the conversations of one or several databases in one order, page by page."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from core.errors import InspectorError
from core.model.transcript.session import ConversationRow, Kind, ListQuery
from core.store.conversations.session_lists import ConversationLists
from core.store.conversations.sort_order import place
from core.store.database.connect import Cancelled, noting
from core.store.database.locate import Location
from inspector.screens.sessions.data.columns import PROFILE
from inspector.screens.sessions.data.order import CHATS, FIRST, Order, SourcePage
from inspector.screens.sessions.data.session_line import Key, SessionLine


def read_first(locations: Sequence[Location], cancelled: Cancelled | None = None) -> SourcePage:
    """The newest conversations, found by reading only a few of them."""
    order = Order()
    runs: list[list[SessionLine]] = []
    for location in locations:
        reported_later: list[InspectorError] = []  # by the complete list, which follows
        with noting(reported_later), ConversationLists(location, cancelled=cancelled) as store:
            runs.append([SessionLine(location, row) for row in store.newest(FIRST, CHATS)])
    # Behind the end of one database's run, its unread rows would mix with those of another.
    most = min((len(run) for run in runs if run), default=0)
    return SourcePage(order, 0, tuple(_merge(runs, order)[:most]), whole=False)


def read_page(
    locations: Sequence[Location],
    order: Order,
    start: int,
    size: int,
    *,
    totals: Mapping[Location, int] | None = None,
    cancelled: Cancelled | None = None,
) -> SourcePage:
    """Read `size` conversations from `start`; a database that fails is reported.

    `totals`, from an earlier page of the same order, are needed to read a reversed order.
    """
    runs: list[list[SessionLine]] = []
    counts: dict[Location, int] = {}
    errors: list[InspectorError] = []
    alone = len(locations) == 1
    for location in locations:
        first, most = (start, size) if alone else (0, start + size)
        with noting(errors):
            rows, counts[location] = _read(location, order, first, most, totals, cancelled)
            runs.append([SessionLine(location, row) for row in rows])
    merged = runs[0] if alone and runs else _merge(runs, order)[start : start + size]
    return SourcePage(order, start, tuple(merged), counts, tuple(errors))


def read_keys(
    locations: Sequence[Location], order: Order, cancelled: Cancelled | None = None
) -> tuple[list[Key], tuple[InspectorError, ...]]:
    """The key of every conversation of a list, newest first per database, and the databases that failed."""
    keys: list[Key] = []
    errors: list[InspectorError] = []
    for location in locations:
        with noting(errors), ConversationLists(location, cancelled=cancelled) as store:
            roots = store.conversation_ids(ListQuery(text=order.text or None, kinds=_kinds(order)))
            keys += [(location, root) for root in roots]
    return keys, tuple(errors)


def read_ranked(keys: Sequence[Key], cancelled: Cancelled | None = None) -> Iterator[SessionLine]:
    """The conversations with these keys, in their order; missing ones are left out."""
    found: dict[Key, SessionLine] = {}
    for location in dict.fromkeys(location for location, _ in keys):
        with ConversationLists(location, cancelled=cancelled) as store:
            rows = store.conversations_of([root for where, root in keys if where == location])
        found |= {line.key: line for line in (SessionLine(location, row) for row in rows)}
    return (found[key] for key in keys if key in found)


def _read(
    location: Location,
    order: Order,
    start: int,
    size: int,
    totals: Mapping[Location, int] | None,
    cancelled: Cancelled | None,
) -> tuple[Iterable[ConversationRow], int]:
    with ConversationLists(location, cancelled=cancelled) as store:
        sort = "last_active" if order.sort == PROFILE else order.sort
        wanted = ListQuery(size, start, sort=sort, text=order.text or None, kinds=_kinds(order))
        if order.natural:
            page = store.conversations(wanted)
            return page.rows, page.total
        total = (totals or {}).get(location)
        if total is None:
            total = store.conversations(replace(wanted, limit=0)).total
        end = max(0, total - start)
        first = max(0, end - size)
        page = store.conversations(replace(wanted, limit=end - first, offset=first))
        return tuple(reversed(page.rows)), page.total


def _kinds(order: Order) -> frozenset[Kind] | None:
    # A filter searches all kinds, so that anything searched by name is found.
    return None if order.delegates or order.text else CHATS


def _merge(runs: Iterable[Sequence[SessionLine]], order: Order) -> list[SessionLine]:
    if order.sort == PROFILE:
        runs_left = (run for run in runs if run)
        return list(
            chain(*sorted(runs_left, key=lambda run: run[0].location.label, reverse=not order.natural))
        )
    merged = heapq.merge(*runs, key=lambda line: place(order.sort, line.row), reverse=not order.natural)
    return list(merged)


def family(line: SessionLine, cancelled: Cancelled) -> tuple[SessionLine, ...]:
    """A line for every other session of a conversation's lineage: its parts, branches, sub-agents."""
    from core.store.store import Store  # the full store, loaded only when a row is unfolded

    with Store(line.location, cancelled=cancelled) as store:
        nodes = store.chain(line.row.tip.id).nodes
    return tuple(SessionLine(line.location, line.row, node.session, node.kind) for node in nodes)
