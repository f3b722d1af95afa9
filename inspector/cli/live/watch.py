"""Messages, calls, compactions, failures and cache breaks, each told once, in the order they were written.

The files are looked at four times a second; only what was added is read. With --cursor FILE a later call goes
on where this one ended, with whatever was written in between. Ends with Ctrl-C.
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
from inspector.cli.arguments import options, target
from inspector.cli.arguments import parsers as numbers
from inspector.payloads import values as jsonio

if TYPE_CHECKING:
    from core.live.event import LiveEvent
    from core.live.follow import Follower
    from inspector.settings.settings import Settings


KINDS = ("message", "call", "compaction", "failure", "cache_break", "budget", "alert")
PACE = 0.25
"""Seconds between two looks."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `watch`."""
    add = parser.add_argument
    add("--kind", choices=KINDS, action="append", help="only events of this kind; may be repeated")
    add("--cursor", type=Path, metavar="FILE", help="go on from FILE, and keep in it how far")
    add("--once", action="store_true", help="tell what there is since the cursor, and end")
    add("--alert-at", type=numbers.share, metavar="SHARE", help="tell when context passes this share: 0.8")
    add("--budget", type=numbers.dollars, metavar="USD", help="tell when today's money passes this")
    add(
        "--notify",
        action="store_true",
        help="ring the bell, or notify the desktop, at alerts, failures, dear cache breaks and the budget",
    )
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print what happens, one line an event, until stopped."""
    from inspector.settings.notifier import Notifier

    followers = _begun(args)
    caller = Notifier(_own().alerts, _ring) if args.notify else None
    wanted = frozenset(args.kind or KINDS)
    said = ""
    while True:
        found = [(one, event) for one in followers for event in one.look()]
        if args.once:
            found += [(one, event) for one in followers for event in one.rest()]
        with _unbroken() if args.cursor else nullcontext():
            _tell([(one, event) for one, event in found if event.kind.value in wanted], as_json=args.json)
            if found and args.cursor:
                _keep(args.cursor, followers)
        if caller and (failed := caller.tell([event for one, event in found if one.limits.speak_up(event)])):
            output.write_note(failed)
        said = _complain(followers, said)
        if args.once:
            return 0
        time.sleep(PACE)


def _begun(args: argparse.Namespace) -> Sequence[Follower]:
    from core.live.follow import Follower
    from inspector.settings.notifier import limits_of

    limits = limits_of(_own(), share=args.alert_at, budget=args.budget)
    followers = [Follower(place, limits) for place in target.locations(args)]
    saved = _read(args.cursor) if args.cursor else {}
    for one in followers:
        state = saved.get(str(one.place.db.absolute()))
        if state is None:
            one.begin()
            continue
        try:
            one.restore(state)
        except ValueError as error:
            raise UsageError(f"is no cursor ({error})", where=str(args.cursor), remedy="Delete it") from None
    if args.cursor and not saved:
        _keep(args.cursor, followers)
    return followers


@contextmanager
def _unbroken() -> Iterator[None]:
    """Being told to end waits, or what was told and not kept would be told once more; told twice, it ends."""
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


def _complain(followers: Sequence[Follower], said: str) -> str:
    """Say on stderr what cannot be read, once for each reason."""
    problems = " · ".join(one.problem for one in followers if one.problem)
    if problems and problems != said:
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
        raise UsageError("is no cursor", where=str(path), remedy="Delete it, or name another file")
    return {str(name): str(state) for name, state in found.items()}


def _keep(path: Path, followers: Sequence[Follower]) -> None:
    """Write how far was told: whole or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    states = {str(one.place.db.absolute()): one.saved() for one in followers}
    try:
        unfinished.write_text(json.dumps(states), encoding="utf-8")
        os.replace(unfinished, path)
    except OSError as error:
        raise UsageError(f"cannot be written ({error.strerror})", where=str(path)) from None
    finally:
        with suppress(OSError):
            unfinished.unlink()


def _payload(event: LiveEvent, profile: str | None = None) -> dict[str, Any]:
    """An event as the command line promises it."""
    return {
        **jsonio.fields(event, "at kind session key"),
        "profile": profile,
        **event.facts,
    }
