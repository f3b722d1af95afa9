"""Examining one conversation, or every one of several databases, with progress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.errors import InspectorError
from core.explain.findings import Examination, NotKnown
from core.explain.findings.diagnose import diagnose, diagnose_store
from core.explain.findings.survey import Report, survey
from core.model.finding import Finding
from core.model.pages import ListQuery
from core.store.connect import Cancelled, Interrupted
from core.store.locate import Location
from core.store.store import Store


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A finding and the conversation it is about; `title` is None for a whole database."""

    finding: Finding
    location: Location
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of an examination.

    Attributes:
        done, total: Conversations examined, and how many there are.
        unknown: Rules that lack their evidence; told for a single conversation only.
        errors: What could not be examined.
    """

    done: int
    total: int
    found: tuple[Diagnosis, ...] = ()
    unknown: tuple[NotKnown, ...] = ()
    errors: tuple[InspectorError, ...] = ()


def examine_one(location: Location, session_id: str, stop: Cancelled) -> Iterator[Step]:
    """The diagnoses of one conversation."""
    yield Step(0, 1)
    with Store(location, cancelled=stop) as store:
        result = diagnose(store, session_id)
        title = store.names([session_id])[session_id]
    yield Step(1, 1, _named(result, location, title), result.unknown)


def examine_all(
    locations: Sequence[Location], stop: Cancelled, scanned: Report = lambda done, total: None
) -> Iterator[Step]:
    """The diagnoses of every conversation of every database, newest first, then of the database as a whole.

    Args:
        locations: The databases.
        stop: Asked between steps.
        scanned: Told how many messages of how many were looked through, before the first conversation.
    """
    done, totals = 0, 0
    for location in locations:
        try:
            with Store(location, cancelled=stop) as store:
                total = store.conversations(ListQuery(limit=0)).total
                totals += total
                yield Step(done, totals)
                for one in survey(store, scanned=scanned, cancelled=stop):
                    done += 1
                    title = one.row.title or store.names([one.row.root.id])[one.row.root.id]
                    found = tuple(Diagnosis(f, location, title) for f in one.findings)
                    yield Step(done, totals, found, errors=(one.error,) if one.error else ())
                if not stop():
                    yield Step(done, totals, _named(diagnose_store(store), location, None))
        except Interrupted:
            raise
        except InspectorError as error:
            yield Step(done, totals, errors=(error,))


def _named(result: Examination, location: Location, title: str | None) -> tuple[Diagnosis, ...]:
    return tuple(Diagnosis(finding, location, title) for finding in result.findings)
