"""The questions a search screen can ask, its texts, and the search itself, which runs in a thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from core.errors import InspectorError
from core.hermes.markers.markers import find_summary
from core.model.transcript.conversation import Conversation
from core.model.transcript.message import RowState
from core.model.transcript.storage import SearchHit
from core.preview.recall import Hit as Dropped
from core.preview.recall import recall, removed_requests
from core.store.database.connect import Cancelled, Interrupted, noting
from core.store.database.locate import Location
from core.store.search import to_try
from core.store.store import Store
from core.support import formatting as fmt
from inspector.base.commands import hint

MAX_HITS = 200
"""Most hits read from each database."""
MAX_SAID = 3
"""Most messages of the user shown from each session before anything is typed."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching message, and the title of its session.

    Attributes:
        copies: Older rows with the same message; compactions copy messages from generation to generation.
        others: Older messages of the conversation that read the same and are no copies.
    """

    location: Location
    hit: SearchHit
    title: str
    copies: int = 0
    others: tuple[SearchHit, ...] = ()

    @property
    def places(self) -> tuple[SearchHit, ...]:
        """Every message that this one stands for, the newest first."""
        return (self.hit, *self.others)


NONE_REMOVED = "There is nothing to recall: nothing a compaction removed is on record."


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The result of a search.

    Attributes:
        partial: Not everything was searched, or there are more hits than shown.
        how: How the databases were searched.
        order: Order of the hits, in words.
        errors: Databases that could not be searched.
        nothing: Why there is nothing to search at all; else empty.
    """

    text: str
    hits: tuple[Hit, ...] = ()
    partial: bool = False
    how: tuple[str, ...] = ()
    errors: tuple[InspectorError, ...] = ()
    order: str = "newest first"
    nothing: str = ""


def search(locations: Sequence[Location], text: str, cancelled: Cancelled) -> SearchAnswer:
    """Find messages in every database, newest first; errors of a database are reported."""
    hits: list[Hit] = []
    ways: list[str] = []
    errors: list[InspectorError] = []
    partial = False
    for location in locations:
        with noting(errors), Store(location, cancelled=cancelled) as store:
            found = store.search(text, limit=MAX_HITS)
            hits += each_once(_titled(store, location, found.hits), store.conversation)
            partial |= found.partial
            ways.append(found.how)
    return SearchAnswer(text, _newest_first(hits), partial, tuple(dict.fromkeys(ways)), tuple(errors))


def _titled(store: Store, location: Location, found: Sequence[SearchHit]) -> list[Hit]:
    names = store.names([hit.session_id for hit in found])
    return [Hit(location, hit, names[hit.session_id]) for hit in found]


def each_once(hits: Sequence[Hit], conversation: Callable[[str], Conversation]) -> list[Hit]:
    """Each text found in a conversation once, as its newest row, however often it is stored.

    `conversation` reads that of a session; called only if a text was found twice.
    """
    texts = Counter((hit.hit.role, hit.hit.excerpt) for hit in hits)
    roots: dict[str, str] = {}
    copied: set[int] = set()
    alike: dict[tuple[str, str, str], list[Hit]] = {}
    for hit in hits:
        session, text = hit.hit.session_id, (hit.hit.role, hit.hit.excerpt)
        if texts[text] > 1 and session not in roots:
            whole = conversation(session)
            roots |= dict.fromkeys((one.id for one in whole.sessions), whole.sessions[0].id) | {
                session: whole.sessions[0].id
            }
            copied.update(row for generation in whole.generations for row in generation.copy_ids)
        alike.setdefault((roots.get(session, session), *text), []).append(hit)
    return [_folded(tuple(_without_copies(group, copied))) for group in alike.values()]


def _folded(alike: Sequence[Hit]) -> Hit:
    """One hit for all that read the same, newest first."""
    others = tuple(one.hit for one in alike[1:])
    return replace(alike[0], copies=sum(one.copies for one in alike), others=others)


def _without_copies(group: Sequence[Hit], copied: Collection[int]) -> Iterator[Hit]:
    """Rows with the same text, newest first: copies come before the row they were copied from."""
    first: Hit | None = None
    copies = 0
    for hit in group:
        first, copies = (hit, 0) if first is None else (first, copies + 1)
        if hit.hit.row_id not in copied:
            yield replace(first, copies=copies)
            first = None
    if first is not None:
        yield replace(first, copies=copies)


