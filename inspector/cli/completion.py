"""Prints a completion script for a shell, or the manual page.

bash: hermes-inspector completion bash > ~/.local/share/bash-completion/completions/hermes-inspector
zsh:  hermes-inspector completion zsh > ~/.zfunc/_hermes-inspector, with ~/.zfunc in fpath
fish: hermes-inspector completion fish > ~/.config/fish/completions/hermes-inspector.fish
man:  hermes-inspector completion man > ~/.local/share/man/man1/hermes-inspector.1
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator
from typing import Any

from core.errors import ConfigError
from inspector import __version__
from inspector.cli.arguments import options
from inspector.cli.registry import COMMANDS, PROGRAM, SUMMARY

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
MANUAL = "man"
_CODES = (
    ("0", "done"),
    ("1", "internal error"),
    ("2", "bad command line"),
    ("3", "not found"),
    ("4", "configuration"),
    ("5", "database"),
    ("6", "over budget (usage --budget)"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `completion`."""
    parser.add_argument(
        "shell",
        metavar="SHELL",
        choices=(*SHELLS, MANUAL),
        help=f"{', '.join(SHELLS)}, or man for the manual page",
    )


def run(args: argparse.Namespace) -> int:
    """Print a script for a shell, or the manual page."""
    parser = all_options()
    if args.shell == MANUAL:
        sys.stdout.write(manual_page(parser))
    else:
        sys.stdout.write(f"{_script(parser, args.shell)}\n")
    return 0


def _script(parser: argparse.ArgumentParser, shell: str) -> str:
    try:
        import shtab
    except ImportError as error:
        raise ConfigError(
            "completion needs shtab", where="this Python", remedy="Install it: pip install shtab"
        ) from error

    for one in (parser, *parsers_of(parser).values()):
        _name_files(one, shtab)
    return str(shtab.complete(parser, shell=shell))


def _name_files(parser: argparse.ArgumentParser, shtab: Any) -> None:
    """Let options that take a file complete file names, and those that take a folder complete folders."""
    for action in parser._actions:  # argparse has no public list of options
        word = action.metavar if isinstance(action.metavar, str) else ""
        if word.startswith(("FILE", "DIR")):
            what = shtab.FILE if word.startswith("FILE") else shtab.DIRECTORY
            setattr(action, "complete", what)  # noqa: B010 - shtab's own way, which argparse does not know


def manual_page(parser: argparse.ArgumentParser) -> str:
    """The manual page in roff, for `man -l`."""
    return "\n".join(_lines(parser)) + "\n"


def _lines(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f'.TH {PROGRAM.upper()} 1 "" "{PROGRAM} {__version__}" "User Commands"'
    yield ".SH NAME"
    yield f"{PROGRAM} \\- {_text(SUMMARY[0].lower() + SUMMARY[1:].rstrip('.'))}"
    yield ".SH SYNOPSIS"
    yield f".B {PROGRAM}"
    yield "[options] [command ...]"
    yield ".SH DESCRIPTION"
    yield "Without a command the app opens. Databases are read only, except by commands that say they write."
    yield ".SH OPTIONS"
    yield from _options(parser)
    yield ".SH COMMANDS"
    for name, one in parsers_of(parser).items():
        yield f".SS {_text(name)}"
        yield _text(one.description or "")
        yield from _options(one)
    yield ".SH EXIT STATUS"
    for code, meaning in _CODES:
        yield from (".TP", f".B {code}", _text(meaning))


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:  # argparse has no public list of options
        if isinstance(action, argparse._SubParsersAction) or action.help == argparse.SUPPRESS:
            continue
        yield ".TP"
        yield f".B {_text(_name(action))}"
        yield _text(parser._get_formatter()._expand_help(action) if action.help else "")


def _name(action: argparse.Action) -> str:
    value = action.metavar or (
        action.dest.upper() if action.choices is None else "|".join(map(str, action.choices))
    )
    word = " ".join(value) if isinstance(value, tuple) else str(value)
    if not action.option_strings:
        return word
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {word}"


def _text(text: str) -> str:
    """Escape a text for roff; a blank line begins a new paragraph."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    paragraphs = (" ".join(one.split()) for one in escaped.split("\n\n"))
    return "\n.PP\n".join(f"\\&{one}" if one[:1] in (".", "'") else one for one in paragraphs if one)


def all_options() -> argparse.ArgumentParser:
    """The parser of the whole command line. It imports every command, which is slow, so use it sparingly."""
    parser = argparse.ArgumentParser(PROGRAM, description=SUMMARY, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=__version__, help="print the version and exit")
    options.add_store_options(parser)
    options.add_app_options(parser)
    commands = parser.add_subparsers(metavar="COMMAND", dest="command")
    for name, command in COMMANDS.items():
        module = importlib.import_module(f"inspector.cli.{command.module}")
        described = (module.__doc__ or "").strip()
        one = commands.add_parser(name, help=command.summary, description=described, allow_abbrev=False)
        module.add_arguments(one)
    return parser


def parsers_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The subparsers by name, in the order of the help; empty if there are none."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:  # argparse has no public list of options
        if isinstance(action, argparse._SubParsersAction):
            found |= action.choices
    return found
