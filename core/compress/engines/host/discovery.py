"""Finds context engines where Hermes looks for them, by reading files only, and the one a user means."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.compress.engines.host.found_engine import BUILT_IN, EngineKind, FoundEngine
from core.compress.engines.host.hosted import hosted
from core.compress.engines.host.install import HermesInstall
from core.compress.engines.host.process import EngineFailed
from core.errors import ConfigError, NotFoundError, UsageError
from core.hermes.config.config import load_tree
from core.hermes.config.in_force import EngineInCharge, engine_of_home
from core.hermes.policy.policy import load_policy, nearest_release
from core.model.compaction.plan import Settings
from core.support.own_files import BadYaml, read_user_file, user_yaml

_HINTS = ("register_context_engine", "ContextEngine")
_READ, _HINTED = 1 << 20, 8192
"""Characters that we read of a file, and that Hermes reads of an `__init__.py`."""
_MANIFESTS = ("plugin.yaml", "plugin.yml")
OUR_NAMES = ("builtin", BUILT_IN, "inspector")
"""Names of this program's own re-implementation of Hermes' compressor."""

INSTALLED = "hermes"


def discover(home: Path | None, install: HermesInstall | None) -> tuple[FoundEngine, ...]:
    """Every engine that Hermes could be configured to use, its own first.

    Without an installation, neither its package nor its entry points are searched.
    """
    own = "every release of Hermes" if install is None else f"Hermes {install.version}"
    version = None if install is None else install.version
    ours = FoundEngine(BUILT_IN, EngineKind.BUILTIN, own, version=version)
    enabled = enabled_plugins(home)
    packaged = _packaged(install) if install is not None else ()
    in_home = _in_home(home, install, enabled) if home is not None else ()
    return (ours, *packaged, *in_home, *(_entry_points(install, enabled) if install is not None else ()))


def from_path(path: Path) -> FoundEngine:
    """The engine in a folder that a user names.

    Raises:
        NotFoundError: There is no such folder, or no plugin in it.
    """
    folder = Path(os.path.expanduser(path)).resolve()
    if folder.is_file() and folder.name == "__init__.py":
        folder = folder.parent
    if not (folder / "__init__.py").is_file():
        raise NotFoundError(
            "no context engine there", where=str(path), remedy="An engine is a folder with an __init__.py"
        )
    manifest = _manifest(folder)
    return FoundEngine(
        str(manifest.get("name") or folder.name),
        EngineKind.PLUGIN,
        str(folder),
        path=folder,
        version=_text(manifest.get("version")),
        last=True,
    )


def enabled_plugins(home: Path | None) -> frozenset[str]:
    """What `plugins.enabled` lists and `plugins.disabled` does not."""
    if home is None:
        return frozenset()
    try:
        plugins = load_tree(home).get("plugins")
    except ConfigError:
        return frozenset()  # Hermes then runs on its defaults, and loads none
    listed = plugins if isinstance(plugins, dict) else {}
    on, off = listed.get("enabled"), listed.get("disabled")
    refused = set(map(str, off)) if isinstance(off, list) else set()
    return frozenset(map(str, on)) - refused if isinstance(on, list) else frozenset()


def _packaged(install: HermesInstall) -> Iterator[FoundEngine]:
    for root in install.plugins:
        for folder in _folders(root / "context_engine"):
            version = _text(_manifest(folder).get("version"))
            yield FoundEngine(
                folder.name, EngineKind.DIRECTORY, str(folder), path=folder, version=version, last=True
            )


def _in_home(home: Path, install: HermesInstall | None, enabled: frozenset[str]) -> Iterator[FoundEngine]:
    policy = None if install is None else load_policy(nearest_release(install.version))
    for folder in _folders(home / "plugins"):
        if not any(_speaks_of_engines(source, _READ) for source in folder.glob("*.py")):
            continue
        manifest = _manifest(folder)
        name, kind = str(manifest.get("name") or folder.name), str(manifest.get("kind")).strip().lower()
        yield FoundEngine(
            name,
            EngineKind.PLUGIN,
            str(folder),
            path=folder,
            version=_text(manifest.get("version")),
            enabled=name in enabled,
            manifest=any((folder / file).is_file() for file in _MANIFESTS),
            hinted=_speaks_of_engines(folder / "__init__.py", _HINTED),
            last=policy is not None and policy.engine.home_folders,
            start=f"kind: {kind}" if "kind" in manifest else _start(folder / "__init__.py", _HINTED),
        )


def _entry_points(install: HermesInstall, enabled: frozenset[str]) -> Iterator[FoundEngine]:
    for name, module, version, source in install.entry_points:
        where = f"{module} in {install.python}"
        yield FoundEngine(
            name,
            EngineKind.ENTRY_POINT,
            where,
            module=module,
            version=version,
            enabled=name in enabled,
            start="" if source is None else _start(Path(source), _HINTED),
        )


def _folders(root: Path) -> Iterator[Path]:
    try:
        entries = sorted(root.iterdir())
    except OSError:
        return
    for entry in entries:
        if not entry.name.startswith(("_", ".")) and (entry / "__init__.py").is_file():
            yield entry


def _speaks_of_engines(source: Path, characters: int) -> bool:
    start = _start(source, characters)
    return any(hint in start for hint in _HINTS)


def _start(source: Path, characters: int) -> str:
    """The beginning of a file; "" if it cannot be read."""
    if not source.is_file():  # a pipe would be waited for
        return ""
    try:
        with source.open(encoding="utf-8-sig", errors="replace") as stream:
            return stream.read(characters)
    except OSError:
        return ""


def _manifest(folder: Path) -> dict[str, Any]:
    """The contents of plugin.yaml; empty if it cannot be read."""
    path = next((folder / name for name in _MANIFESTS if (folder / name).is_file()), None)
    try:
        found = None if path is None else user_yaml(read_user_file(path))
    except (OSError, BadYaml):
        return {}
    return found if isinstance(found, dict) else {}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


@dataclass(frozen=True, slots=True)
class EngineSearch:
    """Where engines are looked for.

    Attributes:
        install: Where Hermes is installed; None when unknown.
    """

    home: Path | None
    install: HermesInstall | None

    @property
    def python(self) -> Path | None:
        """Hermes' interpreter."""
        return None if self.install is None else self.install.python


