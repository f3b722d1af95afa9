"""The settings live in a file in the configuration directory that this program reads and never rewrites.

`show` prints the values in force and where each comes from, `check` names every line that is not valid,
`edit` opens the file in $VISUAL or $EDITOR and creates it if there is none. `check` also reads the keys.yaml
and prices.yaml next to it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from core.errors import ConfigError
from inspector.cli import output
from inspector.cli.arguments import options

if TYPE_CHECKING:
    from inspector.settings.config_file import ConfigFile
    from inspector.settings.edit import ShownSetting

ACTIONS = ("show", "path", "edit", "check")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `config`."""
    parser.add_argument("action", choices=ACTIONS, nargs="?", default="show", help="default: %(default)s")
    options.add_json_option(parser)


def run(args: argparse.Namespace) -> int:
    """Show, locate, edit or check the settings."""
    from inspector.settings.config_file import own_config, read_config

    if args.action == "path":
        path = str(own_config())
        return output.show(args, lambda: {"path": path}, [path], wrap=False)
    if args.action == "edit":
        from inspector.settings.edit import edit_settings

        edit_settings()
    found = read_config(own_config())
    return _show(args, found) if args.action == "show" else _check(args, found)


def _show(args: argparse.Namespace, found: ConfigFile) -> int:
    from inspector.settings.config_file import own_settings
    from inspector.settings.edit import shown_settings

    own_settings()  # raises if the file has a problem
    rows = list(shown_settings(found))
    document = {"path": str(found.path), "exists": found.exists}
    return output.show(args, lambda: document | {"settings": list(map(_row, rows))}, _table(rows))


def _table(rows: Sequence[ShownSetting]) -> Iterator[str]:
    from inspector.cli.table import Column, lines

    columns = (
        Column("setting"),
        Column("value", shrinks=True),
        Column("from", varies=True, rank=1),
        Column("what it does", shrinks=True, wraps=True, least=24, rank=2),
    )
    yield from lines(columns, ([row.name, row.text, row.origin, row.says] for row in rows))


def _row(one: ShownSetting) -> dict[str, Any]:
    value = one.value if isinstance(one.value, dict | float | None) else str(one.value)
    return {"name": one.name, "value": value, "origin": one.origin, "line": one.line, "says": one.says}


def _check(args: argparse.Namespace, found: ConfigFile) -> int:
    problems = [
        {"path": str(found.path), "line": problem.line, "what": problem.what, "remedy": problem.remedy}
        for problem in found.problems
    ] + list(_beside())
    document = {"path": str(found.path), "exists": found.exists, "problems": problems}
    fine = f"{found.path}: {'fine' if found.exists else 'not there, which is fine'}"
    output.show(args, lambda: document, list(map(_line, problems)) or [fine])
    return ConfigError.exit_code if problems else 0


def _line(problem: dict[str, Any]) -> str:
    at = "" if problem["line"] is None else f":{problem['line']}"
    remedy = f". {problem['remedy']}" if problem["remedy"] else ""
    return f"{problem['path']}{at}: {problem['what']}{remedy}"


def _beside() -> Iterator[dict[str, Any]]:
    """Problems in the files of keys and prices."""
    from core.account.pricing.price_book import read_overrides
    from core.support.own_files import OWN_KEYS, OWN_PRICES, config_directory
    from inspector.base.commands import read_keymap

    readers: dict[str, Any] = {OWN_KEYS: read_keymap, OWN_PRICES: read_overrides}
    for name, read in readers.items():
        path = config_directory() / name
        try:
            read(path)
        except ConfigError as error:
            yield {"path": error.where or str(path), "line": None, "what": error.what, "remedy": error.remedy}
