"""Starts the app, or draws one frame of it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.store.database.locate import LATEST
from core.support.own_files import OWN_KEYS, config_directory, journal_path
from inspector.cli.arguments import target

if TYPE_CHECKING:
    from core.store.database.locate import Location
    from inspector.app import InspectorApp
    from inspector.settings.state import RememberedState

MAX_FOCUSES = 2


def start(args: argparse.Namespace) -> int:
    """Open the app on the databases the options name, print it line by line, or draw one frame to a file.

    Raises:
        NotFoundError: There is no database or no such session.
        UsageError: There is no such screen, the file cannot be written, or there is no terminal.
    """
    from inspector.cli.app import linear

    if linear.is_asked(args):
        return linear.start(args)
    return show(_app(args), args.screenshot, args.size)


def show(app: InspectorApp, frame: Path | None, size: tuple[int, int] | None) -> int:
    """Run an app, or draw one frame of it.

    Raises:
        UsageError: The file cannot be written, or there is no terminal.
    """
    from core.support.heap import give_back, short_looks

    if frame is None:
        _require_terminal()
        give_back(clear_render_caches)
        short_looks()
        app.run()
    else:
        _screenshot(app, frame, size)
    return app.return_code or 0


def _app(args: argparse.Namespace) -> InspectorApp:
    from inspector.app import InspectorApp
    from inspector.base.named_screens import HOME, PAGES, known_screen

    own = _own()
    if not args.screenshot:  # a frame must not depend on what is remembered, or on the terminal
        own |= {"state": _state(), "colours": colours()}
    view = known_screen(args.screen)
    focuses = _focuses(args.focus or (), view)
    places = target.locations(args)
    with target.stores(args):
        pass  # a database that cannot be read is said here, not in an app that has nothing to show
    own |= _engine(args, places[0] if places else None)
    if view in (None, HOME, *PAGES) and args.session is None:
        return InspectorApp(places, view=view, **own)
    place, session_id = _conversation(args, view)
    others = (one for one in places if one != place)
    return InspectorApp((place, *others), session=session_id, view=view, focuses=focuses, **own)


def _engine(args: argparse.Namespace, place: Location | None) -> dict[str, Any]:
    """The context engine used for plans in the app, and the Python it needs."""
    if args.engine is None:
        return {"hermes_python": args.hermes_python}
    from core.compress.engines.host.discovery import EngineSearch, distinct_name, engine_named
    from core.compress.engines.host.install import find_install
    from core.compress.engines.run import OtherEngine

    search = EngineSearch(None if place is None else place.home, find_install(args.hermes_python))
    found = engine_named(args.engine, search)
    engine = None if found is None else OtherEngine(distinct_name(args.engine, found), found, search)
    return {"hermes_python": args.hermes_python, "engine": engine}


def _own() -> dict[str, Any]:
    """The user's settings for the app."""
    from inspector.base.commands import keymap_of
    from inspector.settings.config_file import own_settings

    settings = own_settings()
    return {
        "keys": config_directory() / OWN_KEYS,
        "own_keys": keymap_of(settings.keys, "keys"),
        "theme": settings.theme,
    }


def colours() -> int | None:
    """How many colours the terminal shows, None for all; Textual is told if it shows none."""
    from inspector.terminal.stdout import colours_of_terminal, ignores_colours

    if ignores_colours():
        os.environ["NO_COLOR"] = "1"  # Textual reads it when the app is made
    return colours_of_terminal()


def _state() -> RememberedState:
    """Where the app remembers values between runs."""
    from inspector.settings.state import FILE_NAME, RememberedState

    return RememberedState(journal_path().with_name(FILE_NAME))


def _conversation(args: argparse.Namespace, view: str | None) -> tuple[Location, str]:
    """The conversation to open: the one named, else for `undo` the last one written to, else the newest."""
    args.session = args.session or (_last_written(args) if view == "undo" else None) or LATEST
    with target.session(args) as (store, session):
        return store.location, session.id


def _last_written(args: argparse.Namespace) -> str | None:
    """The session that Hermes Inspector last wrote to, if that was not undone."""
    from inspector.screens.apply.work import newest_write

    found = [entry for place in target.locations(args) if (entry := newest_write(place))]
    return max(found, key=lambda entry: entry.at).target_id if found else None


def _focuses(topics: Sequence[str], view: str | None) -> Sequence[str]:
    """The topics for the focus lab to compare: as many as it has columns, and for no other screen."""
    from inspector.base.named_screens import FOCUS

    if topics and view != FOCUS:
        raise UsageError("a topic is for the focus lab", where="--focus", remedy=f"Add --screen {FOCUS}")
    if len(topics) > MAX_FOCUSES:
        raise UsageError(f"{len(topics)} topics are named", where="--focus", remedy="Name one or two")
    return topics


def _screenshot(app: InspectorApp, path: Path, size: tuple[int, int] | None) -> None:
    from inspector import screenshot

    try:
        screenshot.take(app, path, size or screenshot.DEFAULT_SIZE)
    except OSError as error:
        raise UsageError(f"cannot be written ({error.strerror})", where=str(path)) from error


def draw_why(place: Location, session_id: str, path: Path) -> None:
    """Draw the Why screen of a conversation to a file.

    Raises:
        UsageError: The file cannot be written.
    """
    from inspector.app import InspectorApp

    _screenshot(InspectorApp([place], session=session_id, view="why"), path, None)


def _require_terminal() -> None:
    """Refuse to draw into a pipe, unless Textual uses another driver, as it does behind a browser."""
    if os.environ.get("TEXTUAL_DRIVER"):
        return
    streams = (sys.stdin, sys.stdout)
    if not all(stream is not None and stream.isatty() for stream in streams):
        raise UsageError(
            "the app needs a terminal",
            remedy="For scripts there is --json on every command, or --screenshot FILE.svg",
        )


def clear_render_caches() -> None:
    """Clear the render caches; the next frame takes a few milliseconds longer."""
    from rich.cells import cached_cell_len
    from rich.segment import Segment
    from textual._styles_cache import StylesCache

    from inspector.terminal.text import _clean_code, _clean_line

    for one in (cached_cell_len, Segment._split_cells, StylesCache.get_inner_outer, _clean_line, _clean_code):
        one.cache_clear()
