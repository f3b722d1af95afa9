"""`compress --apply`: writes the preview to the database, after checks and a confirmation."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from core.errors import SummaryError, UsageError
from core.model.compaction.apply import Applied, ApplyMode, GuardResult, Rehearsal
from core.model.compaction.preview import Preview
from inspector.cli import output
from inspector.cli.arguments import confirm, target

if TYPE_CHECKING:
    from core.store.store import Store
    from inspector.cli.compression.question import Question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--apply` and its options."""
    group = parser.add_argument_group("writing")
    add = group.add_argument
    add("--apply", action="store_true", help="write the result to the database; `undo` reverts it")
    add("--mode", choices=[mode.value for mode in ApplyMode], help="how to write it (default: the release's)")
    add("--accept-fallback", action="store_true", help="write even a fallback made after the summary failed")
    add_consent(group)


def add_consent(group: argparse._ActionsContainer) -> None:
    """Add `--yes` and `--force`."""
    add = group.add_argument
    add("--yes", action="store_true", help="do not ask before sending or writing")
    add("--force", type=_guards, default=(), metavar="NAME,...", help="ignore these failed guards")


def check(args: argparse.Namespace) -> None:
    """Refuse options that exclude each other.

    Raises:
        UsageError: Two options exclude each other.
    """
    if args.apply and args.messages is not None:
        raise UsageError("--apply needs a SESSION; a file of messages has no database")
    if args.apply and args.generation is not None:
        raise UsageError("--apply writes to the newest generation only", remedy="Leave --generation out")
    if args.accept_fallback and not args.apply:
        raise UsageError("--accept-fallback goes with --apply")
    if args.mode is not None and not args.apply:
        raise UsageError("--mode goes with --apply")


def write(args: argparse.Namespace, asked: Question, found: Preview) -> Applied:
    """Rehearse the write, show it, ask, write.

    Raises:
        UsageError: There is nothing to apply, or the user does not agree.
        SummaryError: The summary failed, and the fallback is not accepted.
        DatabaseError: A guard refused, or the write failed; nothing was changed.
    """
    from core.apply.rehearse import rehearse

    refuse_fallback(args, found)
    assert asked.context is not None, "`check` refuses a file of messages"
    assert asked.context.generation is not None, "a preview with a middle has a generation"
    session = asked.context.generation.session_id
    mode = None if args.mode is None else ApplyMode(args.mode)
    with target.session(args) as (store, _):
        return carry_out(args, store, rehearse(store, session, found, mode))


def refuse_fallback(args: argparse.Namespace, found: Preview) -> None:
    """Keep a fallback made by rule out of a database, unless the user accepts it.

    Raises:
        SummaryError: The summary failed and --accept-fallback was not given.
    """
    if found.failure is None or (found.summary_index is not None and args.accept_fallback):
        return
    remedy = "Fix that and try again"
    if found.summary_index is not None:
        remedy += ", or write the fallback with --accept-fallback"
    raise SummaryError(
        f"the summary failed ({found.failure}), so nothing was written", where="--apply", remedy=remedy
    )


def carry_out(args: argparse.Namespace, store: Store, rehearsal: Rehearsal) -> Applied:
    """Show what a rehearsal would write and the results of the guards, ask, write.

    Raises:
        UsageError: The user does not agree.
        DatabaseError: A guard refused, or the write failed; nothing was changed.
    """
    from core.apply.checks.guards import check_guards, require
    from core.apply.execute import execute
    from core.apply.journal import journal_of

    results = check_guards(store, rehearsal, force=args.force)
    for line in (*_rows(rehearsal), *_checklist(results)):
        output.write_note(line)
    require(results)
    confirm.ask(f"Write this to {rehearsal.database}?", yes=args.yes)
    return execute(rehearsal, journal_of(rehearsal.database), force=args.force)


def payload(applied: Applied | None) -> dict[str, Any]:
    """The JSON fields about writing."""
    if applied is None:
        return {"applied": False, "undo_id": None}
    return {
        "applied": True,
        "undo_id": applied.undo_id,
        "mode": applied.mode.value,
        "session": applied.session_id,
        "target": applied.target_id,
        "rows_written": len(applied.inserted),
        "seconds": applied.seconds,
    }


def lines(applied: Applied | None) -> Iterator[str]:
    """What was written, for people; nothing if nothing was."""
    if applied is None:
        return
    from core.store.database.own_changes import undo_command
    from core.support.formatting import plural

    yield ""
    yield f"written to {applied.target_id} ({applied.mode.value}), {plural(len(applied.inserted), 'row')}"
    yield f"undo it with: {undo_command(applied.undo_id, applied.database)}"


def _guards(text: str) -> tuple[str, ...]:
    from core.apply.checks.guards import NAMES

    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in NAMES:
            raise argparse.ArgumentTypeError(f"{name!r} is not a guard; the guards are {', '.join(NAMES)}")
    return names


def _rows(rehearsal: Rehearsal) -> Iterator[str]:
    from core.support.formatting import plural

    place = "in place" if rehearsal.target_id == rehearsal.session_id else f"into {rehearsal.target_id}"
    gone = plural(len(rehearsal.archived) + len(rehearsal.superseded), "row")
    written = f"{gone} archived, {len(rehearsal.inserted)} written {place}"
    yield f"{rehearsal.mode.value} of {rehearsal.session_id}: {written}"


def _checklist(results: tuple[GuardResult, ...]) -> Iterator[str]:
    for result in results:
        yield f"{result.state.value} · {result.name}: {result.text}"
