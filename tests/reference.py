"""Writes the pages of `docs/reference`, and the output README and pages show: `python -m tests.reference`.

A page comes from the parsers, the table of keys, the settings or the findings, so it cannot be wrong about
them; a test holds that what is committed is what would be written.
"""

from __future__ import annotations

import argparse
import importlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from core.support.yaml_tables import load_table
from inspector.base.commands import key_name, table
from inspector.base.named_screens import NAMES
from inspector.cli.arguments import options
from inspector.cli.registry import COMMANDS
from inspector.settings.settings import Settings, values
from sample_sessions.builder import build
from tests import examples
from tests.conftest import NOW
from tests.shipped import SHARE, licences, shared_files

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
MADE = "<!-- Written by `python -m tests.reference`; do not edit. -->"


def pages() -> dict[str, str]:
    """The content of each page, by the name of its file."""
    made = {"commands": _commands(), "keys": _keys(), "settings": _settings(), "findings": _findings()}
    made["licences"] = licences()
    return {f"{name}.md": "\n".join([MADE, "", *lines, ""]) for name, lines in made.items()}


def _commands() -> Iterator[str]:
    yield "# Commands and options"
    for name, command in COMMANDS.items():
        module = importlib.import_module(f"inspector.cli.{command.module}")
        parser = options.Parser(f"hermes-inspector {name}", "")
        module.add_arguments(parser)
        yield from ("", f"## {name}", "", f"`hermes-inspector {name}`: {command.summary}.", "")
        yield from _block(module.__doc__)
        yield from _table("argument", "what it does", _arguments(parser))


def _arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:  # argparse tells of its options nowhere else
        if action.help == argparse.SUPPRESS or action.dest == "help":
            continue
        told = (action.help or "") % {**vars(action), "prog": parser.prog}
        if action.choices and action.metavar is None:
            told = f"{told}{'; ' if told else ''}one of {', '.join(map(str, action.choices))}"
        yield _usage(action), told


def _usage(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"`{action.metavar or action.dest}`"
    takes = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    value = "" if action.nargs == 0 else f" {takes}"
    return ", ".join(f"`{option}{value}`" for option in action.option_strings)


def _keys() -> Iterator[str]:
    yield from (
        "# Screens and keys",
        "",
        f"Screens, for `--screen`: {', '.join(f'`{name}`' for name in NAMES)}.",
    )
    yield from (
        "",
        "Keys are changed by the name of their command, under `keys` of the [settings](settings.md).",
    )
    for scope, found in groupby(table(), key=lambda command: command.scope):
        yield from ("", f"## {scope}", "")
        rows = (
            (", ".join(f"`{key_name(key)}`" for key in one.keys), f"{one.help} `{one.id}`") for one in found
        )
        yield from _table("key", "what it does, and its name", rows)


def _settings() -> Iterator[str]:
    yield from (
        "# Settings",
        "",
        "`config.yaml` in `~/.config/hermes-inspector` (or `$XDG_CONFIG_HOME`).",
        "",
    )
    yield from ("`hermes-inspector config` shows what is in force and where each value comes from.", "")
    rows = (
        (f"`{'.'.join(path)}`", f"{says} Default: {_default(value)}.")
        for path, value, says in values(Settings())
    )
    yield from _table("setting", "what it does", rows)


def _default(value: object) -> str:
    return f"`{value}`" if value else "not set"


def _findings() -> Iterator[str]:
    yield from ("# Findings", "", "What `findings` can say. Names in braces are the numbers it finds.")
    for name, rule in load_table("core/explain/diagnose/findings.yaml").items():
        yield from (
            "",
            f"## {name}: {rule['name']}",
            "",
            f"Severity: {rule.get('severity', 'as found')}.",
            "",
        )
        yield from _block(_said(rule.get("says")))
        if rule.get("helps"):
            yield "What helps:"
            yield ""
            yield from _block(_said(rule["helps"]))


def _said(text: Any) -> str:
    if isinstance(text, dict):
        return "\n".join(f"{key}: {_said(value)}" for key, value in text.items())
    return str(text or "It says what it found.")


def _block(text: str | None) -> Iterator[str]:
    """Plain text, so that nothing in it is taken for markup."""
    yield from ("```text", *(text or "").strip().splitlines(), "```", "")


def _table(left: str, right: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield from (f"| {left} | {right} |", "|---|---|")
    for name, told in rows:
        told = told.replace("|", "\\|").replace("<", "&lt;")
        yield f"| {name.replace('|', chr(92) + '|')} | {' '.join(told.split())} |"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file, content in pages().items():
        (FOLDER / file).write_text(content, encoding="utf-8")
    for file, content in shared_files().items():
        (SHARE / file).parent.mkdir(parents=True, exist_ok=True)
        (SHARE / file).write_text(content, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({f"XDG_{one}_HOME": f"{folder}/{one}" for one in ("CACHE", "CONFIG", "STATE")})
        examples.refresh(build(Path(folder) / "home", now=NOW))
