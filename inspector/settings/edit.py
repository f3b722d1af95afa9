"""Every setting with its value and where that comes from, and the user's file of them opened in an editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ConfigError, UsageError
from inspector.settings.config_file import ConfigFile, own_config
from inspector.settings.settings import values

TEMPLATE = Path(__file__).with_name("template.yaml")
"""What a new file of settings holds: each of them, commented out."""


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
            path.write_bytes(TEMPLATE.read_bytes())
        subprocess.run([*editor, str(path)], check=False)
    except OSError as error:
        raise ConfigError(f"cannot be edited ({error.strerror})", where=str(path)) from error
