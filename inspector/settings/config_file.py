"""Reading the user's `config.yaml`: what it sets, where, and each thing in it that cannot be used."""

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
    """Something in the file that cannot be used.

    Attributes:
        what: What is wrong, in one clause.
        line: Where, from 1; None when it is the whole file.
        remedy: What to write instead; empty when nobody knows.
    """

    what: str
    line: int | None
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that was read.

    Attributes:
        path: Where it lies.
        exists: Whether it is there.
        settings: What is in force; the defaults where there are problems.
        lines: The line each value stands on, by its path.
        problems: In the order of the file.
    """

    path: Path
    exists: bool = True
    settings: Settings = field(default_factory=Settings)
    lines: Mapping[Place, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def own_config() -> Path:
    """Where the user's file lies, or would."""
    return config_directory() / OWN_SETTINGS


def own_settings() -> Settings:
    """What the user set; the defaults without a file.

    Raises:
        ConfigError: Something in the file cannot be used.
    """
    found = read_config(own_config())
    for problem in found.problems:
        where = str(found.path) if problem.line is None else f"{found.path} line {problem.line}"
        raise ConfigError(problem.what, where=where, remedy=problem.remedy)
    return found.settings


def refuse_sending(host: str) -> None:
    """Hold what is about to be sent to another machine against the user's settings.

    Args:
        host: Where it would go.

    Raises:
        ConfigError: They say that nothing is sent.
    """
    if own_settings().privacy.send == _NEVER:
        raise ConfigError(
            f"privacy.send is {_NEVER}, so nothing is sent to {host}",
            where=str(own_config()),
            remedy="Take a summariser of this machine, or set `send: ask` there",
        )


def read_config(path: Path) -> ConfigFile:
    """A file of settings, with every problem in it."""
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
    """The line of each value below a node.

    Raises:
        BadYaml: A key stands twice in one mapping: YAML would silently take the last.
    """
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
    settings, problems = Settings(), list(_misnamed(data, lines))
    try:
        settings = TypeAdapter(Settings).validate_python(_without_empty(data))
    except ValidationError as error:
        problems += [_problem(one, lines) for one in error.errors(include_url=False)]
    return Settings() if problems else settings, problems


def _without_empty(data: Any) -> Any:
    """Leave out sections with nothing in them, as all lines commented out leave them."""
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
    """The value that was meant, where only some are known."""
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


def _misnamed(data: Mapping[Any, Any], lines: Mapping[Place, int]) -> Iterator[Problem]:
    """Themes and commands that do not exist; what is no name at all is left to the validation."""
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
