"""Context used of the threshold, today's money, cache hit rate, worst finding: for a prompt or a status bar.

A template names its fields in braces: --format '{share} {today}'. What the fields are lists --fields. Titles
and findings may quote what somebody else wrote: leave {title} and {worst} out of a shell prompt, which reads
% and $ in them.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from inspector.cli import printed_cache
from inspector.cli.arguments import options, target
from inspector.cli.live import status_line

if TYPE_CHECKING:
    from core.support.file_cache import KeptAnswer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `status`."""
    options.add_session_argument(parser, optional=True)
    parser.add_argument(
        "--format", metavar="TEMPLATE", default=status_line.DEFAULT, help="what the line says; see below"
    )
    parser.add_argument("--fields", action="store_true", help="list what a template may name, and end")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print one line about one conversation; the newest without a name."""
    if args.fields:
        listed = (f"{f'{{{name}}}':<12} {what}\n" for name, what in status_line.FIELDS.items())
        sys.stdout.writelines(listed)
        return 0
    if args.format != status_line.DEFAULT:
        status_line.check(args.format)
    document, _, words = _answer(args).partition("\n")
    _tell(document if args.json else args.format.format_map(json.loads(words)), as_json=args.json)
    return 0


def _tell(line: str, *, as_json: bool) -> None:
    """One line; a terminal gets it as wide as it is. What it says is harmless already."""
    from inspector.cli import output
    from inspector.terminal.stdout import terminal_width

    if as_json or terminal_width() is None:
        output.write_text(f"{line}\n")
    else:
        output.write_lines([line], mask=False)


def _answer(args: argparse.Namespace) -> str:
    """The status as JSON, and on a second line its words; as it was kept where nothing has changed."""
    same = {"session": args.session or target.LATEST, "json": True, "format": ""}
    asked = argparse.Namespace(**vars(args) | same)
    cached = printed_cache.entry(asked, *printed_cache.prices(), today=True, several=True)
    text = cached.read() if cached else None
    return text if text is not None else _asked(asked, cached)


def _asked(args: argparse.Namespace, cached: KeptAnswer | None) -> str:
    from core.live.status import status_of
    from inspector.payloads import values as jsonio
    from inspector.payloads.conversation import status_payload

    with target.stores(args) as stores:
        store, session = target.chosen(stores, args.session)
        store.learn(session.id)
        found = status_of(store, session.id, stores)
        whole = len(stores) == len(target.locations(args))
    document = jsonio.dumps(jsonio.masked(status_payload(found)))
    text = f"{document}\n{jsonio.dumps(status_line.fields(found))}"
    if cached and whole:
        printed_cache.write(cached, text)
    return text
