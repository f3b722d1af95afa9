"""The settings are yours: a file in the configuration directory that this program reads and never rewrites.

`show` says what is in force and where each value comes from, `check` names every line that cannot be used,
`edit` opens the file in $VISUAL or $EDITOR, and begins it when there is none. keys.yaml and prices.yaml
beside it are checked too.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from core.errors import ConfigError, UsageError
from inspector.cli import output
from inspector.cli.arguments import options

if TYPE_CHECKING:
    from inspector.settings.config_file import ConfigFile

ACTIONS = ("show", "path", "edit", "check")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `config`."""
    parser.add_argument("action", choices=ACTIONS, nargs="?", default="show", help="default: %(default)s")
    options.add_json_option(parser)


def run(args: argparse.Namespace) -> int:
    """Show, name, open or check the settings."""
    from inspector.settings.config_file import own_config, read_config

    if args.action == "path":
        path = str(own_config())
        output.write_json({"path": path}) if args.json else output.write_lines([path])
        return 0
    if args.action == "edit":
        _edit()
    found = read_config(own_config())
    return _show(found, args.json) if args.action == "show" else _check(found, args.json)


def _show(found: ConfigFile, as_json: bool) -> int:
    from inspector.settings.config_file import own_settings

    own_settings()  # says what is wrong with it
    rows = list(_rows(found))
    if as_json:
        output.write_json({"path": str(found.path), "exists": found.exists, "settings": rows})
        return 0
    from inspector.cli.table import Column, lines

    columns = (
        Column("setting"),
        Column("value", shrinks=True),
        Column("from", varies=True, rank=1),
        Column("what it does", shrinks=True, wraps=True, least=24, rank=2),
    )
    output.write_lines(
        lines(columns, ([row["name"], _text(row["value"]), row["origin"], row["says"]] for row in rows))
    )
    return 0


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {keys}" for key, keys in value.items()) or "-"
    return "-" if value is None else str(value)


def _rows(found: ConfigFile) -> Iterator[dict[str, Any]]:
    from inspector.settings.settings import values

    for path, value, says in values(found.settings):
        line = found.lines.get(path)
        origin = "default" if line is None else f"{found.path.name}:{line}"
        if path == ("homes", "default") and (named := os.environ.get("HERMES_HOME", "").strip()):
            value, origin = named, "$HERMES_HOME"
        shown = value if isinstance(value, dict | float | None) else str(value)
        yield {"name": ".".join(path), "value": shown, "origin": origin, "line": line, "says": says}


def _check(found: ConfigFile, as_json: bool) -> int:
    problems = [
        {"path": str(found.path), "line": one.line, "what": one.what, "remedy": one.remedy}
        for one in found.problems
    ] + list(_beside())
    if as_json:
        output.write_json({"path": str(found.path), "exists": found.exists, "problems": problems})
    elif problems:
        output.write_lines(map(_line, problems))
    else:
        output.write_lines([f"{found.path}: {'fine' if found.exists else 'not there, which is fine'}"])
    return ConfigError.exit_code if problems else 0


def _line(problem: dict[str, Any]) -> str:
    at = "" if problem["line"] is None else f":{problem['line']}"
    remedy = f". {problem['remedy']}" if problem["remedy"] else ""
    return f"{problem['path']}{at}: {problem['what']}{remedy}"


def _beside() -> Iterator[dict[str, Any]]:
    """What is wrong with the files of keys and of prices."""
    from core.account.pricing.price_book import read_overrides
    from core.support.file_cache import OWN_KEYS, OWN_PRICES, config_directory
    from inspector.base.commands import read_keymap

    readers: dict[str, Any] = {OWN_KEYS: read_keymap, OWN_PRICES: read_overrides}
    for name, read in readers.items():
        path = config_directory() / name
        try:
            read(path)
        except ConfigError as error:
            yield {"path": error.where or str(path), "line": None, "what": error.what, "remedy": error.remedy}


def _edit() -> None:
    """Open the file in the user's editor, begun with every setting commented out when there is none."""
    from inspector.settings.config_file import own_config
    from inspector.settings.template import TEMPLATE

    editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    path = own_config()
    if not editor or sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("no editor can be opened here", remedy=f"Set $EDITOR in a terminal, or edit {path}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text(TEMPLATE, encoding="utf-8")
        subprocess.run([*editor, str(path)], check=False)
    except OSError as error:
        raise ConfigError(f"cannot be edited ({error.strerror})", where=str(path)) from error
