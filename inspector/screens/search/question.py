"""What a search screen asks: where it looks, and what it says before anything is typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from core.errors import InspectorError
from core.model.transcript.message import RowState
from core.model.transcript.storage import SearchHit
from core.preview.recall import Hit as Dropped
from core.preview.recall import recall
from core.store.database.connect import Cancelled, Interrupted
from core.store.database.locate import Location
from core.store.store import Store
from inspector.screens.search.reading import MOST, Hit, SearchAnswer, search
from inspector.terminal import formatting as fmt


@dataclass(frozen=True, slots=True)
class Question:
    """A search to be typed.

    Attributes:
        answer: Finds a text; runs in a worker.
        label: What stands before the line to type in.
        expects: What may be typed, while nothing is.
        hint: The same at length, where the answers will stand.
        none: What is said when nothing is found, before the text.
    """

    answer: Callable[[str, Cancelled], SearchAnswer]
    label: str
    expects: str
    hint: str
    none: str


def everywhere(locations: Sequence[Location]) -> Question:
    """The text of every message of some databases."""
    return Question(
        partial(search, tuple(locations)),
        "search",
        'words that must all occur; "quotes" keep words together',
        'Type words of a message and press enter: a file, a command, part of an error, "an exact phrase".\n'
        "All words must occur in one message; every conversation is searched, what was compressed away too.",
        "No message holds",
    )


def dropped(location: Location, session: str) -> Question:
    """What compactions took out of one conversation."""
    return Question(
        partial(_dropped, location, session),
        "recall",
        "what was it about?",
        "Type what you miss and press enter: a file, an error, a decision.\n"
        "Only messages that compactions took out of this conversation are searched, best match first.",
        "Nothing that was compressed away speaks of",
    )


def _dropped(location: Location, session: str, text: str, cancelled: Cancelled) -> SearchAnswer:
    try:
        with Store(location, cancelled=cancelled) as store:
            hits = recall(store, store.conversation(session), text, limit=MOST)
    except Interrupted:
        raise
    except InspectorError as error:
        return SearchAnswer(text, errors=(error,))
    found = tuple(_hit(location, hit) for hit in hits)
    return SearchAnswer(text, found, len(hits) == MOST, ("words in any ending",), order="best match first")


def _hit(location: Location, hit: Dropped) -> Hit:
    row = hit.message.row
    at, state = (row.timestamp, row.state) if row is not None else (None, RowState.ARCHIVED)
    found = SearchHit(hit.row, hit.session, hit.message.role, hit.excerpt, at, state)
    return Hit(location, found, f"generation {fmt.count(hit.generation)}")
