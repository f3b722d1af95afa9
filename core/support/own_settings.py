"""What the user's `config.yaml` says, for rooms that take one value of it.

Who checks the file says what in it cannot be used; here that counts as not said.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.support.file_cache import OWN_SETTINGS, config_directory


def own_setting(*names: str) -> Any:
    """A value by its name, or by those of its section and its own; None where the file does not say."""
    path = config_directory() / OWN_SETTINGS
    try:
        found = os.stat(path)
    except OSError:
        return None
    value: Any = _sections(path, found.st_mtime_ns, found.st_size)
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


@lru_cache(maxsize=1)
def _sections(path: Path, _mtime_ns: int, _size: int) -> Mapping[str, Any]:
    """The file as it was then: parsed for every amount on screen, a screen would take seconds."""
    from core.support.yaml_tables import BadYaml, read_user_file, user_yaml

    try:
        found = user_yaml(read_user_file(path))
    except (OSError, BadYaml):
        return {}
    return found if isinstance(found, Mapping) else {}
