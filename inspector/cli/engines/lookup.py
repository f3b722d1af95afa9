"""Where to look for context engines: the home, and the Python that runs Hermes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import NotFoundError
from inspector.cli.arguments import target

if TYPE_CHECKING:
    from core.compress.engines.host.discovery import EngineSearch


def engine_search(args: argparse.Namespace, home: Path | None = None) -> EngineSearch:
    """Where to look for engines.

    Raises:
        NotFoundError: The Python named does not exist.
        ConfigError: It has no Hermes installed.
    """
    from core.compress.engines.host.discovery import EngineSearch
    from core.compress.engines.host.install import find_install

    return EngineSearch(home or home_of(args), find_install(args.hermes_python))


def home_of(args: argparse.Namespace) -> Path | None:
    """The home that the options select, even if it has no database.

    Raises:
        NotFoundError: The home named does not exist.
    """
    try:
        return target.locations(args)[0].home
    except NotFoundError:
        if args.db is not None or args.profile is not None:
            raise
    home = target.home_named(args)
    if args.home is not None and not home.is_dir():
        raise NotFoundError("no such HERMES_HOME", where=str(args.home))
    return home if home.is_dir() else None
