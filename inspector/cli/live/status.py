"""Prints one line for a prompt or status bar: context used, today's cost, cache hit rate, worst finding.

A template names fields in braces: --format '{share} {today}'; --fields lists them. Titles and findings may
quote what somebody else wrote: leave {title} and {worst} out of a shell prompt, because the shell expands
% and $ in them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.errors import UsageError
from core.store.database.locate import LATEST
from core.support.formatting import UNKNOWN
from inspector.cli import output, printed_cache
from inspector.cli.arguments import options, target
from inspector.payloads import values as jsonio
from inspector.terminal.stdout import terminal_width

if TYPE_CHECKING:
    from core.live.status import Status
    from core.support.program_files import KeptAnswer

FIELDS = {
    "session": "id of the newest session",
    "title": "title of the conversation",
    "tokens": "size of the next request, with ~ if it is an estimate",
    "threshold": "size at which compression fires",
    "share": "context used, in percent of the threshold",
    "today": "cost of the sessions that began today, with ≥ if some of it is unknown",
    "hit_rate": "share of the prompts that came from the cache",
    "mark": "■ critical, ▲ warning, ● otherwise",
    "rule": "rule of the worst finding, such as F10",
    "severity": "severity of the worst finding",
    "worst": "the worst finding as a sentence",
}
"""The fields a template may use, and what they mean."""
DEFAULT = "{tokens} of {threshold} tokens ({share}) · today {today} · cache {hit_rate} · {mark} {worst}"
_UNLIMITED = DEFAULT.replace("{tokens} of {threshold} tokens ({share})", "{tokens} tokens, limit unknown")
_MARKS = {"critical": "■", "warning": "▲"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `status`."""
    options.add_session_argument(parser, optional=True)
    add = parser.add_argument
    add("--format", metavar="TEMPLATE", default=DEFAULT, help="template of the line; see below")
    add("--fields", action="store_true", help="list the fields of a template and exit")
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print one line about one conversation, by default the newest."""
    if args.fields:
        listed = (f"{f'{{{name}}}':<12} {what}" for name, what in FIELDS.items())
        return output.show(args, lambda: {"fields": FIELDS}, listed)
    if args.format != DEFAULT:
        check(args.format)
    document, _, words = _answer(args).partition("\n")
    known = json.loads(words)
    unlimited = args.format == DEFAULT and known["threshold"] == UNKNOWN
    template = _UNLIMITED if unlimited else args.format
    _tell(document if args.json else template.format_map(known), as_json=args.json)
    return 0


def _tell(line: str, *, as_json: bool) -> None:
    """Print the line, wrapped on a terminal; its texts are cleaned already."""
    if as_json or terminal_width() is None:
        output.write_text(f"{line}\n")
    else:
        output.write_lines([line], mask=False)


def _answer(args: argparse.Namespace) -> str:
    """The status as JSON, then on a second line its fields; read from the cache if nothing has changed."""
    same = {"session": args.session or LATEST, "json": True, "format": ""}
    asked = argparse.Namespace(**vars(args) | same)
    cached = printed_cache.entry(asked, *printed_cache.prices(), today=True, several=True)
    text = cached.read() if cached else None
    return text if text is not None else _fresh_status(asked, cached)


def _fresh_status(args: argparse.Namespace, cached: KeptAnswer | None) -> str:
    from core.live.status import status_of
    from core.store.store import resolve_in
    from inspector.payloads.conversation import status_payload

    with target.stores(args) as stores:
        store, session = target.choose(stores, args.session)
        store.learn(session.id)
        found = status_of(store, session.id, stores)
        _, errors = resolve_in(stores, LATEST)
        is_complete = not errors and len(stores) == len(target.locations(args))
    document = jsonio.dumps(jsonio.masked(status_payload(found)))
    text = f"{document}\n{jsonio.dumps(fields(found))}"
    if cached and is_complete:
        printed_cache.write(cached, text)
    return text


def check(template: str) -> None:
    """Check that a template uses only `FIELDS`.

    Raises:
        UsageError: It uses another field, or its braces are not balanced.
    """
    from string import Formatter

    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise UsageError(
            f"--format: {error}", remedy="Double every brace that does not belong to a field"
        ) from None
    for _, name, form, conversion in parts:
        if name is None:
            continue
        if name not in FIELDS:
            raise UsageError(
                f"--format: there is no field {name!r}", remedy=f"Choose from {', '.join(FIELDS)}"
            )
        if form or conversion:
            raise UsageError(f"--format: {name} takes no format", remedy=f"Write {{{name}}}")


def fields(found: Status) -> dict[str, str]:
    """The values of `FIELDS` for one status, safe to print."""
    from core.model.finding import Verdict
    from core.support import formatting as fmt
    from inspector.terminal.text import clean_line

    estimated = "" if found.verdict is Verdict.PROVED else fmt.ESTIMATE
    worst = found.worst
    severity = worst.severity.value if worst else ""
    words: Mapping[str, str] = {
        "session": found.session,
        "title": found.title,
        "tokens": fmt.short(found.tokens, mark=estimated),
        "threshold": fmt.round_number(found.threshold),
        "share": fmt.percent(found.share, mark=estimated),
        "today": fmt.money(found.today.known, mark=fmt.LOWER_BOUND if found.today.at_least else ""),
        "hit_rate": fmt.percent(found.hit_rate),
        "mark": _MARKS.get(severity, "●"),
        "rule": worst.rule if worst else "",
        "severity": severity,
        "worst": worst.sentence if worst else "no findings",
    }
    return {name: clean_line(word) for name, word in words.items()}
