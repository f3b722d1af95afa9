"""Where context engines are looked for: the home, and the interpreter Hermes runs on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import NotFoundError
from core.store.database.locate import default_home
from inspector.cli.arguments import target

if TYPE_CHECKING:
    from core.compress.engines.host.discovery import EngineSearch


def engine_search(args: argparse.Namespace, home: Path | None = None) -> EngineSearch:
    """Where engines are looked for.

    Raises:
        NotFoundError: There is no interpreter of that name.
        ConfigError: It has no Hermes.
    """
    from core.compress.engines.host.discovery import EngineSearch
    from core.compress.engines.host.install import find_install

    return EngineSearch(home or home_of(args), find_install(args.hermes_python))


def home_of(args: argparse.Namespace) -> Path | None:
    """The home the options mean, whether or not there is a database in it.

    Raises:
        NotFoundError: The one named does not exist.
    """
    try:
        return target.locations(args)[0].home
    except NotFoundError:
        if args.db is not None or args.profile is not None:
            raise
    if args.home is not None and not args.home.expanduser().is_dir():
        raise NotFoundError("no such HERMES_HOME", where=str(args.home))
    home = args.home.expanduser() if args.home is not None else default_home()
    return home if home.is_dir() else None
