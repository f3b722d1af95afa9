"""Examining one conversation, or every one of several databases, with progress."""

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
    """A finding and the conversation it is about; `title` is None for a whole database.

    Attributes:
        words: What a filter looks through, put together where it is examined: later every key would wait.
    """

    finding: Finding
    location: Location
    title: str | None = None
    words: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of an examination.

    Attributes:
        done, total: Conversations examined, and how many there are.
        unknown: Rules that lack their evidence, or are told of one conversation at a time.
        errors: What could not be examined.
    """

    done: int
    total: int
    found: tuple[Diagnosis, ...] = ()
    unknown: tuple[NotKnown, ...] = ()
    errors: tuple[InspectorError, ...] = ()


def examine_one(location: Location, session_id: str, stop: Cancelled) -> Iterator[Step]:
    """The diagnoses of one conversation."""
    # What examines takes long to load, and this runs beside the screen.
    from core.explain.diagnose.diagnose import diagnose

    yield Step(0, 1)
    with Store(location, cancelled=stop) as store:
        result = diagnose(store, session_id)
        title = store.names([session_id])[session_id]
    yield Step(1, 1, _named(result.findings, location, title), result.unknown)


def examine_all(
    locations: Sequence[Location], stop: Cancelled, scanned: Report = lambda done, total: None
) -> Iterator[Step]:
    """The diagnoses of every conversation of every database, newest first, then of the database itself.

    Args:
        locations: The databases.
        stop: Asked between steps.
        scanned: Told how many messages of how many were looked through, before the first conversation.
    """
    done, totals = 0, 0
    for location in locations:
        try:
            with Store(location, cancelled=stop) as store:
                totals += store.conversations(ListQuery(limit=0)).total
                yield Step(done, totals)
                for step in _examined(store, location, stop, scanned):
                    done += step.done
                    yield replace(step, done=done, total=totals)
        except Interrupted:
            raise
        except InspectorError as error:
            yield Step(done, totals, errors=(error,))


def _examined(store: Store, location: Location, stop: Cancelled, scanned: Report) -> Iterator[Step]:
    """A step for each conversation of a database, and one for the database itself."""
    from core.explain.diagnose.diagnose import diagnose_store
    from core.explain.diagnose.survey.survey import survey

    for one in survey(store, scanned=scanned, cancelled=stop):
        title = one.row.title or store.names([one.row.root.id])[one.row.root.id]
        found = _named(one.findings, location, title)
        yield Step(1, 0, found, errors=(one.error,) if one.error else ())
    if not stop():
        whole = diagnose_store(store)
        yield Step(0, 0, _named(whole.findings, location, None), whole.unknown)


def _named(found: Iterable[Finding], location: Location, title: str | None) -> tuple[Diagnosis, ...]:
    about = title or location.label
    return tuple(Diagnosis(one, location, title, _words(one, about)) for one in found)


def _words(found: Finding, about: str) -> str:
    return f"{found.rule} {found.name} {found.severity} {found.verdict} {found.sentence} {about}".casefold()
