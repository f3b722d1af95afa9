"""A page for each command: what a person wrote about it, and below that its options from the parser."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from pathlib import Path

from inspector.cli.arguments import options
from inspector.cli.registry import COMMANDS
from tests.reference.markdown import block, table

MADE = "<!-- From here on written by `python -m tests.reference`; do not edit below. -->"
INDEX = "index.md"


def command_pages(folder: Path) -> dict[str, str]:
    """Each page as it should be, by the name of its file: the written part stays, the rest is generated."""
    made = {f"{name}.md": options_of(name) for name in COMMANDS}
    made[INDEX] = table(
        "command", "what it does", ((f"[{n}]({n}.md)", c.summary) for n, c in COMMANDS.items())
    )
    return {file: _joined(folder / file, lines) for file, lines in made.items()}


def _joined(path: Path, lines: Iterator[str]) -> str:
    written = path.read_text(encoding="utf-8").partition(MADE)[0].rstrip()
    return "\n".join((written, "", MADE, "", *lines, ""))


def options_of(name: str) -> Iterator[str]:
    """What a command takes, in the words of its own help."""
    command = COMMANDS[name]
    module = importlib.import_module(f"inspector.cli.{command.module}")
    parser = options.Parser(f"hermes-inspector {name}", "")
    module.add_arguments(parser)
    yield from ("## Options", "", f"`hermes-inspector {name}`: {command.summary}.", "")
    yield from block(module.__doc__)
    yield from table("argument", "what it does", _arguments(parser))


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
