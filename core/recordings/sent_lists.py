"""The whole message list of each recorded request, its stored rows, and where two lists diverge."""

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
        name: Its name in a request.
        letter: The first letter of its role.
    """

    id: int
    name: str
    letter: str


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a message of a request is stored.

    Attributes:
        id: `messages.id`; None if no row matches.
        same: Whether the provider was sent the row's text; if not, the row has its place but another text.
    """

    id: int | None = None
    same: bool = False


def whole_lists(requests: Iterable[RecordedRequest]) -> Iterator[tuple[RecordedRequest, list[SentRow]]]:
    """Each request with all its messages, in order; requests whose messages were not seen are skipped.

    A request is recorded as what it adds to the previous one of the same task.
    """
    lists: dict[tuple[str, str], list[SentRow]] = {}
    for request in requests:
        if request.kept is None:
            continue
        key = (request.session, request.task)
        lists[key] = [*lists.get(key, ())[: request.kept], *request.added]
        yield request, lists[key]


def placed(sent: Sequence[SentRow], generations: Sequence[Sequence[StoredRow]]) -> list[Placed]:
    """The row of each message of a request, by name and by order in the generation that fits best."""
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


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """A request that does not continue where the previous one ended.

    Attributes:
        cause: `system`, `tools`, or `messages`.
        at: The first message that differs; None if it is not a message.
        of: How many messages the previous request had.
    """

    request: RecordedRequest
    cause: str
    at: int | None
    of: int
    sent: tuple[SentRow, ...]


def prefix_breaks(requests: Sequence[RecordedRequest]) -> tuple[PrefixBreak, ...]:
    """Every break of a session's main loop, in order; requests whose messages were not seen prove none."""
    found: list[PrefixBreak] = []
    before: RecordedRequest | None = None
    rows: list[SentRow] = []
    for request, now in whole_lists(one for one in requests if not one.task):
        if before is not None and before.session == request.session:
            same = parting([one.name for one in rows], [one.name for one in now])
            cause = _cause(before, request, broken=same < len(rows))
            if cause is not None:
                at = same if cause == "messages" else None
                found.append(PrefixBreak(request, cause, at, len(rows), tuple(now)))
        before, rows = request, now
    return tuple(found)


def parting(before: Sequence[object], now: Sequence[object]) -> int:
    """The position at which two lists or texts begin to differ; a longer one does so where the other ends."""
    pairs = enumerate(zip(before, now, strict=False))
    return next((place for place, (old, new) in pairs if old != new), min(len(before), len(now)))


def _cause(before: RecordedRequest, request: RecordedRequest, *, broken: bool) -> str | None:
    if before.tools and request.tools and before.tools != request.tools:
        return "tools"
    if before.system and request.system and before.system != request.system:
        return "system"
    return "messages" if broken else None
