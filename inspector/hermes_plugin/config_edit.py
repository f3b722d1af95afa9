"""Adding a plugin and an engine to config.yaml by whole lines, so that they can be taken out again.

A file nobody touched since comes back byte for byte; in one that was edited, only our lines go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import ConfigError

MARK = "# by hermes-inspector"


@dataclass(frozen=True, slots=True)
class Change:
    """One line of ours.

    Attributes:
        new: The line as we wrote it, without its end.
        old: What stood there; None where nothing did.
    """

    new: str
    old: str | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """An edited file and how it came about."""

    text: str
    changes: tuple[Change, ...]


def with_plugin(text: str, name: str, *, engine: bool) -> Edit:
    """The file with a plugin enabled and, where wanted, chosen as context engine.

    Raises:
        ConfigError: It is no mapping, or is laid out so that no single line can be added.
    """
    wanted = tree(text)
    plugins = _mapping(wanted, "plugins")
    if name in _list(plugins, "disabled"):
        raise ConfigError(f"plugins.disabled lists {name}", where="config.yaml", remedy="Take it out first")
    lines, changes = text.splitlines(keepends=True), list[Change]()
    if name not in _list(plugins, "enabled"):
        _enable(lines, changes, name)
        wanted["plugins"] = plugins | {"enabled": [name, *_list(plugins, "enabled")]}
    context = _mapping(wanted, "context")
    if engine and context.get("engine") != name:
        _choose(lines, changes, name)
        wanted["context"] = context | {"engine": name}
    edited = "".join(lines)
    if tree(edited) != wanted:
        raise ConfigError(
            "is laid out so that no line can be added safely",
            where="config.yaml",
            remedy=f"Add {name} to plugins.enabled" + (f" and set context.engine: {name}" if engine else ""),
        )
    return Edit(edited, tuple(changes))


def without(text: str, changes: Sequence[Change]) -> str:
    """The file without our lines; whatever else was changed since stays."""
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


def tree(text: str) -> dict[str, Any]:
    """What the file says.

    Raises:
        ConfigError: It is no YAML mapping.
    """
    import yaml

    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError("is not valid YAML", where="config.yaml") from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ConfigError(f"holds a {type(found).__name__}, not a mapping", where="config.yaml")
    return found


def _mapping(found: dict[str, Any], key: str) -> dict[str, Any]:
    value = found.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(f"{key} is not a mapping", where="config.yaml", remedy="Fix it first")
    return value


def _list(found: dict[str, Any], key: str) -> list[Any]:
    value = found.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise ConfigError(f"plugins.{key} is not a list", where="config.yaml", remedy="Fix it first")
    return value


def _enable(lines: list[str], changes: list[Change], name: str) -> None:
    top = _find(lines, "plugins", 0, len(lines))
    if top is None:
        _append(lines, changes, f"plugins:  {MARK}", f"  enabled: [{name}]  {MARK}")
        return
    end = _end(lines, top)
    if _value(lines[top]):  # `plugins: {}` or null
        _replace(lines, changes, top, f"plugins: {{enabled: [{name}]}}  {MARK}")
        return
    at = _find(lines, "enabled", top + 1, end)
    if at is None:
        indent = _indent_below(lines, top, end)
        _insert(lines, changes, top + 1, f"{indent}enabled: [{name}]  {MARK}")
        return
    value = _value(lines[at])
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    if not value:
        items = (line for line in lines[at + 1 : end] if line.lstrip().startswith("- "))
        below = next(items, f"{indent}  - ")
        _insert(lines, changes, at + 1, f"{below[: len(below) - len(below.lstrip())]}- {name}  {MARK}")
    elif value.startswith("[") and value.endswith("]"):
        rest = value[1:-1].strip()
        _replace(lines, changes, at, f"{indent}enabled: [{name}{', ' if rest else ''}{rest}]  {MARK}")
    else:  # null, ~
        _replace(lines, changes, at, f"{indent}enabled: [{name}]  {MARK}")


def _choose(lines: list[str], changes: list[Change], name: str) -> None:
    top = _find(lines, "context", 0, len(lines))
    if top is None:
        _append(lines, changes, f"context:  {MARK}", f"  engine: {name}  {MARK}")
        return
    end = _end(lines, top)
    if _value(lines[top]):
        _replace(lines, changes, top, f"context: {{engine: {name}}}  {MARK}")
        return
    at = _find(lines, "engine", top + 1, end)
    indent = _indent_below(lines, top, end)
    if at is None:
        _insert(lines, changes, top + 1, f"{indent}engine: {name}  {MARK}")
    else:
        _replace(lines, changes, at, f"{indent}engine: {name}  {MARK}")


def _find(lines: Sequence[str], key: str, start: int, end: int) -> int | None:
    """The line of a key: at the left margin, or where the block's first key stands."""
    margin = "" if start == 0 else _indent_below(lines, start - 1, end)
    for index in range(start, end):
        if _bare(lines[index]).startswith((f"{margin}{key}:", f"\ufeff{margin}{key}:")):
            return index
    return None


def _end(lines: Sequence[str], top: int) -> int:
    """Behind the last line of a block that begins at the margin."""
    for index in range(top + 1, len(lines)):
        line = _bare(lines[index])
        if line and not line.startswith((" ", "\t", "#", "-")):
            return index
    return len(lines)


def _indent_below(lines: Sequence[str], top: int, end: int) -> str:
    for line in lines[top + 1 : end]:
        bare = _bare(line)
        if bare.strip() and not bare.lstrip().startswith("#"):
            return bare[: len(bare) - len(bare.lstrip())]
    return "  "


def _value(line: str) -> str:
    """What stands behind a key on its line, without a comment."""
    value = _bare(line).partition(":")[2].strip()
    return "" if value.startswith("#") else value.partition(" #")[0].strip()


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def _newline(lines: Sequence[str]) -> str:
    return "\r\n" if lines and lines[0].endswith("\r\n") else "\n"


def _append(lines: list[str], changes: list[Change], *new: str) -> None:
    end = _newline(lines)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += end
    lines.extend(f"{line}{end}" for line in new)
    changes.extend(map(Change, new))


def _insert(lines: list[str], changes: list[Change], at: int, new: str) -> None:
    end = _newline(lines)
    if at > 0 and not lines[at - 1].endswith(("\n", "\r")):
        lines[at - 1] += end
    lines.insert(at, f"{new}{end}")
    changes.append(Change(new))


def _replace(lines: list[str], changes: list[Change], at: int, new: str) -> None:
    old = _bare(lines[at])
    if old.startswith("\ufeff"):
        new = f"\ufeff{new}"
    lines[at] = lines[at].replace(old, new, 1)
    changes.append(Change(new, old))


def _heads_others(lines: Sequence[str], at: int) -> bool:
    """A heading of ours under which somebody else has written."""
    line = _bare(lines[at])
    if _value(line) or line.lstrip().startswith("- "):
        return False
    margin = len(line) - len(line.lstrip())
    below = next((_bare(one) for one in lines[at + 1 :] if _bare(one).strip()), "")
    return len(below) - len(below.lstrip()) > margin
