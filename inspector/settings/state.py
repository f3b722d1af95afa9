"""What the app remembers between runs: the theme, the order of the list, that the first-run card was read."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

FILE_NAME = "app.json"


class RememberedState:
    """A few values in one small file; a damaged or unwritable file is ignored."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, name: str) -> Any:
        """Return what was remembered under a name; None if nothing was."""
        return self._stored().get(name)

    def remember(self, name: str, value: str | bool) -> None:
        """Store a value; the file is replaced as a whole, so another app never reads half of one."""
        known = self._stored()
        if known.get(name) == value:
            return
        beside = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside.write_text(json.dumps({**known, name: value}), encoding="utf-8")
            beside.replace(self._path)

    def _stored(self) -> dict[str, Any]:
        with suppress(OSError, ValueError, RecursionError):
            found = json.loads(self._path.read_text(encoding="utf-8"))
            if isinstance(found, dict):
                return found
        return {}
