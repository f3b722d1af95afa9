"""Adds a plugin and an engine to config.yaml in a way that can be undone.

An unchanged file is restored byte for byte; from an edited one, only our lines are removed.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from core.support.own_files import BadYaml, user_yaml
from inspector.hermes_plugin.config_file.places import insertions, removals

_FILE, _ENABLED, _ENGINE = "config.yaml", "plugins.enabled", "context.engine"
_HEADING = re.compile(r"\s*[^-\s][^:]*:\s*(#|$)")


@dataclass(frozen=True, slots=True)
class Change:
    """One line that we wrote, without its line ending, and the line before, if there was one."""

    new: str
    old: str | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """An edited file, and the changes made to it."""

    text: str
    changes: tuple[Change, ...]


def with_plugin(text: str, name: str, *, engine: bool) -> Edit:
    """The file with a plugin enabled and, if wanted, selected as context engine.

    Raises:
        ConfigError: The file is not a mapping, or its layout allows no safe edit.
    """
    document, edited = tree(text), text
    plugins, context = _mapping(document, "plugins"), _mapping(document, "context")
    if name in _list(plugins, "disabled"):
        raise ConfigError(f"plugins.disabled lists {name}", where=_FILE, remedy="Take it out first")
    others = _list(plugins, "enabled")
    if name not in others:
        listed = [name, *others]
        document = document | {"plugins": plugins | {"enabled": listed}}
        ways = insertions(edited, "plugins", "enabled", name, _flow(listed))
        edited = _first(ways, document, f"Add {name} to {_ENABLED}")
    if engine and context.get("engine") != name:
        document = document | {"context": context | {"engine": name}}
        edited = _first(
            insertions(edited, "context", "engine", name, name), document, f"Set {_ENGINE}: {name}"
        )
    return Edit(edited, _changes(text, edited))


def has_plugin(text: str, name: str, *, engine: bool) -> bool:
    """Whether the file lets Hermes load the plugin and, if wanted, selects it as context engine.

    Raises:
        ConfigError: The file is not a mapping.
    """
    document = tree(text)
    plugins, context = _mapping(document, "plugins"), _mapping(document, "context")
    loads = name in _list(plugins, "enabled") and name not in _list(plugins, "disabled")
    return loads and (not engine or context.get("engine") == name)


def without(text: str, changes: Sequence[Change]) -> str:
    """The file without our lines; other changes made since stay."""
    lines = text.splitlines(keepends=True)
    for change in reversed(changes):
        at = next((i for i, line in enumerate(lines) if _bare(line) == change.new), None)
        if at is None:
            continue
        if change.old is not None:
            lines[at] = lines[at].replace(change.new, change.old, 1)
        elif not _heads_others(lines, at):
            del lines[at]
    return "".join(lines)


def without_plugin(text: str, before: str, name: str) -> str:
    """The file without any mention of the plugin, even if Hermes rewrote it since (as `config set` does).

    `before` is the file before the plugin was installed.

    Raises:
        ConfigError: The file is not a mapping, or its layout allows no safe edit.
    """
    document, was = tree(text), tree(before)
    for section, key, left, instead, remedy in list(_mentions(document, was, name)):
        document = _set(document, was, section, key, left)
        text = _first(removals(text, section, key, name, instead), document, remedy)
    return text


def _mentions(
    document: dict[str, Any], was: dict[str, Any], name: str
) -> Iterator[tuple[str, str, Any, str, str]]:
    """Where a file names a plugin that it did not name before, what to leave there, and how by hand."""
    plugins, old_plugins = _mapping(document, "plugins"), _mapping(was, "plugins")
    enabled = _list(plugins, "enabled")
    if name in enabled and name not in _list(old_plugins, "enabled"):
        left = [one for one in enabled if one != name]
        yield "plugins", "enabled", left or None, "", f"Take {name} out of {_ENABLED}"
    entries = _mapping(plugins, "entries")
    if name in entries and name not in _mapping(old_plugins, "entries"):
        others = {key: value for key, value in entries.items() if key != name}
        yield "plugins", "entries", others or None, "", f"Take {name} out of plugins.entries"
    old = _mapping(was, "context").get("engine")
    if _mapping(document, "context").get("engine") == name != old:
        yield "context", "engine", old, str(old or ""), f"Set {_ENGINE} to what you want"


def tree(text: str) -> dict[str, Any]:
    """Parse the file.

    Raises:
        ConfigError: The file is not a YAML mapping.
    """
    try:
        found = user_yaml(text)
    except BadYaml as error:
        raise ConfigError("is not valid YAML", where=_FILE) from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ConfigError(f"holds a {type(found).__name__}, not a mapping", where=_FILE)
    return found


def _mapping(found: dict[str, Any], key: str) -> dict[str, Any]:
    value = found.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(f"{key} is not a mapping", where=_FILE, remedy="Fix it first")
    return value


def _list(found: dict[str, Any], key: str) -> list[Any]:
    value = found.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise ConfigError(f"plugins.{key} is not a list", where=_FILE, remedy="Fix it first")
    return value


def _set(document: dict[str, Any], was: dict[str, Any], outer: str, key: str, value: Any) -> dict[str, Any]:
    """The tree with another value; without a value, remove keys that are new or now empty."""
    inner = {name: held for name, held in document[outer].items() if name != key}
    if value is not None:
        inner = document[outer] | {key: value}
    elif _mapping(was, outer).get(key) is not None:
        inner = document[outer] | {key: was[outer][key]}
    if inner:
        return document | {outer: inner}
    return {name: held for name, held in document.items() if name != outer}


def _first(ways: Iterator[str], expected: dict[str, Any], remedy: str) -> str:
    """The first text that parses to what is wanted."""
    for text in ways:
        try:
            if tree(text) == expected:
                return text
        except ConfigError:
            continue
    raise ConfigError("has a layout that cannot be edited safely", where=_FILE, remedy=remedy)


def _flow(names: list[Any]) -> str:
    import yaml

    return str(yaml.safe_dump(names, default_flow_style=True, width=1 << 20)).strip()


def _changes(before: str, after: str) -> tuple[Change, ...]:
    """The lines that differ between two texts."""
    old, new = ([_bare(line) for line in text.splitlines(keepends=True)] for text in (before, after))
    found: list[Change] = []
    for _, i, j, k, n in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone = dict(zip(range(k, n), old[i:j], strict=False))
        if old[i:j] != new[k:n]:
            found += [Change(new[at], gone.get(at)) for at in range(k, n)]
    return tuple(found)


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def _heads_others(lines: Sequence[str], at: int) -> bool:
    """Whether our heading has other people's lines below it."""
    line = _bare(lines[at])
    if not _HEADING.match(line):
        return False
    margin = len(line) - len(line.lstrip())
    below = next((_bare(one) for one in lines[at + 1 :] if _bare(one).strip()), "")
    return len(below) - len(below.lstrip()) > margin


def read_if_there(path: Path) -> bytes | None:
    """The content of a file; None if it does not exist."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def write(path: Path, content: bytes) -> None:
    """Write a file that only the user can read."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file atomically, following a link, with its old permissions."""
    real = path.resolve()
    beside = real.with_name(f".{real.name}.hermes-inspector")
    write(beside, content)
    if real.exists():
        shutil.copymode(real, beside)
    os.replace(beside, real)
