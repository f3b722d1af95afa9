"""The app without drawing: screens as lines and choices as numbers, for screen readers and pipes.

Answers are read from stdin, one per line. The output comes from the commands of the same names.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from core.errors import InspectorError
from core.store.database.locate import LATEST
from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.cli.registry import COMMANDS

if TYPE_CHECKING:
    from core.model.transcript.session import ConversationRow
    from core.store.database.locate import Location
    from core.store.store import Store

ENVIRONMENT = "HERMES_INSPECTOR_LINEAR"
PAGE = 20
"""Conversations listed at a time."""
Words = Sequence[str]
Item = TypeVar("Item")

ABOUT_ONE: Mapping[str, Words] = {
    "Why it was compressed, or why not": ("why",),
    "What the model sees and where compression would cut": ("plan",),
    "What a compaction would keep and lose; nothing is written": ("compress", "--summariser", "extractive"),
    "Tokens and cost": ("usage",),
    "Prompt cache, call by call": ("cache",),
    "Its sessions, branches and sub-agents": ("chain",),
    "What is wrong, and what helps": ("findings",),
    "What happened to each tool result": ("results",),
    "The messages": ("show",),
}
"""What you can ask about a conversation, and the command that answers; the session id is added to it."""
SCREENS = {"map": "plan", "sums": "plan", "preview": "compress", "lost": "compress"}
"""Screens whose command has a different name."""
ABOUT_ALL = {"f": "findings", "u": "usage"}
"""Answers that ask about all conversations, and the command of each."""
OVER_ALL = {"findings": "findings", "spending": "usage"}
"""Screens over all conversations, and the command of each."""


def is_asked(args: argparse.Namespace) -> bool:
    """Whether to print instead of drawing; a screenshot is always drawn."""
    return bool(args.linear or os.environ.get(ENVIRONMENT, "") not in ("", "0")) and args.screenshot is None


def start(args: argparse.Namespace) -> int:
    """List the conversations and answer questions about the chosen one, until q or the end of stdin."""
    if not _begun(args):
        return 0
    query, begin = "", 0
    _today(args)
    while True:
        rows, total = _list(args, query, begin)
        answer = _ask(
            "Type a number, n for more, / and a text to filter, f for findings, u for usage, q to quit"
        )
        if answer is None:
            return 0
        if answer.startswith("/"):
            query, begin = answer[1:].strip(), 0
        elif answer == "n":
            begin = begin + PAGE if begin + PAGE < total else 0
        elif answer in ABOUT_ALL:
            _answer((ABOUT_ALL[answer], *target.words(args)))
        elif (row := _choose(rows, answer)) is not None and not _one(*row):
            return 0


def _begun(args: argparse.Namespace) -> bool:
    """Answer what the command-line options ask for; returns whether to continue with the list."""
    from inspector.base.named_screens import known_screen

    screen = known_screen(args.screen) or ""
    about = [words for words in ABOUT_ONE.values() if words[0] == SCREENS.get(screen, screen)]
    if args.session is None and screen in OVER_ALL:
        _answer((OVER_ALL[screen], *target.words(args)))
    elif args.session is not None or about:
        args.session = args.session or LATEST
        with target.session(args) as (store, session):
            place, session_id = store.location, session.id
        for words in about:
            _answer((*words, session_id, "--db", str(place.db)))
        return _one(place, session_id, session_id)
    return True


def _today(args: argparse.Namespace) -> None:
    """Print what today cost, and which conversation most of it."""
    from core.account.spending.budget import spent_lately
    from core.support.formatting import money

    with target.stores(args) as stores:
        today = spent_lately(stores)
    period = "since yesterday" if today.since_yesterday else "today"
    if not today.usd:
        said = f"Nothing was spent {period}." if today.known is not None else "Today's cost is not known."
    else:
        most = f", most of it in {today.largest[0]}" if today.largest is not None else ""
        said = f"{period.capitalize()}: {'at least ' if today.at_least else ''}{money(today.usd)}{most}."
    output.write_lines([said])


Choice = tuple["Location", str, str]
"""The database of a conversation, its newest session, and its name."""


def _list(args: argparse.Namespace, wanted: str, begin: int) -> tuple[list[Choice], int]:
    """Print one page of conversations, newest first."""
    found, total, several = _page(args, wanted, begin)
    heading = f"Conversations {begin + 1 if found else 0} to {begin + len(found)} of {total}"
    output.write_lines([f"{heading}{f', containing {wanted}' if wanted else ''}."])
    if failing := [name for _, row, name in found if row.tip.guards.failure_error]:
        output.write_lines(
            [f"Compression fails in {'; '.join(failing)}. Its number, then 1, says what helps."]
        )
    for number, (place, row, name) in enumerate(found, 1):
        output.write_lines([f"{number}. {name}. {_figures(row, place, several=several)}"])
    return [(place, row.tip.id, name) for place, row, name in found], total


def _page(
    args: argparse.Namespace, wanted: str, begin: int
) -> tuple[list[tuple[Location, ConversationRow, str]], int, bool]:
    """The conversations of a page, how many there are in all, and whether in several databases.

    Sub-agents are among them only if a filter finds them.
    """
    from core.model.transcript.session import LONG_AGO, Kind, ListQuery

    chats = frozenset(Kind) - {Kind.DELEGATE}
    query = ListQuery(begin + PAGE, text=wanted or None, kinds=None if wanted else chats)
    found: list[tuple[Location, ConversationRow, str]] = []
    totals: list[int] = []

    def read(store: Store) -> None:
        page = store.conversations(query)
        began = store.began_with(page.rows)
        found.extend((store.location, row, _name(row, began)) for row in page.rows)
        totals.append(page.total)

    with target.stores(args) as stores:
        target.each(stores, read)
        several = len(stores) > 1
    found.sort(key=lambda one: one[1].last_active or LONG_AGO, reverse=True)
    return found[begin : begin + PAGE], sum(totals), several


def _name(row: ConversationRow, began: Mapping[str, str]) -> str:
    from core.redact.quick_check import masked_line

    return masked_line(row.named(began), 80)


def _figures(row: ConversationRow, place: Location, *, several: bool) -> str:
    """What the list says about one conversation, each figure with its name."""
    from core.account.pricing.paid import paid
    from core.support import formatting as fmt

    least = "at least " if row.lower_bound and row.cost.usd is not None else ""
    cost = paid(row.cost.usd, row.sessions)
    figures = (
        "Compression fails" if row.tip.guards.failure_error else "",
        f"Profile: {place.label}" if several else "",
        f"Where: {row.tip.source or 'unknown'}",
        f"Model: {row.tip.model or 'unknown'}",
        f"Last active: {fmt.age(row.last_active, fmt.utc_now())}",
        f"Sessions: {len(row.sessions)}",
        f"Cost: {'unknown' if cost == fmt.UNKNOWN else least + cost}",
    )
    return ". ".join(filter(None, figures))


def _one(place: Location, session: str, name: str) -> bool:
    """Answer questions about one conversation until the user goes back; whether to continue with the list."""
    while True:
        output.write_lines(["", f"Conversation: {name}"])
        output.write_lines([f"{number}. {label}" for number, label in enumerate(ABOUT_ONE, 1)])
        answer = _ask("Type a number, b to go back, q to quit")
        if answer is None or answer == "b":
            return answer == "b"
        words = _choose(list(ABOUT_ONE.values()), answer)
        if words is not None:
            _answer((*words, session, "--db", str(place.db)))


def _answer(words: Words) -> None:
    """Print the output of a command, or the error line that says why there is none."""
    name, *rest = words
    module = importlib.import_module(f"inspector.cli.{COMMANDS[name].module}")
    parser = options.Parser(name, "")
    module.add_arguments(parser)
    output.write_lines(["", f"{COMMANDS[name].summary[0].upper()}{COMMANDS[name].summary[1:]}:"])
    run: Callable[[argparse.Namespace], int] = module.run
    try:
        run(parser.parse_args(rest))
    except InspectorError as error:
        output.write_lines([error.line])
    output.write_lines([""])


def _choose(found: Sequence[Item], answer: str) -> Item | None:
    """The item a number stands for; an invalid answer is reported."""
    if answer.isascii() and answer.isdigit() and len(answer) < 6 and 0 < int(answer) <= len(found):
        return found[int(answer) - 1]
    output.write_lines([f"Not a choice here: {answer[:40] or 'an empty answer'}."])
    return None


def _ask(what: str) -> str | None:
    """Prompt for a line of stdin; None for q or the end of input."""
    sys.stdout.write(f"{what}: ")
    sys.stdout.flush()
    line = sys.stdin.readline() if sys.stdin is not None else ""
    if not line or line.strip().lower() in ("q", "quit"):
        sys.stdout.write("\n")
        return None
    return line.strip()
