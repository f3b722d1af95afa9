"""Prints messages, calls, compactions, failures and cache breaks once each, in the order they were written.

The files are checked four times a second, and only what was added is read. With --cursor FILE a later call
continues where this one ended, including what was written in between. Ctrl-C ends it.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from inspector.cli import output
from inspector.cli.arguments import options, parsers, target
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.live.event import LiveEvent
    from core.live.follow import Follower
    from inspector.settings.settings import Settings


KINDS = ("message", "call", "compaction", "failure", "cache_break", "budget", "alert")
PACE = 0.25
"""Seconds between two checks of the files."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `watch`."""
    add = parser.add_argument
    add("--kind", choices=KINDS, action="append", help="only events of this kind; may be repeated")
    add("--cursor", type=Path, metavar="FILE", help="continue from the position in FILE, and save it there")
    add("--once", action="store_true", help="print what is new since the cursor and exit")
    add("--alert-at", type=parsers.share, metavar="SHARE", help="alert above this share of the threshold")
    add("--budget", type=parsers.dollars, metavar="USD", help="alert when today's cost passes this")
    add(
        "--notify",
        action="store_true",
        help="ring the bell or notify the desktop on alerts, failures, costly cache breaks and the budget",
    )
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print events as they happen, one per line, until stopped."""
    from inspector.settings.notifier import Notifier

    followers = _begun(args)
    caller = Notifier(_own().alerts, _ring) if args.notify else None
    wanted = frozenset(args.kind or KINDS)
    said, saved = "", _begun_of(followers)
    while True:
        found = [(follower, event) for follower in followers for event in follower.look()]
        if args.once:
            found += [(follower, event) for follower in followers for event in follower.rest()]
        with _delay_signals() if args.cursor else nullcontext():
            _tell([(one, event) for one, event in found if event.kind.value in wanted], as_json=args.json)
            if args.cursor and (found or saved < _begun_of(followers)):
                _keep(args.cursor, followers)
                saved = _begun_of(followers)
        if caller and (
            failed := caller.tell([event for one, event in found if one.limits.should_notify(event)])
        ):
            output.write_note(failed)
        said = _complain(followers, said)
        if args.once:
            return 0
        time.sleep(PACE)


def _begun(args: argparse.Namespace) -> Sequence[Follower]:
    from core.live.follow import Follower, begin_each
    from inspector.settings.notifier import limits_of

    limits = limits_of(_own(), share=args.alert_at, budget=args.budget)
    followers = [Follower(place, limits) for place in target.locations(args)]
    saved = _read(args.cursor) if args.cursor else {}
    for follower in followers:
        state = saved.get(str(follower.place.db.absolute()))
        if state is None:
            continue
        try:
            follower.restore(state)
        except ValueError as error:
            raise UsageError(
                f"is not a cursor ({error})", where=str(args.cursor), remedy="Delete it"
            ) from None
    begin_each(followers)
    if args.cursor and len(saved) < len(followers):
        _keep(args.cursor, followers)
    return followers


def _begun_of(followers: Sequence[Follower]) -> int:
    """How many have a position to save: those that could be read."""
    return sum(follower.begun for follower in followers)


@contextmanager
def _delay_signals() -> Iterator[None]:
    """Delay a signal until printed events are saved, or they would be printed twice; a second one ends it."""
    asked: list[int] = []

    def wait(number: int, _frame: object) -> None:
        asked.append(number)
        if len(asked) > 1:
            raise KeyboardInterrupt

    before = {one: signal.signal(one, wait) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    for number in asked:
        signal.raise_signal(number)


def _own() -> Settings:
    from inspector.settings.config_file import own_settings

    return own_settings()


def _ring() -> None:
    sys.stderr.write("\a")
    sys.stderr.flush()


def _tell(found: Sequence[tuple[Follower, LiveEvent]], *, as_json: bool) -> None:
    from inspector.base import event_words

    for follower, event in found:
        if as_json:
            output.write_json(_payload(event, follower.place.profile))
        else:
            output.write_lines([event_words.text(event)])
    if found:
        sys.stdout.flush()


def _complain(followers: Sequence[Follower], last: str) -> str:
    """Report on stderr what cannot be read, once per reason."""
    problems = " · ".join(follower.problem for follower in followers if follower.problem)
    if problems and problems != last:
        output.write_note(f"waiting: {problems}")
    return problems


def _read(path: Path) -> dict[str, str]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot be read ({error})", where=str(path)) from None
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UsageError("is not a cursor", where=str(path), remedy="Delete it, or name another file")
    return {str(name): str(state) for name, state in found.items()}


def _keep(path: Path, followers: Sequence[Follower]) -> None:
    """Save the position atomically."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    states = {str(follower.place.db.absolute()): follower.saved() for follower in followers if follower.begun}
    try:
        unfinished.write_text(json.dumps(states), encoding="utf-8")
        os.replace(unfinished, path)
    except OSError as error:
        raise UsageError(f"cannot be written ({error.strerror})", where=str(path)) from None
    finally:
        with suppress(OSError):
            unfinished.unlink()


def _payload(event: LiveEvent, profile: str | None = None) -> dict[str, Any]:
    """An event as JSON."""
    return {
        **jsonio.fields(event, "at kind session key"),
        "profile": profile,
        **event.facts,
    }
