"""Restores, row by row, what `compress --apply` replaced.

Refused if Hermes has continued the session since; --fork then restores the old conversation as a new session.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import NotFoundError
from core.model.compaction.apply import Applied, EntryState, JournalEntry
from core.preview.words import call_words
from core.support import formatting as fmt
from inspector.cli import output
from inspector.cli.arguments import options
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.apply.journal import Journal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `undo`."""
    parser.add_argument("id", metavar="ID", nargs="?", help="the change to undo (default: the newest)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list all changes, also those undone")
    what.add_argument("--show", action="store_true", help="show one change and undo nothing")
    what.add_argument("--fork", action="store_true", help="restore the old conversation as a new session")
    what.add_argument("--prune", action="store_true", help="delete records that are no longer needed")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Undo a change, or show what is on record."""
    from core.apply.journal import Journal, journal_of
    from core.apply.undo import recover, undo

    named = _named(args)
    journal = journal_of(named[0]) if named else Journal()
    recover(journal)
    entries = [one for one in journal.entries() if not named or Path(one.database).resolve() in named]
    if args.list:
        return _show(args, entries)
    if args.prune:
        return _prune(args, journal, entries)
    entry_id = args.id or _newest(journal, entries)
    if args.show:
        return _show(args, (journal.entry(entry_id).summary,), in_full=True)
    if args.fork:
        return _fork(args, journal, entry_id)
    return _show(args, (undo(journal, entry_id),))


def _named(args: argparse.Namespace) -> list[Path]:
    """The databases the command line names, if any."""
    from inspector.cli.arguments import target

    chosen = args.db or args.home or args.profile
    return [place.db.resolve() for place in target.locations(args)] if chosen else []


def _newest(journal: Journal, entries: Iterable[JournalEntry]) -> str:
    for entry in entries:
        if entry.state is EntryState.APPLIED:
            return entry.id
    raise NotFoundError("there is no change to undo", where=str(journal.path))


def _prune(args: argparse.Namespace, journal: Journal, entries: Iterable[JournalEntry]) -> int:
    """Delete one entry, or all that are undone or abandoned."""
    done = (EntryState.UNDONE, EntryState.ABANDONED)
    of_all = (entry for entry in entries if entry.state in done)
    gone = [journal.entry(args.id).summary] if args.id else list(of_all)
    journal.prune(entry.id for entry in gone)
    return _show(args, gone)


def _fork(args: argparse.Namespace, journal: Journal, entry_id: str) -> int:
    from core.apply.execute import execute
    from core.apply.undo import undo_as_fork

    applied = execute(undo_as_fork(journal, entry_id), journal)
    return output.show(
        args,
        lambda: {"fork": _applied(applied)},
        [f"the conversation as it was before {entry_id} is now {applied.target_id}"],
    )


def _applied(applied: Applied) -> dict[str, Any]:
    return {"undo_id": applied.undo_id, "session": applied.target_id, "rows_written": len(applied.inserted)}


def _show(args: argparse.Namespace, entries: Sequence[JournalEntry], *, in_full: bool = False) -> int:
    lines = (line for entry in entries for line in _details(entry)) if in_full else _lines(entries)
    return output.show(args, lambda: {"entries": list(map(_payload, entries))}, lines, wrap=not in_full)


def _payload(entry: JournalEntry) -> dict[str, Any]:
    return {
        **jsonio.fields(entry, "id at state database"),
        "session": entry.session_id,
        "target": entry.target_id,
        "mode": entry.mode.value,
        "rows_replaced": entry.replaced,
        "rows_written": entry.written,
        "size": entry.size,
        "usage": None if entry.call is None else jsonio.call_payload(entry.call),
    }


def _lines(entries: Sequence[JournalEntry]) -> Iterator[str]:
    """One line per entry, narrow enough for 80 columns; `--show` has the details."""
    from inspector.cli.table import Column, lines

    if not entries:
        yield "nothing on record"
        return
    columns = (
        Column("id"),
        Column("when", rank=2),
        Column("state"),
        Column("session", shrinks=True, rank=3),
        Column("rows", right=True, rank=1),
    )
    yield from lines(
        columns,
        ([one.id, fmt.moment(one.at), one.state.value, one.target_id, _rows(one)] for one in entries),
    )


def _details(entry: JournalEntry) -> Iterator[str]:
    yield f"{entry.id}, {entry.state.value}, {fmt.moment(entry.at)}"
    yield f"session   {entry.session_id}"
    if entry.target_id != entry.session_id:
        yield f"written   {entry.target_id}"
    yield f"how       {entry.mode.value}, {_rows(entry)} rows"
    yield f"kept      {fmt.count(entry.size)} bytes in the journal"
    if entry.call is not None:
        yield f"summary   {call_words(entry.call)}"
    yield f"database  {entry.database}"


def _rows(entry: JournalEntry) -> str:
    """Live rows replaced, and rows written in their place."""
    return f"{fmt.count(entry.replaced)} → {fmt.count(entry.written)}"
