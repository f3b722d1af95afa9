"""The tables that ship with the code, and what of them belongs to a release.

Reading YAML costs a short command more than its own work. So a table of ours is parsed once and kept in the
user's cache directory as Python keeps its byte code: marshalled, and used only while its file is the same
one, unchanged. Those that the shortest commands need are shipped as JSON beside the YAML: the first command
of all would spend a third of its time on them.
"""

from __future__ import annotations

import marshal
import re
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from core.support.file_cache import keep
from core.support.own_files import cache_directory

_ROOT = Path(__file__).parents[2]
_FORMAT = 1
SHIPPED = (
    "core/hermes/markers/markers.yaml",
    "core/redact/kinds.yaml",
    "core/redact/places.yaml",
    "core/redact/words.yaml",
)
"""The tables with JSON beside them."""


def load_table(name: str) -> Any:
    """The content of a YAML file of this distribution, new at every call.

    Args:
        name: Its path from the folder the packages lie in, as `core/hermes/markers/markers.yaml`.

    Raises:
        FileNotFoundError: There is no such file.
    """
    path = _ROOT / name
    if name in SHIPPED:
        with suppress(OSError, ValueError):
            return _shipped(path)
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


def _shipped(path: Path) -> Any:
    """A table from the JSON beside it.

    Raises:
        OSError: There is none.
        ValueError: It is of another state of the table.
    """
    import json

    stamp, _, content = path.with_suffix(".json").read_bytes().partition(b"\n")
    if int(stamp) != crc32(path.read_bytes()):
        raise ValueError("made of another state of the table")
    return json.loads(content)


def shipped_copy(path: Path) -> str:
    """What is shipped beside a table: a sum of its bytes, which tells that the copy is its own, and JSON."""
    import json

    return f"{crc32(path.read_bytes())}\n{json.dumps(_parse(path), separators=(',', ':'))}\n"


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


def version(release: str) -> tuple[int, ...]:
    """A release as numbers, so that 0.9 sorts before 0.13."""
    return tuple(int(part) for part in re.findall(r"\d+", release)[:2])


def newest_for(known: Collection[str], release: str) -> str:
    """The newest entry of a table that is not newer than a release; its oldest when all are."""
    wanted = version(release)
    fitting = [entry for entry in known if version(entry) <= wanted]
    return max(fitting, key=version) if fitting else min(known, key=version)


def within(release: str, rule: Mapping[str, Any]) -> bool:
    """Whether a rule with `since` and `before` belongs to a release."""
    now = version(release)
    return version(rule.get("since", "0.0")) <= now < version(rule.get("before", "99.0"))
