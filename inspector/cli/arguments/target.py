"""Opens the databases that options select, and finds the session that the user names."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from core.errors import DatabaseError, NotFoundError
from core.store.database.locate import DATABASE_NAME, Location, default_home, locate
from core.support.own_files import OWN_SETTINGS, config_directory
from inspector.cli import output

if TYPE_CHECKING:
    from core.model.transcript.session import Session
    from core.store.database.open_database import OpenDatabase
    from core.store.store import Store

Opened = TypeVar("Opened", bound="OpenDatabase")


def locations(args: argparse.Namespace) -> tuple[Location, ...]:
    """The databases the options select.

    Raises:
        NotFoundError: There is none; the remedy also mentions the samples, for people who only want a look.
    """
    home, profile = (args.home, args.profile) if args.db else _place(args)
    try:
        found = locate(db=args.db, home=home, profile=profile)
    except NotFoundError as error:
        if args.db or args.home or args.profile:
            raise
        remedy = f"{error.remedy}, or try the samples: hermes-inspector demo"
        raise NotFoundError(error.what, where=error.where, remedy=remedy) from error
    options = shlex.join(words(args))
    return tuple(replace(place, options=options) for place in found)


def home_named(args: argparse.Namespace) -> Path:
    """The home that options, environment or settings name, else Hermes' own; it may not exist."""
    named, _ = _place(args)
    return default_home() if named is None else Path(os.path.expanduser(named))


def _place(args: argparse.Namespace) -> tuple[Path | str | None, str | None]:
    """Home and profile from the options, else the environment, else the user's settings."""
    named = args.home or os.environ.get("HERMES_HOME", "").strip()
    if named or not os.path.lexists(config_directory() / OWN_SETTINGS):
        return args.home, args.profile
    from inspector.settings.config_file import own_settings

    homes = own_settings().homes
    return homes.default, args.profile or homes.profile


def words(args: argparse.Namespace) -> list[str]:
    """The options that select a database, to pass on to another command."""
    named = ((f"--{name}", getattr(args, name)) for name in ("db", "home", "profile"))
    return [word for name, value in named if value is not None for word in (name, str(value))]


def command(args: argparse.Namespace) -> str:
    """The command line, without a subcommand, that asks the same databases."""
    named = args.db or Path(args.home or "") / DATABASE_NAME
    return Location(named, options=shlex.join(words(args))).command


@contextmanager
def stores(args: argparse.Namespace) -> Iterator[tuple[Store, ...]]:
    """Open every database the options select; see `opened`."""
    from core.store.store import Store  # the full store, with all its imports

    with opened(args, Store) as found:
        yield found


@contextmanager
def opened(args: argparse.Namespace, kind: Callable[[Location], Opened]) -> Iterator[tuple[Opened, ...]]:
    """Open every database the options select, as `kind`; an unreadable one is reported and left out.

    Raises:
        NotFoundError: There is none.
        DatabaseError: None of them is readable.
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
                _note_skipped(error)
            else:
                stack.enter_context(database)
                found.append(database)
        yield tuple(found)


@contextmanager
def session(args: argparse.Namespace) -> Iterator[tuple[Store, Session]]:
    """The session that `args.session` names, with its open database.

    The credentials in its conversation are learned first, so that each is masked wherever it is printed.

    Raises:
        NotFoundError: No session matches.
        UsageError: Several sessions match.
    """
    with named(args) as (store, session):
        store.learn(session.id)
        yield store, session


@contextmanager
def named(args: argparse.Namespace) -> Iterator[tuple[Store, Session]]:
    """Like `session`, for output without message text; callers mask titles themselves."""
    with stores(args) as found:
        yield choose(found, args.session)


Answer = TypeVar("Answer")


def answer_about(
    store: Store, session: Session, find: Callable[[], Answer], shown: Callable[[Answer], Iterable[str]]
) -> Answer:
    """Find something out about a session; mask credentials in it without reading the whole conversation.

    `find` is called again if a credential was learned meanwhile; `shown` are the texts that may be printed.
    """
    from core.redact.known_values import KNOWN

    found, known = find(), KNOWN.count
    store.learn_shown({session.id: "\n".join(shown(found))})
    return found if KNOWN.count == known else find()


def choose(stores: Sequence[Store], text: str) -> tuple[Store, Session]:
    """The session that a text names, and the open database it is in; see `session`.

    Raises:
        NotFoundError: No session matches.
    """
    from core.store.database.open_database import chosen
    from core.store.store import resolve_in

    found, errors = resolve_in(stores, text)
    for error in errors if found else errors[1:]:
        if isinstance(error, DatabaseError):
            _note_skipped(error)
    return chosen(found, errors, text)


def each(databases: Sequence[Opened], action: Callable[[Opened], None]) -> None:
    """Run an action on every database; a failure is reported, unless there is only one database.

    Raises:
        DatabaseError: The only database failed.
    """
    for database in databases:
        try:
            action(database)
        except DatabaseError as error:
            if len(databases) == 1:
                raise
            _note_skipped(error)


def _note_skipped(error: DatabaseError) -> None:
    output.write_note(f"skipped: {error.line}")
