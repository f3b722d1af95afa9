"""Buckets and cost by session, conversation, model, provider, source, profile, task, day or hour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from core.account.spending.conversations import (
    BY_ID,
    learn_titles,
    overrunning,
    read_threads,
    spent_with_delegates,
    went_on,
)
from core.account.spending.group import Counted, Fields, Group
from core.account.spending.recorded import (
    FORMS,
    KEYS,
    MAIN,
    UNKNOWN,
    Classes,
    Spending,
    Window,
    quarter_start,
    read_routes,
    splits_by_model,
    straddles,
)
from core.account.spending.sums import (
    finish,
    is_mispriced,
    place,
    price_all,
    price_classes,
    priced,
    sum_of_costs,
    tables_of,
)
from core.errors import InspectorError, UsageError
from core.model.accounting.amounts import Buckets, Money
from core.model.accounting.ledger import Ledger, LedgerRow
from core.store.database.connect import noting
from core.store.database.open_database import OpenDatabase
from core.support.formatting import plural

if TYPE_CHECKING:
    from core.account.pricing.price_book import PriceBook
    from core.account.spending.conversations import Threads

DIMENSIONS = tuple(KEYS)
_DISAGREES = "whose usage by model exceeds the session's own total; the session's total is shown"
_BY_CALL = "`cache SESSION --csv` lists the logged calls by time"


def collect(
    stores: Sequence[OpenDatabase],
    *,
    by: str = "session",
    since: datetime | None = None,
    until: datetime | None = None,
    session: str | None = None,
    only: Sequence[tuple[str, str]] = (),
    prices: PriceBook | None = None,
    zone: tzinfo | None = None,
) -> Books:
    """Add up what was spent, by one of `DIMENSIONS`; each call counts once, whatever the dimension.

    A session's usage is booked on the time it started, the only time that every release records; `since` and
    `until` compare with that. Auxiliary calls (summaries, titles, vision) have rows of their own beside the
    main loop's. `session` stands for its whole conversation, `only` for the share of some dimensions and
    keys, such as `("model", "gpt-5.2")`. Without `prices` nothing is computed; days and hours are this
    machine's unless a `zone` is given.

    Raises:
        UsageError: There is no such dimension.
        DatabaseError: No database can be read.
    """
    if by not in KEYS:
        raise UsageError(f"cannot group by {by!r}", remedy=f"Choose one of {', '.join(DIMENSIONS)}")
    books = Books(by, zone, prices, since, until)
    different = {store.path.resolve(): store for store in stores}.values()
    for store in different:
        if all(by != "profile" or key == store.location.label for by, key in only):
            share = tuple(pair for pair in only if pair[0] != "profile")
            with noting(books.unreadable):
                _book(books, store, session, share, sole=len(different) == 1)
    if books.unreadable and len(books.unreadable) == len(different):
        raise books.unreadable[0]
    if prices is not None:
        prices.save()
    return books


class _Entry(NamedTuple):
    """A future row of several groups; its first three fields sort like those of a single group."""

    place: int
    key: str
    task: str
    label: str
    groups: Sequence[Group]


@dataclass(slots=True)
class Books:
    """Books groups into rows.

    Attributes:
        earlier: Sessions that began before `since` and went on after it.
        forked: Sessions of the one conversation asked for that several others continue.
        mispriced: Sums whose recorded cost differs from the computed one.
        unreadable: Why a database is left out, or what it holds is not complete.
        subtrees: What each conversation and its sub-agents spent together, by its key.
        ungrouped: Groups that are complete rows: sessions summed as stored, most of a long ledger.
    """

    by: str
    zone: tzinfo | None
    prices: PriceBook | None
    since: datetime | None = None
    until: datetime | None = None
    counted: Counted = field(default_factory=Counted)
    unsplit: bool = False
    overran: int = 0
    earlier: int = 0
    forked: int = 0
    mispriced: list[Fields] = field(default_factory=list)
    unreadable: list[InspectorError] = field(default_factory=list)
    ungrouped: list[Fields] = field(default_factory=list)
    subtrees: dict[str, tuple[Buckets, Money]] = field(default_factory=dict)
    _rows: dict[tuple[str, str], list[Group]] = field(default_factory=dict)
    _labels: dict[str, tuple[float, str]] = field(default_factory=dict)

    def add(self, group: Group, key: str, label: str) -> None:
        """Book a group on its row."""
        task = "" if self.by == "task" else group.task
        self._rows.setdefault((key, task), []).append(group)
        if label:  # a conversation has the title of its newest session
            self._labels[key] = max(self._labels.get(key, (0.0, "")), (group.at or 0.0, label))

    @property
    def priced(self) -> bool:
        """Whether computed costs were requested."""
        return self.prices is not None

    @property
    def lower_bound(self) -> bool:
        """Whether the true total may be more than what was booked."""
        lacking = self.counted.silent or self.counted.disagreeing or self.counted.unbooked
        return bool(self.earlier or lacking or self.unreadable)

    def ledger(self) -> Ledger:
        """The ledger with all rows finished."""
        rows = tuple(map(self.finished, self.rows()))
        return Ledger(self.by, rows, self.totals(), self.lower_bound, self.notes(), self.since, self.until)

    def totals(self) -> LedgerRow:
        """The total of all rows."""
        all_groups = [*self.ungrouped, *chain.from_iterable(self._rows.values())]
        total = finish("total", "", "", all_groups, priced=self.priced, sessions=self.counted.sessions)
        return replace(total, lower_bound=self.lower_bound, together=sum_of_costs(total, self.rows))

    def rows(self) -> list[LedgerRow | Fields]:
        """The rows, largest first, days and hours in order; most are one group, left so for `finished`."""
        by_size = self.by not in FORMS
        rows: list[_Entry | Fields] = [
            _Entry(place(groups) if by_size else 0, key, task, self._labels.get(key, (0.0, ""))[1], groups)
            for (key, task), groups in self._rows.items()
        ]
        self.ungrouped.sort()  # sorted separately first: comparing tuples of one type takes half the time
        ordered = sorted([*self.ungrouped, *rows])
        return [self._sole(one) or self._summed(one) if isinstance(one, _Entry) else one for one in ordered]

    def finished(self, row: LedgerRow | Fields) -> LedgerRow:
        """One of `rows`, summed if it is still a single group."""
        if isinstance(row, LedgerRow):
            return row
        group = Group._make(row)
        return finish(group.key, group.task, group.title or "", [group], priced=self.priced)

    def _sole(self, entry: _Entry) -> Fields | None:
        """The group that is the whole row; None where a row adds several up, or says more than its group."""
        sole = entry.groups[0]
        more = len(entry.groups) > 1 or sole.task or sole.again or entry.key in self.subtrees
        return None if more or self.by not in BY_ID else sole._replace(key=entry.key, title=entry.label)

    def _summed(self, entry: _Entry) -> LedgerRow:
        row = finish(entry.key, entry.task, entry.label, entry.groups, priced=self.priced)
        if row.task or row.key not in self.subtrees:
            return row
        tokens, recorded = self.subtrees[row.key]
        return replace(row, subtree=tokens, subtree_recorded=recorded)

    def notes(self) -> tuple[str, ...]:
        """What is missing from the numbers, and what was assumed."""
        silent, disagreeing, residual, unbooked = self.counted[1:]
        lacking = " and ".join(
            _counted(
                (unbooked, "{} made calls Hermes did not record (/compress, images, timeouts, cut answers)"),
                (silent, "{} with messages but no recorded usage"),
            )
        )
        where = "a session's usage counts where it began"
        notes = [
            *(error.line for error in self.unreadable),
            *_counted((self.earlier, f"{{}} began before this period and went on; {where}")),
            *([f"{lacking}: the total is higher"] if lacking else []),
            *_counted(
                (disagreeing, f"{{}} {_DISAGREES}"),
                (residual, "{} with usage no model row accounts for; it counts for the session's own model"),
                (self.forked, "{} continued more than once; every continuation counts"),
                (self.overran, f"{{}} ran on into a later {self.by}; {where}; {_BY_CALL}"),
            ),
        ]
        if self.unsplit:
            notes.append("Hermes before 0.19 does not record the usage of summaries and other side tasks")
        if self.mispriced and self.prices is not None:
            theirs = tables_of(self.mispriced) or "a table it does not name"
            sums = plural(len(self.mispriced), "recorded cost differs", "recorded costs differ")
            notes.append(f"{sums} from the list price (Hermes: {theirs}; list: {self.prices.list.source})")
        return tuple(notes)


def _counted(*reasons: tuple[int, str]) -> list[str]:
    """The reasons that some sessions give, each with how many."""
    return [text.format(plural(count, "session")) for count, text in reasons if count]


def _book(
    books: Books, store: OpenDatabase, session: str | None, only: Sequence[tuple[str, str]], *, sole: bool
) -> None:
    threads = read_threads(store, session) if books.by == "conversation" or session is not None else None
    members = threads.members(threads.root(session)) if threads and session is not None else None
    if threads and members is not None:
        books.forked += threads.forked(members)
    window = Window(books.since, books.until, members, only)
    classes = Classes()
    if books.prices is not None and straddles(books.by):
        classes = price_classes(books.prices, read_routes(store))
    spending = Spending(store, window, books.by, classes)
    alone, groups = _with_prices(books, spending, sole=sole)
    learn_titles(books.by, store, chain(alone, groups))
    books.ungrouped += alone
    keys = _keys(books, store, threads)
    for group in groups:
        books.add(group, *keys(group))
    _count(books, store, spending.counted())
    if books.since is not None and members is None and not only:
        books.earlier += went_on(store, books.since)
    if books.by in FORMS and not only:
        books.overran += overrunning(store, window, FORMS[books.by], books.zone)
    if books.by == "conversation" and threads is not None and not only:
        everything = groups if window == Window() else Spending(store, Window(), books.by).groups
        books.subtrees |= spent_with_delegates(threads, everything, {threads.root(one.key) for one in groups})


def _with_prices(books: Books, spending: Spending, *, sole: bool) -> tuple[list[Fields], list[Group]]:
    """The sessions that are a group of their own, and all other groups, priced if prices were asked for."""
    # Only several databases can contain the same session twice.
    apart = sole and books.by == "session"
    alone, groups = (spending.whole, spending.others) if apart else ([], spending.groups)
    if books.prices is not None:
        price_all(alone, books.prices)
        groups = [priced(group, books.prices) for group in groups]
        books.mispriced += [fields for fields in chain(alone, groups) if is_mispriced(fields)]
    return alone, groups


def _count(books: Books, store: OpenDatabase, found: Counted) -> None:
    """Add a database's counts of sessions, and of those counted short or inconsistently."""
    books.counted = Counted(*(old + new for old, new in zip(books.counted, found, strict=True)))
    books.unsplit = books.unsplit or (found.sessions > 0 and not splits_by_model(store))


def _keys(books: Books, store: OpenDatabase, threads: Threads | None) -> Callable[[Group], tuple[str, str]]:
    """How a group finds its row: the key, and the label for display."""

    def moment(group: Group) -> tuple[str, str]:
        if group.key is None:
            return UNKNOWN, ""
        start = quarter_start(group.key).astimezone(books.zone)
        return start.strftime(FORMS[books.by]), ""

    if books.by in FORMS:
        return moment
    if books.by == "profile":
        return lambda group: (store.location.label, "")
    if books.by == "task":
        return lambda group: (group.key or MAIN, "")
    if books.by == "conversation" and threads is not None:
        return lambda group: (threads.root(group.key), group.title or "")
    if books.by == "session":
        return lambda group: (group.key, group.title or "")
    return lambda group: (group.key or UNKNOWN, "")
