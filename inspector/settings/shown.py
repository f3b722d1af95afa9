"""Every setting with its value and where that comes from: for `config show` and the settings screen alike."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from inspector.settings.config_file import ConfigFile
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
