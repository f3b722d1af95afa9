"""What the shell completes after `hermes-inspector`: commands, options, their choices and files.

bash: hermes-inspector completion bash > ~/.local/share/bash-completion/completions/hermes-inspector
zsh:  hermes-inspector completion zsh > ~/.zfunc/_hermes-inspector, with ~/.zfunc in fpath
fish: hermes-inspector completion fish > ~/.config/fish/completions/hermes-inspector.fish
man:  hermes-inspector completion man > ~/.local/share/man/man1/hermes-inspector.1
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from core.errors import ConfigError

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
MANUAL = "man"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `completion`."""
    parser.add_argument(
        "shell",
        metavar="SHELL",
        choices=(*SHELLS, MANUAL),
        help=f"{', '.join(SHELLS)}, or man for the manual page",
    )


def run(args: argparse.Namespace) -> int:
    """Print a script for a shell, or the manual page."""
    from inspector.cli.completion.all_options import all_options

    parser = all_options()
    if args.shell == MANUAL:
        from inspector.cli.completion.manual_page import manual_page

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
    from inspector.cli.completion.all_options import parsers_of

    _name_files(parser, shtab)
    for one in parsers_of(parser).values():
        _name_files(one, shtab)
        for below in parsers_of(one).values():
            _name_files(below, shtab)
    return str(shtab.complete(parser, shell=shell))


def _name_files(parser: argparse.ArgumentParser, shtab: Any) -> None:
    """Let options that take a file complete files, and those that take a folder folders."""
    for action in parser._actions:  # argparse tells of them nowhere else
        word = action.metavar if isinstance(action.metavar, str) else ""
        if word.startswith(("FILE", "DIR")):
            what = shtab.FILE if word.startswith("FILE") else shtab.DIRECTORY
            setattr(action, "complete", what)  # noqa: B010 - shtab's own way, which argparse does not know
