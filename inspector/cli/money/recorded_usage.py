"""What a recorder inside Hermes saw of a conversation, compared with what Hermes counted."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from core.support.own_files import state_directory
from inspector.cli.arguments import target

if TYPE_CHECKING:
    from core.account.spending.ledger import Books
    from core.model.accounting.usage import RecordedUse


def _recording(args: argparse.Namespace) -> RecordedUse | None:
    """What the recorder saw of the named conversation; None if nothing was recorded."""
    from core.recordings import FILE_NAME

    if args.session is None or not (state_directory() / FILE_NAME).exists():
        return None
    from core.explain.recorded import recorded_use

    with target.session(args) as (store, session):
        sessions = [one.id for one in store.conversation(session.id).sessions]
        return recorded_use(store.location.home, sessions)


def _agrees(found: RecordedUse, books: Books) -> bool:
    """Whether every call Hermes counted was recorded with the same tokens in each bucket."""
    from core.model.accounting.amounts import Buckets

    main = [row for row in books.ledger().rows if not row.task]
    tokens = sum((row.tokens for row in main), Buckets())
    calls = sum(row.calls or 0 for row in main)
    names = ("input", "cache_read", "cache_write", "output")
    same = all(getattr(tokens, name) == getattr(found.tokens, name) for name in names)
    return same and calls == found.requests


def payload(args: argparse.Namespace, books: Books) -> dict[str, Any] | None:
    """What was recorded, and whether it proves the ledger; None if nothing was recorded."""
    from inspector.payloads.conversation import recorded_payload

    found = _recording(args)
    if found is None:
        return None
    verdict = "proved" if _agrees(found, books) else "derived"
    return {"verdict": verdict, **recorded_payload(found)}


def lines(args: argparse.Namespace, books: Books) -> Iterator[str]:
    """The same as printed lines."""
    from inspector.cli.money.cache_text import recorded_lines

    found = _recording(args)
    if found is None:
        return
    yield ""
    yield from recorded_lines(found)
    proved = "checked: every call was recorded with the same tokens in each bucket"
    differs = "not every call that Hermes counted was recorded with the same tokens"
    yield f"   {proved if _agrees(found, books) else differs}"
