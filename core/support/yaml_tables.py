"""The YAML tables that ship with the code, and a compiled copy of each in the user's cache directory.

Reading YAML costs a short command more than its own work. So a table is parsed once and kept as Python keeps
its byte code: marshalled, and used only while the file it came from is the same one, unchanged.
"""

from __future__ import annotations

import marshal
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from core.support.file_cache import cache_directory, keep

_ROOT = Path(__file__).parents[2]
_FORMAT = 1


def load_table(name: str) -> Any:
    """The content of a YAML file of this distribution, new at every call.

    Args:
        name: Its path from the folder the packages lie in, as `core/hermes/markers/markers.yaml`.

    Raises:
        FileNotFoundError: There is no such file.
    """
    path = _ROOT / name
    found = path.stat()
    stamp = (_FORMAT, str(path), found.st_ino, found.st_size, found.st_mtime_ns)
    copy_path = _copy_path(name)
    if copy_path is None:
        return _parse(path)
    with suppress(OSError, ValueError, EOFError, TypeError):
        kept, content = marshal.loads(copy_path.read_bytes())
        if kept == stamp:
            return content
    content = _parse(path)
    with suppress(ValueError):  # what cannot be marshalled is parsed every time
        keep(copy_path, marshal.dumps((stamp, content)))
    return content


@cache
def shared_table(name: str) -> Any:
    """The same, read once for the whole process: nobody may change what it holds."""
    return load_table(name)


def _copy_path(name: str) -> Path | None:
    """Where the copy lies; None for a user without a home."""
    try:
        folder = cache_directory()
    except RuntimeError:
        return None
    return folder / "tables" / f"{name.replace('/', '.')}.{sys.implementation.cache_tag}"


def _parse(path: Path) -> Any:
    import yaml

    return yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
