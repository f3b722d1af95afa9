"""From options to an open database, and from what the user calls a session to the session."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

from core.errors import DatabaseError, NotFoundError, UsageError
from core.model.session import Session
from core.store.locate import Location, locate
from core.store.store import Store
from inspector.cli import output

LATEST = "latest"
LONG_AGO = datetime.min.replace(tzinfo=UTC)


def locations(args: argparse.Namespace) -> tuple[Location, ...]:
    """The databases the options name.

    Raises:
        NotFoundError: There is none; the remedy names the samples, for people who only came to look.
    """
    try:
        return locate(db=args.db, home=args.home, profile=args.profile)
    except NotFoundError as error:
        if args.db or args.home or args.profile:
            raise
        remedy = f"{error.remedy}, or look at the samples: hermes-inspector demo"
        raise NotFoundError(error.what, where=error.where, remedy=remedy) from error


@contextmanager
def stores(args: argparse.Namespace) -> Iterator[tuple[Store, ...]]:
    """Every database the options name, opened; one that cannot be read is reported, the others stay.

    Raises:
        NotFoundError: There is none.
        DatabaseError: None of them can be read.
    """
    places = locations(args)
    with ExitStack() as stack:
        opened: list[Store] = []
        for place in places:
            try:
                opened.append(stack.enter_context(Store(place)))
            except DatabaseError as error:
                if len(places) == 1 or (place is places[-1] and not opened):
                    raise
                output.write_note(f"hermes-inspector: left out: {error.line}")
        yield tuple(opened)


@contextmanager
def session(args: argparse.Namespace) -> Iterator[tuple[Store, Session]]:
    """The session `args.session` names, and the open database it is in.

    Raises:
        NotFoundError: Nothing fits.
        UsageError: Several sessions fit.
    """
    with stores(args) as opened:
        yield _choose(opened, args.session)


def _choose(opened: Sequence[Store], text: str) -> tuple[Store, Session]:
    found: list[tuple[Store, Session]] = []
    missing: NotFoundError | None = None
    for store in opened:
        try:
            found.append((store, store.resolve(text)))
        except NotFoundError as error:
            missing = missing or error
    if not found and missing:
        raise missing
    if text == LATEST:
        return max(found, key=lambda pair: pair[1].last_active or LONG_AGO)
    exact = [pair for pair in found if pair[1].id == text] or found
    if len(exact) > 1:
        names = ", ".join(store.location.label for store, _ in exact)
        raise UsageError(f"{text!r} is in several profiles: {names}", remedy="Choose one with --profile")
    return exact[0]


def each(opened: Sequence[Store], action: Callable[[Store], None]) -> None:
    """Do something with every database; one that fails is reported, unless it is the only one.

    Raises:
        DatabaseError: The only database failed.
    """
    for store in opened:
        try:
            action(store)
        except DatabaseError as error:
            if len(opened) == 1:
                raise
            output.write_note(f"hermes-inspector: left out: {error.line}")
