"""Formats a command's help to the terminal's width, broken between words."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

_USUAL, _WIDEST = 80, 110
_MAX_CHOICES_CHARS = 40
"""From this many characters on, an option's choices are listed after its description."""
_ENTRY = re.compile(r"  (\S+ +)?")


class HelpText(argparse.HelpFormatter):
    """Fills paragraphs; indented text, such as the list of commands, keeps its lines."""

    def __init__(self, prog: str) -> None:
        from inspector.terminal.stdout import terminal_width

        self._room = terminal_width()
        super().__init__(prog, width=min(self._room or _USUAL, _WIDEST) - 2)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        """Show a command's positional arguments; its options are listed below the usage line."""
        words = [
            self._format_args(action, self._get_default_metavar_for_positional(action))
            for action in actions
            if not action.option_strings and action.help is not argparse.SUPPRESS
        ]
        super().add_usage(usage or " ".join(["%(prog)s", "[options]", *words]), actions, groups, prefix)

    def _metavar_formatter(
        self, action: argparse.Action, default_metavar: str
    ) -> Callable[[int], tuple[str, ...]]:
        if _many_choices(action):
            return lambda size: (default_metavar,) * size
        return super()._metavar_formatter(action, default_metavar)

    def _expand_help(self, action: argparse.Action) -> str:
        choices = f": {', '.join(map(str, action.choices or ()))}" if _many_choices(action) else ""
        return f"{super()._expand_help(action)}{choices}"

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if self._room is None:
            return f"{indent}{text}\n"
        parts = re.split(r"(\n{2,}|\n(?=  ))", text)  # blocks, with the gaps between them
        parts[::2] = [_filled(block, width, indent) for block in parts[::2]]
        return "".join((*parts, "\n"))

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_long_words=False, break_on_hyphens=False)


def _many_choices(action: argparse.Action) -> bool:
    return action.metavar is None and len(",".join(map(str, action.choices or ()))) > _MAX_CHOICES_CHARS


def _filled(block: str, width: int, indent: str) -> str:
    entry = _ENTRY.match(block)
    hang = " " * min(len(entry[0]) if entry else 0, width // 3)
    return textwrap.fill(
        block if entry else " ".join(block.split()),
        width,
        initial_indent=indent,
        subsequent_indent=indent + hang,
        break_long_words=False,
        break_on_hyphens=False,
    )
