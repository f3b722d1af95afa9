"""Maps sessions to conversations, with their delegates, titles and the days they span."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING

from core.account.spending.group import Fields, Group
from core.account.spending.recorded import FORMS, QUARTER, Window
from core.account.spending.sums import finish
from core.model.accounting.amounts import Buckets, Money, add_known
from core.model.accounting.ledger import Ledger, LedgerRow
from core.model.transcript.conversation import both
from core.model.transcript.session import Kind
from core.store.conversations.credentials import learn_shown
from core.store.database.connect import noting, reading
from core.store.database.open_database import OpenDatabase
from core.store.lineage.families import MAX_FAMILY, every_family, family_of
from core.store.lineage.lineage import Lineage

if TYPE_CHECKING:
    from core.store.conversations.session_lists import SessionLists

BY_ID = frozenset(("session", "conversation"))
"""Dimensions of ledgers whose keys are ids."""

WHOLE = BY_ID | FORMS.keys()
"""Dimensions whose rows are shown with their side tasks, which are rows of their own elsewhere."""

MAX_NAMED = 200
"""How many of the largest untitled rows get a name, which requires reading their first messages."""

_LATEST = 10**11
"""Later times, in epoch seconds, are damaged data."""

_NOTHING = Buckets(), Money()
_MONTH = 31 * 86_400.0


@dataclass(frozen=True)
class Threads:
    """The conversations of one store; every session belongs to exactly one."""

    lineage: Lineage

    @cached_property
    def roots(self) -> Mapping[str, str]:
        """The root of every session's conversation: the topmost parent in a chain of continuations."""
        found: dict[str, str] = {}
        for link in self.lineage.links:
            path: list[str] = []
            step = link
            while step not in found and step not in path:
                path.append(step)
                parent = self.lineage.links[step].parent_id
                if parent is None or self.lineage.kind(step) is not Kind.CONTINUATION:
                    break
                step = parent
            root = found.get(step, step)
            found.update(dict.fromkeys(path, root))
        return found

    @cached_property
    def _members(self) -> Mapping[str, Sequence[str]]:
        groups: dict[str, list[str]] = defaultdict(list)
        for one, root in self.roots.items():
            groups[root].append(one)
        starts = {one: link.started_at or 0.0 for one, link in self.lineage.links.items()}
        return {root: sorted(group, key=lambda one: starts[one]) for root, group in groups.items()}

    @cached_property
    def _helpers(self) -> Mapping[str, Sequence[str]]:
        """Delegated conversations by the root of the one that started them."""
        groups: dict[str, list[str]] = defaultdict(list)
        for one, root in self.roots.items():
            parent = self.lineage.links[one].parent_id
            if (
                one == root
                and parent is not None
                and parent in self.roots
                and self.lineage.kind(one) is Kind.DELEGATE
            ):
                groups[self.roots[parent]].append(one)
        return groups

    def root(self, session: str) -> str:
        """The first session of the conversation."""
        return self.roots.get(session, session)

    def members(self, root: str) -> Sequence[str]:
        """Its sessions, oldest first."""
        return self._members.get(root, (root,))

    def forked(self, members: Iterable[str]) -> int:
        """How many sessions several of these continue."""
        continued = Counter(
            self.lineage.links[one].parent_id
            for one in members
            if one in self.lineage.links and self.lineage.kind(one) is Kind.CONTINUATION
        )
        return sum(count > 1 for count in continued.values())

    def delegates(self, root: str) -> tuple[str, ...]:
        """Roots of the delegated conversations below it, including indirect ones, each once."""
        found: dict[str, None] = {}
        waiting = list(self._helpers.get(root, ()))
        while waiting:
            one = waiting.pop()
            if one not in found and one != root:
                found[one] = None
                waiting += self._helpers.get(one, ())
        return tuple(found)


def read_threads(store: OpenDatabase, session: str | None = None) -> Threads:
    """The conversations of a store, or only of a session's family, read from `sessions` only."""
    with reading(store.path):
        if session is not None:
            family = family_of(store.connection, store.schema, session)
            if family is not None and len(family.links) < MAX_FAMILY:
                return Threads(family)
        return Threads(every_family(store.connection, store.schema))


def learn_titles(by: str, store: OpenDatabase, groups: Iterable[Fields]) -> None:
    """Find credentials in titles with the help of the texts of their sessions."""
    if by in BY_ID:
        named = {group.key: group.title for group in map(Group._make, groups) if group.title}
        learn_shown(store.connection, store.schema, store.path, named)