@dataclass(frozen=True, slots=True)
class Question:
    """A kind of search, with its texts.

    Attributes:
        answer: Runs the search, in a worker.
        label: Label of the input.
        expects: Placeholder of the input.
        hint: A longer hint, shown until something is asked.
        none: Shown before the query if nothing is found.
        to_try: What to try then, by the query.
        opening: Runs what is shown before anything is typed, in a worker; None for the hint alone.
    """

    answer: Callable[[str, Cancelled], SearchAnswer]
    label: str
    expects: str
    hint: str
    none: str
    to_try: Callable[[str], str]
    opening: Callable[[Cancelled], SearchAnswer] | None = None


def everywhere(locations: Sequence[Location]) -> Question:
    """Search every message of some databases."""
    return Question(
        partial(search, tuple(locations)),
        "search",
        'words that must all occur; "quotes" keep words together',
        'Type words of a message and press enter: a file, a command, part of an error, "an exact phrase".\n'
        "All words must occur in one message. Every conversation is searched, even what was compressed away.",
        "No message contains",
        to_try,
        partial(_said_last, tuple(locations)),
    )


def _said_last(locations: Sequence[Location], cancelled: Cancelled) -> SearchAnswer:
    """The user's newest messages in every database, each once; databases with errors are reported."""
    hits: list[Hit] = []
    errors: list[InspectorError] = []
    for location in locations:
        with noting(errors), Store(location, cancelled=cancelled) as store:
            said = _few_of_each(store.newest_said(MAX_HITS))
            hits += each_once(_titled(store, location, said), store.conversation)
    how = ("what you wrote last in each conversation",)
    return SearchAnswer("", _newest_first(hits), how=how, errors=tuple(errors))


def _few_of_each(said: Sequence[SearchHit]) -> list[SearchHit]:
    """A few messages of each session; a summary that stands in for the user's words is none."""
    taken: Counter[str] = Counter()
    found: list[SearchHit] = []
    for one in said:
        if taken[one.session_id] < MAX_SAID and find_summary(one.excerpt) is None:
            taken[one.session_id] += 1
            found.append(one)
    return found


def _newest_first(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    moments = ((hit.hit.timestamp.timestamp() if hit.hit.timestamp else 0.0, hit) for hit in hits)
    return tuple(hit for _, hit in sorted(moments, key=lambda one: one[0], reverse=True))


def search_removed(location: Location, session: str) -> Question:
    """Search what compactions removed from one conversation."""
    return Question(
        partial(_removed_rows, location, session),
        "recall",
        "what is it about?",
        "Type what you are missing and press enter: a file, an error, a decision.\n"
        "Only messages that compactions removed from this conversation are searched, best match first.",
        "Nothing that was compressed away mentions",
        lambda _: hint(
            "Try other words, or {sessions.search} in the list of conversations for every message."
        ),
        partial(_removed_rows, location, session, ""),
    )


def _removed_rows(location: Location, session: str, text: str, cancelled: Cancelled) -> SearchAnswer:
    """Removed messages that match a text; without one, the user's own, newest first."""
    try:
        with Store(location, cancelled=cancelled) as store:
            whole = store.conversation(session)
            if len(whole.generations) < 2:
                return SearchAnswer(text, how=("nothing was searched",), nothing=NONE_REMOVED)
            if text:
                hits = recall(store, whole, text, limit=MAX_HITS)
            else:
                hits = removed_requests(store, whole, limit=MAX_HITS)
    except Interrupted:
        raise
    except InspectorError as error:
        return SearchAnswer(text, errors=(error,))
    found, partial = tuple(_hit(location, hit) for hit in hits), len(hits) == MAX_HITS
    if not text:
        return SearchAnswer(text, found, partial, ("what you said and compactions removed",))
    return SearchAnswer(text, found, partial, ("ignoring word endings",), order="best match first")


def _hit(location: Location, hit: Dropped) -> Hit:
    row = hit.message.row
    at, state = (row.timestamp, row.state) if row is not None else (None, RowState.ARCHIVED)
    found = SearchHit(hit.row, hit.session, hit.message.role, hit.excerpt, at, state)
    return Hit(location, found, f"generation {fmt.count(hit.generation)}")
