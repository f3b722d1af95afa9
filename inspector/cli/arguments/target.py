"""From options to an open database, and from what the user calls a session to the session."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from core.errors import AmbiguousError, DatabaseError, NotFoundError, UsageError
from core.store.database.locate import Location, locate
from core.support.own_files import OWN_SETTINGS, config_directory
from inspector.cli import output

if TYPE_CHECKING:
    from core.model.transcript.session import Session
    from core.store.database.open_database import OpenDatabase
    from core.store.store import Store

Opened = TypeVar("Opened", bound="OpenDatabase")

LATEST = "latest"
LONG_AGO = datetime.min.replace(tzinfo=UTC)


def locations(args: argparse.Namespace) -> tuple[Location, ...]:
    """The databases the options name.

    Raises:
        NotFoundError: There is none; the remedy names the samples, for people who only came to look.
    """
    home, profile = (args.home, args.profile) if args.db else _place(args)
    try:
        return locate(db=args.db, home=home, profile=profile)
    except NotFoundError as error:
        if args.db or args.home or args.profile:
            raise
        remedy = f"{error.remedy}, or look at the samples: hermes-inspector demo"
        raise NotFoundError(error.what, where=error.where, remedy=remedy) from error


def _place(args: argparse.Namespace) -> tuple[Path | str | None, str | None]:
    """The home and the profile of the options, else of the environment, else of the user's settings."""
    named = args.home or os.environ.get("HERMES_HOME", "").strip()
    if named or not os.path.lexists(config_directory() / OWN_SETTINGS):
        return args.home, args.profile
    from inspector.settings.config_file import own_settings

    homes = own_settings().homes
    return homes.default, args.profile or homes.profile


def words(args: argparse.Namespace) -> list[str]:
    """The options that name a database, for a command that is run by another."""
    named = ((f"--{name}", getattr(args, name)) for name in ("db", "home", "profile"))
    return [word for name, value in named if value is not None for word in (name, str(value))]


@contextmanager
def stores(args: argparse.Namespace) -> Iterator[tuple[Store, ...]]:
    """Every database the options name, opened, as by `opened`."""
    from core.store.store import Store  # all that can be read of a database, with the imports it takes

    with opened(args, Store) as found:
        yield found


@contextmanager
def opened(args: argparse.Namespace, kind: Callable[[Location], Opened]) -> Iterator[tuple[Opened, ...]]:
    """Every database the options name, opened; one that cannot be read is reported, the others stay.

    Args:
        args: The command line.
        kind: What to open each as.

    Raises:
        NotFoundError: There is none.
        DatabaseError: None of them can be read.
    """
    places = locations(args)
    with ExitStack() as stack:
        found: list[Opened] = []
        for place in places:
            try:
                database = kind(place)
            except DatabaseError as error:
                if len(places) == 1 or (place is places[-1] and not found):
                    raise
                output.write_note(f"left out: {error.line}")
            else:
                stack.enter_context(database)
                found.append(database)
        yield tuple(found)


@contextmanager
def session(args: argparse.Namespace) -> Iterator[tuple[Store, Session]]:
    """The session `args.session` names, and the open database it is in.

    The credentials of its conversation are known from then on, so that each is masked wherever it is printed.

    Raises:
        NotFoundError: Nothing fits.
        UsageError: Several sessions fit.
    """
    with named(args) as (store, session):
        store.learn(session.id)
        yield store, session


@contextmanager
def named(args: argparse.Namespace) -> Iterator[tuple[Store, Session]]:
    """As `session`, for what prints nothing that was said: titles are looked up by whoever prints them."""
    with stores(args) as found:
        yield chosen(found, args.session)


Answer = TypeVar("Answer")


def answered(
    store: Store, session: Session, find: Callable[[], Answer], shown: Callable[[Answer], Iterable[str]]
) -> Answer:
    """What is found out about a session, masked where it is cut too, without reading all that was said in it.

    Args:
        store: The database, of `named`.
        session: Whose conversation gives credentials away.
        find: Finds it out; asked again when what it says holds one.
        shown: All texts of it that may be printed.
    """
    from core.redact.known_values import KNOWN

    found, known = find(), KNOWN.count
    store.learn_shown({session.id: "\n".join(shown(found))})
    return found if KNOWN.count == known else find()


def chosen(stores: Sequence[Store], text: str) -> tuple[Store, Session]:
    """The session a text names, and which of some open databases it is in; see `session`.

    Raises:
        SummaryFailure: No model is named, or there is no key for it.
    """
    found: list[tuple[Store, Session]] = []
    missing: NotFoundError | None = None
    for store in stores:
        try:
            found.append((store, store.resolve(text)))
        except NotFoundError as error:
            missing = error if isinstance(error, AmbiguousError) else missing or error
    exact = [pair for pair in found if text in (LATEST, pair[1].id, pair[1].title)]
    if missing and (not found or (isinstance(missing, AmbiguousError) and not exact)):
        raise missing
    if text == LATEST:
        return max(found, key=lambda pair: pair[1].last_active or LONG_AGO)
    exact = [pair for pair in found if pair[1].id == text] or exact or found
    if len(exact) > 1:
        names = ", ".join(store.location.label for store, _ in exact)
        raise UsageError(f"{text!r} is in several profiles: {names}", remedy="Choose one with --profile")
    return exact[0]


def each(databases: Sequence[Opened], action: Callable[[Opened], None]) -> None:
    """Do something with every database; one that fails is reported, unless it is the only one.

    Raises:
        DatabaseError: The only database failed.
    """
    for database in databases:
        try:
            action(database)
        except DatabaseError as error:
            if len(databases) == 1:
                raise
            output.write_note(f"left out: {error.line}")
