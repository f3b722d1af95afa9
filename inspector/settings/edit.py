"""Every setting with its value and where that comes from, and the user's file of them opened in an editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.errors import ConfigError, UsageError
from inspector.settings.config_file import ConfigFile, own_config
from inspector.settings.settings import values


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """One setting.

    Attributes:
        name: As `alerts.context`.
        value: What is in force.
        origin: `default`, the file and line, or a variable of the environment.
        line: In the file; None elsewhere.
        says: What it does.
    """

    name: str
    value: Any
    origin: str
    line: int | None
    says: str

    @property
    def text(self) -> str:
        """The value in words."""
        if isinstance(self.value, dict):
            return ", ".join(f"{key}: {keys}" for key, keys in self.value.items()) or "-"
        if isinstance(self.value, list):
            return ", ".join(self.value) or "-"
        if isinstance(self.value, bool):
            return str(self.value).lower()
        return "-" if self.value is None else str(self.value)


def shown_settings(found: ConfigFile) -> Iterator[ShownSetting]:
    """All of them, in the order of the template."""
    for path, value, says in values(found.settings):
        line = found.lines.get(path)
        origin = "default" if line is None else f"{found.path.name}:{line}"
        if path == ("homes", "default") and (named := os.environ.get("HERMES_HOME", "").strip()):
            value, origin = named, "$HERMES_HOME"
        yield ShownSetting(".".join(path), value, origin, line, says)


def edit_settings() -> None:
    """Open it, begun with every setting commented out when there is none.

    Raises:
        UsageError: There is no editor, or no terminal.
        ConfigError: The file or the editor cannot be opened.
    """
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


TEMPLATE = """\
# Settings of Hermes Inspector. `hermes-inspector config check` says whether they can be used.

# theme: hermes-light          # hermes-dark, hermes-contrast, hermes-light, hermes-safe

# columns: [last, conversation, model, context used, tokens, cost]   # of the session list

# windows:                     # context length by model, where Hermes does not say
#   my-model: 32768

# formats:                     # on screen and in lines for people; JSON stays as it is
#   money: cents               # short: $0.0042; cents: two digits; exact: four
#   time: 12h                  # 24h
#   ages: clock                # ago: 3 h; clock: 14:05, or the date

# homes:
#   default: ~/.hermes         # --home and $HERMES_HOME go before it
#   profile: research          # all of them when not set

# keys:                        # a command and its key, or a list of keys
#   sessions.sort: o

# alerts:
#   context: 0.8               # `watch` tells when this share of the context is used
#   cache_break: 0.10          # US dollars; a dearer cache break calls you
#   bell: true                 # how you are called: the terminal's bell
#   desktop: false             # and a notification on the desktop, with hermes-inspector[notify]

# budgets:
#   today: 5                   # US dollars of a day that `watch` tells of

# summariser:                  # who writes the summary of `compress`
#   name: openai               # extractive, faithful, static: offline; anthropic, openai: you are asked first
#   model: qwen3
#   base_url: http://127.0.0.1:11434/v1

# privacy:
#   send: never                # ask: endpoint and price are named first; never: nothing leaves this machine
"""
