"""The whole list of messages of each recorded request, and the database rows they are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.recordings.read import RecordedRequest, SentRow


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A message of the database.

    Attributes:
        id: `messages.id`.
        name: As a request would name it.
        letter: The first of its role.
    """

    id: int
    name: str
    letter: str


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a message of a request is stored.

    Attributes:
        id: `messages.id`; None where no row can be it.
        same: The provider was sent what the row holds; else it stands in its place with another text.
    """

    id: int | None = None
    same: bool = False


def whole_lists(requests: Iterable[RecordedRequest]) -> Iterator[tuple[RecordedRequest, list[SentRow]]]:
    """Each request with all its messages, in order; those whose messages were not seen are passed over.

    Each is told by how far it goes on from the one before it of the same task.
    """
    lists: dict[tuple[str, str], list[SentRow]] = {}
    for request in requests:
        if request.kept is None:
            continue
        key = (request.session, request.task)
        lists[key] = [*lists.get(key, ())[: request.kept], *request.added]
        yield request, lists[key]


def placed(sent: Sequence[SentRow], generations: Sequence[Sequence[StoredRow]]) -> list[Placed]:
    """The row of each message of a request: by its name and by the order in the generation that fits best."""
    best: list[Placed] = [Placed()] * len(sent)
    most = 0
    for rows in generations:
        found = _aligned(sent, rows)
        known = sum(one.same for one in found)
        if known >= most:
            best, most = found, known
    return best


def _aligned(sent: Sequence[SentRow], rows: Sequence[StoredRow]) -> list[Placed]:
    found = [Placed()] * len(sent)
    names = [one.name for one in sent], [one.name for one in rows]
    for kind, i, j, k, n in difflib.SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        alike = [one.letter for one in sent[i:j]] == [one.letter for one in rows[k:n]]
        if kind == "equal" or (kind == "replace" and alike):
            found[i:j] = [Placed(row.id, same=kind == "equal") for row in rows[k:n]]
    return found