def spent_with_delegates(
    threads: Threads, groups: Iterable[Group], roots: Iterable[str]
) -> dict[str, tuple[Buckets, Money]]:
    """What some conversations that have delegates spent together with them, as recorded, by their roots."""
    delegates = {root: below for root in roots if (below := threads.delegates(root))}
    concerned = {one for root, below in delegates.items() for one in (root, *below)}
    own: dict[str, tuple[Buckets, Money]] = {}
    for group in groups:
        root = threads.root(group.key)
        if root in concerned:
            amount = finish("", "", "", [group], priced=False)
            own[root] = both(own.get(root, _NOTHING), (amount.tokens, amount.recorded))
    return {
        root: reduce(both, [own.get(one, _NOTHING) for one in (root, *below)])
        for root, below in delegates.items()
    }


def with_names(found: Ledger, stores: Iterable[SessionLists]) -> Ledger:
    """A ledger for display: sessions without a title are named by their first message."""
    untitled = [row.key for row in found.rows if not row.label][:MAX_NAMED]
    if found.by not in BY_ID or not untitled:
        return found
    words: dict[str, str] = {}
    for store in stores:
        with noting([]):  # the ledger says which database cannot be read
            words |= store.first_words(untitled)
    rows = (replace(row, label=words[row.key]) if row.key in words else row for row in found.rows)
    return replace(found, rows=tuple(rows))


def whole_rows(found: Ledger) -> Ledger:
    """A ledger with one row per session, conversation, day or hour, its side tasks included.

    Ledgers of other dimensions are unchanged. Days and hours stay in order.
    """
    if found.by not in WHOLE:
        return found
    rows: dict[str, list[LedgerRow]] = defaultdict(list)
    for row in found.rows:
        rows[row.key].append(row)
    together = [same[0] if len(same) == 1 else _together(same) for same in rows.values()]
    if found.by in BY_ID:
        together.sort(key=lambda row: row.rank, reverse=True)
    return replace(found, rows=tuple(together))


def _together(rows: Sequence[LedgerRow]) -> LedgerRow:
    first = min(rows, key=lambda row: bool(row.task))
    statuses = {row.status for row in rows}
    return replace(
        first,
        task="",
        sessions=max(row.sessions for row in rows),
        calls=reduce(add_known, (row.calls for row in rows)),
        tokens=reduce(add, (row.tokens for row in rows)),
        recorded=reduce(add, (row.recorded for row in rows)),
        computed=reduce(add, (row.computed for row in rows)),
        included=reduce(add, (row.included for row in rows)),
        status=statuses.pop() if len(statuses) == 1 else "mixed",
        parts=tuple(part for row in rows for part in row.parts),
        lower_bound=any(row.lower_bound for row in rows),
    )


def overrunning(store: OpenDatabase, window: Window, form: str, zone: tzinfo | None = None) -> int:
    """How many sessions made their last call on another day, or in another hour, than they began.

    `form` is the `strftime` format of a day or hour.
    """
    where, values = window.where()
    query = f"SELECT s.started_at, {_last(store)} FROM sessions s WHERE {where}"  # noqa: S608

    def written(moment: float) -> str:
        return datetime.fromtimestamp(moment, UTC).astimezone(zone).strftime(form)

    count = 0
    for start, last in store.query(query, values):
        sound = all(isinstance(at, int | float) and 0 <= at < _LATEST for at in (start, last))
        if sound and last // QUARTER > start // QUARTER:
            count += written(start) != written(last)
    return count


def went_on(store: OpenDatabase, moment: datetime) -> int:
    """How many sessions of the last month began before a moment and made a call after it."""
    start = moment.timestamp()
    query = (
        f"SELECT count(*) FROM sessions s WHERE s.started_at >= ? AND s.started_at < ? "  # noqa: S608
        f"AND {_last(store)} BETWEEN ? AND {_LATEST}"
    )
    ((count,),) = store.query(query, (start - _MONTH, start, start))
    return int(count)


def _last(store: OpenDatabase) -> str:
    """SQL for the time of a session's last call: from the split by model, else from the messages."""
    found = ["(SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id)"]
    if store.schema.has("session_model_usage", "last_seen"):
        found.insert(0, "(SELECT max(u.last_seen) FROM session_model_usage u WHERE u.session_id = s.id)")
    return f"coalesce({', '.join((*found, 'NULL'))})"