def engine_named(text: str, search: EngineSearch) -> FoundEngine | None:
    """The engine a user means; None for ours.

    Raises:
        NotFoundError: No engine has that name, or the path holds none.
        UsageError: `hermes` is asked for but not installed.
    """
    if text in OUR_NAMES:
        return None
    if text == INSTALLED:
        if search.install is None:
            raise UsageError(
                "no Hermes is known to run",
                where="--engine hermes",
                remedy="Name it with --hermes-python PATH",
            )
        return discover(None, search.install)[0]
    found = [one for one in discover(search.home, search.install) if one.kind is not EngineKind.BUILTIN]
    for one in found:
        if one.path is not None and text == one.path.name:
            return one
        if text == one.name:
            return replace(one, last=False)
    if "/" in text or "\\" in text or Path(text).is_dir():
        return from_path(Path(text))
    for one in found:  # its own name may differ from those of its folder and its manifest
        if _own_name(one, search) == text:
            return one
    raise _unknown(text, search, ("builtin", INSTALLED, *(one.name for one in found)))


def _unknown(text: str, search: EngineSearch, known: Iterable[str]) -> NotFoundError:
    """The error about a name that no engine has; the config may name one whose code is elsewhere."""
    others = f"Known are {', '.join(dict.fromkeys(known))}"
    configured = engine_of_home(search.home)
    if configured is None or configured.name != text:
        return NotFoundError(f"no context engine is called {text!r}", where="--engine", remedy=others)
    return _absent(configured, f". {others}")


def _absent(configured: EngineInCharge, others: str = "") -> NotFoundError:
    return NotFoundError(
        f"{configured.origin} names the context engine {configured.name!r}, but its code is not there",
        where="--engine",
        remedy=f"Name its folder with --engine PATH, or the Python that has it with --hermes-python{others}",
    )


def only_configured(search: EngineSearch) -> tuple[str, NotFoundError] | None:
    """The engine that the configuration names and no place searched has, with the error about it."""
    if (configured := engine_of_home(search.home)) is None:
        return None
    try:
        engine_named(configured.name, search)
    except (NotFoundError, UsageError):
        return configured.name, _absent(configured)
    return None


def _own_name(found: FoundEngine, search: EngineSearch) -> str | None:
    try:
        asked = hosted(found, home=search.home, python=search.python, settings=Settings(), answer=no_model)
        with asked as engine:
            return engine.loaded.name
    except EngineFailed:
        return None


def distinct_name(text: str, found: FoundEngine) -> str:
    """The name of an engine on screen: as the user typed it, or for a path the engine's own name."""
    return found.name if "/" in text or "\\" in text else text


def no_model(call: dict[str, object]) -> str:
    """The answer function of a host that asks no model."""
    raise UsageError("no model is asked here")
