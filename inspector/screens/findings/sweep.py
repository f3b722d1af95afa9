"""Checks one conversation, or every conversation of several databases, with progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.errors import InspectorError
from core.model.finding import Finding, NotKnown
from core.model.transcript.session import ListQuery
from core.store.database.connect import Cancelled, Interrupted
from core.store.database.locate import Location
from core.store.store import Store

Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A finding and the conversation it is about; `title` is None if it is about the database.

    Attributes:
        words: The text a filter searches, built by the worker so that typing stays fast.
    """

    finding: Finding
    location: Location
    title: str | None = None
    words: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of a check.

    Attributes:
        done, total: Conversations checked, and how many there are.
        unknown: Rules that lack data, or that apply to one conversation at a time.
        errors: What could not be checked.
    """

    done: int
    total: int
    found: tuple[Diagnosis, ...] = ()
    unknown: tuple[NotKnown, ...] = ()
    errors: tuple[InspectorError, ...] = ()


def examine_one(location: Location, session_id: str, stop: Cancelled) -> Iterator[Step]:
    """The findings of one conversation."""
    # The rules take long to import, and this runs in a worker.
    from core.explain.diagnose.diagnose import diagnose

    yield Step(0, 1)
    with Store(location, cancelled=stop) as store:
        result = diagnose(store, session_id)
        title = store.names([session_id])[session_id]
    yield Step(1, 1, _named(result.findings, location, title), result.unknown)


def examine_all(
    locations: Sequence[Location], stop: Cancelled, scanned: Report = lambda done, total: None
) -> Iterator[Step]:
    """The findings of every conversation of every database, newest first, then of the database itself.

    `scanned` is called with messages scanned and their total, before the first conversation.
    """
    done, totals = 0, 0
    for location in locations:
        try:
            with Store(location, cancelled=stop) as store:
                totals += store.conversations(ListQuery(limit=0)).total
                yield Step(done, totals)
                for step in _examine_database(store, location, stop, scanned):
                    done += step.done
                    yield replace(step, done=done, total=totals)
        except Interrupted:
            raise
        except InspectorError as error:
            yield Step(done, totals, errors=(error,))


def _examine_database(store: Store, location: Location, stop: Cancelled, scanned: Report) -> Iterator[Step]:
    """One step per conversation of a database, and one for the database itself."""
    from core.explain.diagnose.diagnose import diagnose_store
    from core.explain.diagnose.survey.survey import survey

    for one in survey(store, scanned=scanned, cancelled=stop):
        found = _named(one.findings, location, one.row.named(store.began_with([one.row])))
        yield Step(1, 0, found, errors=(one.error,) if one.error else ())
    if not stop():
        of_store = diagnose_store(store)
        yield Step(0, 0, _named(of_store.findings, location, None), of_store.unknown)


def _named(found: Iterable[Finding], location: Location, title: str | None) -> tuple[Diagnosis, ...]:
    about = title or location.label
    return tuple(Diagnosis(one, location, title, _words(one, about)) for one in found)


def _words(found: Finding, about: str) -> str:
    return f"{found.rule} {found.name} {found.severity} {found.verdict} {found.sentence} {about}".casefold()
