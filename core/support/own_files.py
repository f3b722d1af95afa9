"""The user's own files: where this program keeps its folders, and YAML written by a person, read safely.

Nesting, size and aliases of YAML are counted before a value is built: the C loader builds nested values
recursively, and about 30,000 brackets end the process without a message; a few lines of aliases expand to
billions of values. Counting uses only the events, which need no stack.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

APPLICATION = "hermes-inspector"
JOURNAL = "journal.db"
"""File that records what was written to session databases, and how to undo it."""
SAMPLES_PREFIX = "demo-"
"""How the name of a home of sample sessions begins, in the cache directory."""
OWN_SETTINGS = "config.yaml"
"""File of the user's settings, in the configuration directory."""
OWN_PRICES = "prices.yaml"
"""File of the user's own prices, in the configuration directory."""
OWN_KEYS = "keys.yaml"
"""File of the user's own keys, in the configuration directory."""
MAX_BYTES = 4 * 2**20
"""Size limit of a file in bytes; a large config.yaml has a hundredth of it."""
MAX_DEPTH = 100
"""Limit on levels of nesting."""
_TOO_DEEP = f"is nested more than {MAX_DEPTH} levels deep"
MAX_VALUES = 500_000
"""Limit on a file's values, where an alias counts as all the values it stands for."""


def cache_directory() -> Path:
    """The folder for data that can be recreated: token counts, the sample sessions."""
    return _folder("XDG_CACHE_HOME", ".cache", "Caches", "Cache")


def config_directory() -> Path:
    """The folder for what the user writes: price overrides, key bindings."""
    return _folder("XDG_CONFIG_HOME", ".config", "Application Support", "Config")


def state_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder for data that cannot be recreated: the journal of writes, recordings."""
    state = environ.get("XDG_STATE_HOME") or environ.get("LOCALAPPDATA")
    base = Path(state) if state else Path(environ.get("HOME") or Path.home()) / ".local" / "state"
    return base / APPLICATION


def journal_path() -> Path:
    """The journal's path in the user's state directory."""
    return state_directory() / JOURNAL


def journal_file(database: Path) -> Path:
    """The journal of writes to a database; the samples have one in their own home, in whoever's cache."""
    cache = cache_directory().resolve()
    homes = (folder for folder in database.resolve().parents if _holds_samples(folder, cache))
    return next((home / JOURNAL for home in homes), journal_path())


def _holds_samples(folder: Path, cache: Path) -> bool:
    return folder.parent == cache or (
        folder.parent.name == APPLICATION and folder.name.startswith(SAMPLES_PREFIX)
    )


def _folder(variable: str, unix: str, mac: str, windows: str) -> Path:
    """The platform's folder; the XDG variable has priority everywhere, for tests and containers."""
    if base := os.environ.get(variable):
        return Path(base) / APPLICATION
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / APPLICATION / windows
    if sys.platform == "darwin":
        return Path.home() / "Library" / mac / APPLICATION
    return Path.home() / unix / APPLICATION


class BadYaml(ValueError):  # noqa: N818 - what it is, not what went wrong
    """Content that is not YAML, or more than anybody would write.

    Attributes:
        problem: What is wrong, in a few words.
        line: Its line, from 1; None for the whole file.
    """

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem if line is None else f"{problem} (line {line})")
        self.problem, self.line = problem, line


def read_user_file(path: Path) -> bytes:
    """The content of a user's file.

    Raises:
        FileNotFoundError, OSError: It does not exist, or cannot be read.
        BadYaml: It is not a regular file (reading a pipe would block), or far too large.
    """
    if not path.is_file():
        path.stat()
        raise BadYaml("is not a regular file")
    if path.stat().st_size > MAX_BYTES:
        raise BadYaml(f"is larger than {MAX_BYTES // 2**20} MiB")
    return path.read_bytes()


def user_yaml(content: bytes | str) -> Any:
    """The value of a document.

    Raises:
        BadYaml: It is not YAML, or exceeds a limit.
    """
    return built_yaml(content, lambda loader: loader.get_single_data())


def built_yaml(content: bytes | str, build: Callable[[Any], Any], *, shared: bool = False) -> Any:
    """Like `user_yaml`, with a function that builds the value, for callers that also need line numbers.

    An alias counts as one value if it is `shared` and not copied: for a caller that checks the `weight` of
    what it uses. Merged mappings are copied in any case.

    Raises:
        BadYaml: As for `user_yaml`.
    """
    import yaml

    loader_class = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        counter = _Counter(shared)
        for event in yaml.parse(content, Loader=loader_class):
            counter.see(event)
        loader = loader_class(content)
        try:
            return build(loader)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not valid YAML"
        if "nesting depth" in problem:  # PyYAML 6.0.4 parses a thousand levels ahead of its events
            problem = _TOO_DEEP
        raise BadYaml(str(problem), mark.line + 1 if mark else None) from error
    except BadYaml:
        raise
    except (ValueError, OverflowError, RecursionError) as error:  # such as a date with day 32
        raise BadYaml(f"not valid YAML ({' '.join(str(error).split())[:200]})") from error


def own_setting(*names: str) -> Any:
    """A value of the user's `config.yaml`, by its name, or by its section's name and its own.

    None if the file does not set it or is not valid YAML, which the check of that file reports.
    """
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
    """The file's content, cached: parsing it for every amount on a screen would take seconds."""
    try:
        found = user_yaml(read_user_file(path))
    except (OSError, BadYaml):
        return {}
    return found if isinstance(found, Mapping) else {}


def weight(value: Any) -> int:
    """How many values a value holds, each counted as often as writing it out would repeat it."""
    known: dict[int, int] = {}

    def of(part: Any) -> int:
        if not isinstance(part, dict | list | tuple | set):
            return 1
        if id(part) not in known:
            inside = part.values() if isinstance(part, dict) else part
            known[id(part)] = 1 + sum(map(of, inside))
        return known[id(part)]

    return of(value)


class _Counter:
    """Counts the values that the events of a document would be built into."""

    def __init__(self, shared: bool) -> None:
        self._shared = shared
        self._open: list[tuple[str | None, int, bool]] = []
        """Name, number of values before it, and whether it is a list of mappings to merge."""
        self._sizes: dict[str, int] = {}
        self._values = 0
        self._merge = False
        """Whether the previous event was the merge key."""

    def see(self, event: Any) -> None:
        """Count an event.

        Raises:
            BadYaml: It exceeds a limit.
        """
        kind, line = type(event).__name__, event.start_mark.line + 1
        merges = self._merge or bool(self._open and self._open[-1][2])
        self._merge = kind == "ScalarEvent" and event.value == "<<"
        if kind in ("SequenceStartEvent", "MappingStartEvent"):
            self._open.append((event.anchor, self._values, merges and kind == "SequenceStartEvent"))
            self._values += 1
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            name, before, _ = self._open.pop()
            if name:
                self._sizes[name] = self._values - before
        elif kind == "ScalarEvent":
            self._values += 1
        elif kind == "AliasEvent":
            self._alias(event.anchor, line, merges)
        if len(self._open) > MAX_DEPTH:
            raise BadYaml(_TOO_DEEP, line)
        if self._values > MAX_VALUES:
            raise BadYaml(f"expands to more than {MAX_VALUES:,} values", line)

    def _alias(self, anchor: str, line: int, merges: bool) -> None:
        if any(name == anchor for name, _, _ in self._open):
            raise BadYaml(f"&{anchor} holds itself", line)
        self._values += 1 if self._shared and not merges else self._sizes.get(anchor, 1)
