"""Writes a report for a bug tracker: what happened to a conversation, without what was said in it.

It has compactions with their evidence, findings, the current size and threshold, usage, cache and lineage.
`jsonl` is the exception: it holds the newest generation's messages, one per line. Credentials are masked.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import UsageError
from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.cli.arguments.parsers import frame
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.model.transcript.session import Session
    from core.store.store import Store

FORMATS = ("md", "html", "json", "jsonl")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `export`."""
    options.add_session_argument(parser)
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="default: %(default)s")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of stdout")
    parser.add_argument("--screenshot", type=frame, metavar="FILE.svg", help="also draw the Why screen")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Write a report."""
    from inspector.report.document import report_text

    form = "json" if args.json else args.format
    with target.session(args) as (store, session):
        text = _messages(store, session) if form == "jsonl" else report_text(store, session, form)
        place = store.location
    _write(args.output, text)
    if args.screenshot is not None:
        from inspector.cli.app import open as app

        app.draw_why(place, session.id, args.screenshot)
    return 0


def _messages(store: Store, session: Session) -> str:
    """The newest generation as OpenAI messages, one per line."""
    from core.redact.message import redact_message

    generations = store.conversation(session.id).generations
    messages = store.generation_messages(generations[-1]) if generations else ()
    return "".join(f"{jsonio.dumps(dict(redact_message(message).wire))}\n" for message in messages)


def _write(path: Path | None, text: str) -> None:
    if path is None:
        output.write_text(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot be written ({error.strerror})", where=str(path)) from error
    output.write_note(f"written to {path}")
