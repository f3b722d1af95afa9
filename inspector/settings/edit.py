"""Lists every setting with its value and origin, and opens the user's settings file in an editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.errors import ConfigError, UsageError
from inspector.settings.config_file import ConfigFile, own_config
from inspector.settings.settings import values

NOT_SET = "not set"
TEMPLATE = Path(__file__).with_name("template.yaml")
"""A new settings file begins as this: every setting, commented out."""


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """One setting as it is shown.

    Attributes:
        name: Its path, such as `alerts.context`.
        value: The value in force.
        origin: `default`, file and line, or an environment variable.
        line: Line in the file; None if the file does not set it.
        says: What it does.
    """

    name: str
    value: Any
    origin: str
    line: int | None
    says: str

    @property
    def text(self) -> str:
        """The value as text."""
        if isinstance(self.value, dict):
            return ", ".join(f"{key}: {keys}" for key, keys in self.value.items()) or NOT_SET
        if isinstance(self.value, list):
            return ", ".join(self.value) or NOT_SET
        if isinstance(self.value, bool):
            return str(self.value).lower()
        return NOT_SET if self.value is None else str(self.value)


def shown_settings(found: ConfigFile) -> Iterator[ShownSetting]:
    """Every setting, in the order of the template."""
    for path, value, says in values(found.settings):
        line = found.lines.get(path)
        origin = "default" if line is None else f"{found.path.name}:{line}"
        if path == ("homes", "default") and (named := os.environ.get("HERMES_HOME", "").strip()):
            value, origin = named, "$HERMES_HOME"
        yield ShownSetting(".".join(path), value, origin, line, says)


@cache
def examples() -> dict[str, list[str]]:
    """The lines of the template by the part of the file they set, such as `alerts`."""
    blocks = TEMPLATE.read_text("utf-8").replace("\n# ", "\n").split("\n\n")[1:]
    return {block.partition(":")[0]: block.strip().split("\n") for block in blocks}


def own_editor() -> list[str]:
    """The user's editor and its options; empty if none is named, or not as a shell would read it."""
    try:
        return shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    except ValueError:
        return []


def edit_settings() -> None:
    """Open the settings file in an editor; a new one starts with every setting commented out.

    Raises:
        UsageError: There is no editor, or no terminal.
        ConfigError: The file or the editor cannot be opened.
    """
    editor, path = own_editor(), own_config()
    if not editor or sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("no editor can be opened here", remedy=f"Set $EDITOR in a terminal, or edit {path}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(TEMPLATE.read_bytes())
        subprocess.run([*editor, str(path)], check=False)
    except OSError as error:
        raise ConfigError(f"cannot be edited ({error.strerror})", where=str(path)) from error
