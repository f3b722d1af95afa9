"""Reads the user's `config.yaml`: its settings, the line of each, and every problem in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from core.support.own_files import OWN_SETTINGS, BadYaml, built_yaml, config_directory, read_user_file
from inspector.settings.settings import Settings

Place = tuple[str | int, ...]
_NEVER = "never"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the file that is not valid.

    Attributes:
        what: The problem, in one clause.
        line: Line number, from 1; None for the whole file.
        remedy: What to write instead; empty if unknown.
    """

    what: str
    line: int | None
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A settings file that was read.

    Attributes:
        path: The file.
        exists: Whether the file exists.
        settings: The settings in force; all defaults if the file has problems.
        lines: The line of each value, by its path of keys.
        problems: In file order.
    """

    path: Path
    exists: bool = True
    settings: Settings = field(default_factory=Settings)
    lines: Mapping[Place, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def own_config() -> Path:
    """The path of the user's settings file, whether it exists or not."""
    return config_directory() / OWN_SETTINGS


def own_settings() -> Settings:
    """The user's settings; the defaults if there is no file.

    Raises:
        ConfigError: The file has a problem.
    """
    found = read_config(own_config())
    for problem in found.problems:
        where = str(found.path) if problem.line is None else f"{found.path} line {problem.line}"
        raise ConfigError(problem.what, where=where, remedy=problem.remedy)
    return found.settings


def refuse_sending(host: str) -> None:
    """Refuse to send something to another machine if the user's settings forbid it.

    Raises:
        ConfigError: The settings say that nothing is sent.
    """
    if own_settings().privacy.send == _NEVER:
        raise ConfigError(
            f"privacy.send is {_NEVER}, so nothing is sent to {host}",
            where=str(own_config()),
            remedy="Use a summariser on this machine, or set `send: ask` there",
        )


def read_config(path: Path) -> ConfigFile:
    """Read a settings file, with every problem in it."""
    try:
        content = read_user_file(path)
    except FileNotFoundError:
        return ConfigFile(path, exists=False)
    except (OSError, BadYaml) as error:
        return ConfigFile(path, problems=(Problem(f"cannot be read ({error})", None),))
    try:
        data, lines = _parsed(content)
    except BadYaml as error:
        return ConfigFile(path, problems=(Problem(error.problem, error.line),))
    if data is None:
        return ConfigFile(path)
    settings, problems = _checked(data, lines)
    in_order = sorted(problems, key=lambda problem: problem.line or 0)
    return ConfigFile(path, settings=settings, lines=lines, problems=tuple(in_order))


def _parsed(content: bytes) -> tuple[Any, dict[Place, int]]:
    lines: dict[Place, int] = {}

    def build(loader: Any) -> Any:
        node = loader.get_single_node()
        if node is None:
            return None
        lines.update(_lines(node, ()))
        return loader.construct_document(node)

    return built_yaml(content, build), lines


def _lines(node: Any, path: Place) -> Iterator[tuple[Place, int]]:
    """The line of each value below a node; a key that occurs twice, where YAML uses the last, is refused."""
    if node.id != "mapping":
        return
    seen: set[str] = set()
    for key, value in node.value:
        line = key.start_mark.line + 1
        if str(key.value) in seen:
            raise BadYaml(f"{str(key.value)!r} is set twice", line)
        seen.add(str(key.value))
        yield (*path, str(key.value)), line
        yield from _lines(value, (*path, str(key.value)))


def _checked(data: Any, lines: Mapping[Place, int]) -> tuple[Settings, list[Problem]]:
    from pydantic import TypeAdapter, ValidationError

    if not isinstance(data, dict):
        return Settings(), [Problem("must be a list of settings", 1, "Example: `theme: hermes-light`")]
    settings, problems = Settings(), list(_unknown_names(data, lines))
    try:
        settings = TypeAdapter(Settings).validate_python(_without_empty(data))
    except ValidationError as error:
        problems += [_problem(one, lines) for one in error.errors(include_url=False)]
    return Settings() if problems else settings, problems


def _without_empty(data: Any) -> Any:
    """Drop sections that are empty because all their lines are commented out."""
    return {key: value for key, value in data.items() if value is not None}


def _problem(error: Mapping[str, Any], lines: Mapping[Place, int]) -> Problem:
    place = tuple(str(part) for part in error["loc"])
    known = next((place[:length] for length in range(len(place), 0, -1) if place[:length] in lines), ())
    name, line = ".".join(known or place), lines.get(known)
    if error["type"] == "unexpected_keyword_argument":
        return Problem(f"there is no setting {name!r}", line, _suggestion(place))
    if error["type"] == "dataclass_type":
        return Problem(f"{name!r} holds settings of its own, indented below it", line)
    reason = error["msg"].removeprefix("Value error, ")
    return Problem(f"{name}: {reason[0].lower()}{reason[1:]}", line, _near(error))


def _near(error: Mapping[str, Any]) -> str:
    """Suggest the value that was probably meant, if only some values are valid."""
    import difflib

    known = re.findall(r"'([^']*)'", str(error.get("ctx", {}).get("expected", "")))
    near = difflib.get_close_matches(str(error.get("input")), known, n=1)
    return f"Did you mean {near[0]!r}?" if near else ""


def _suggestion(place: tuple[str, ...]) -> str:
    import difflib

    section: Any = Settings()
    for part in place[:-1]:
        section = getattr(section, part)
    names = [one.name for one in fields(section)] if is_dataclass(section) else []
    near = difflib.get_close_matches(place[-1], names, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(names)}"


def _unknown_names(data: Mapping[Any, Any], lines: Mapping[Place, int]) -> Iterator[Problem]:
    """Themes and commands that do not exist; values of a wrong type are left to the validation."""
    import difflib

    from inspector.base.commands import refuse_unknown
    from inspector.terminal.line import shipped

    theme, keys = data.get("theme"), data.get("keys")
    themes = [one.name for one in shipped()]
    if isinstance(theme, str) and theme not in themes:
        near = difflib.get_close_matches(theme, themes, n=1)
        remedy = f"Did you mean {near[0]!r}?" if near else f"Choose one of {', '.join(themes)}"
        yield Problem(f"there is no theme {theme!r}", lines.get(("theme",)), remedy)
    for name in keys if isinstance(keys, dict) else ():
        try:
            refuse_unknown([name], "keys")
        except ConfigError as error:
            yield Problem(error.what, lines.get(("keys", str(name))), error.remedy)
