"""YAML read: the tables that ship with the code, and what somebody else wrote.

Reading YAML costs a short command more than its own work. So a table of ours is parsed once and kept in the
user's cache directory as Python keeps its byte code: marshalled, and used only while its file is the same
one, unchanged. Those that the shortest commands need are shipped as JSON beside the YAML: the first command
of all would spend a third of its time on them.

What somebody else wrote is read within bounds: nesting, size and aliases are counted before it is built.
The C loader builds nested values by calling itself, and some 30,000 brackets end the process without a
word; a few lines of aliases stand for billions of values. Counting needs the events only, which need no
stack.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

from core.support.file_cache import OWN_SETTINGS, cache_directory, config_directory, keep

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


MOST_BYTES = 4 * 2**20
"""Bytes of a file: a large config.yaml has a hundredth of it."""
MOST_DEEP = 100
"""Levels of nesting."""
_TOO_DEEP = f"is nested more than {MOST_DEEP} levels deep"
MOST_VALUES = 500_000
"""Values of a file, each alias counted with all it stands for."""


class BadYaml(ValueError):  # noqa: N818 - what it is, not what went wrong
    """Content that is no YAML, or more than anybody would write.

    Attributes:
        problem: What is wrong, in a few words.
        line: Where, from 1; None when it is the whole file.
    """

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem if line is None else f"{problem} (line {line})")
        self.problem, self.line = problem, line


def read_user_file(path: Path) -> bytes:
    """The content of a file of the user's.

    Raises:
        FileNotFoundError, OSError: There is none, or it cannot be read.
        BadYaml: It is no regular file (a pipe would be waited for), or far too large.
    """
    if not path.is_file():
        path.stat()
        raise BadYaml("is not a regular file")
    if path.stat().st_size > MOST_BYTES:
        raise BadYaml(f"is larger than {MOST_BYTES // 2**20} MiB")
    return path.read_bytes()


def user_yaml(content: bytes | str) -> Any:
    """The value of a document.

    Raises:
        BadYaml: It is none, or passes a bound.
    """
    return built_yaml(content, lambda loader: loader.get_single_data())


def built_yaml(content: bytes | str, build: Callable[[Any], Any], *, shared: bool = False) -> Any:
    """The same, from what a function makes of a loader; for those who also want the lines of the nodes.

    Args:
        content: The document.
        build: Makes the value.
        shared: An alias is the value it stands for, not a copy, so it counts as one: for a caller that asks
            `weight` of what it takes out. Merged mappings are copies in any case.

    Raises:
        BadYaml: As `user_yaml`.
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
        if "nesting depth" in problem:  # PyYAML 6.0.4 looks a thousand levels ahead of what it tells
            problem = _TOO_DEEP
        raise BadYaml(str(problem), mark.line + 1 if mark else None) from error
    except BadYaml:
        raise
    except (ValueError, OverflowError, RecursionError) as error:  # as a date of the 32nd
        raise BadYaml(f"not valid YAML ({' '.join(str(error).split())[:200]})") from error


def own_setting(*names: str) -> Any:
    """A value of the user's `config.yaml`, by its name or by those of its section and its own.

    None where the file does not say, or what it says is no YAML: who checks the file says that.
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
    """The file as it was then: parsed for every amount on screen, a screen would take seconds."""
    try:
        found = user_yaml(read_user_file(path))
    except (OSError, BadYaml):
        return {}
    return found if isinstance(found, Mapping) else {}


def weight(value: Any) -> int:
    """How many values one holds, each as often as writing it out would repeat it."""
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
    """Counts what the events of a document would be built into."""

    def __init__(self, shared: bool) -> None:
        self._shared = shared
        self._open: list[tuple[str | None, int, bool]] = []
        """Name, values before it, and whether it is a list of mappings to merge."""
        self._sizes: dict[str, int] = {}
        self._values = 0
        self._merge = False
        """The event before was the key that merges."""

    def see(self, event: Any) -> None:
        """Count an event.

        Raises:
            BadYaml: It passes a bound.
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
        if len(self._open) > MOST_DEEP:
            raise BadYaml(_TOO_DEEP, line)
        if self._values > MOST_VALUES:
            raise BadYaml(f"stands for more than {MOST_VALUES:,} values", line)

    def _alias(self, anchor: str, line: int, merges: bool) -> None:
        if any(name == anchor for name, _, _ in self._open):
            raise BadYaml(f"&{anchor} holds itself", line)
        self._values += 1 if self._shared and not merges else self._sizes.get(anchor, 1)


def within(release: str, rule: Mapping[str, Any]) -> bool:
    """Whether a rule with `since` and `before` belongs to a release."""
    now = version(release)
    return version(rule.get("since", "0.0")) <= now < version(rule.get("before", "99.0"))
