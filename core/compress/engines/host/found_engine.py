"""One context engine and what is known of it without and after running it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.hermes.policy.policy import Policy

BUILT_IN = "compressor"
"""The name of the engine every release ships."""


class EngineKind(StrEnum):
    """By which of Hermes' ways an engine is found."""

    BUILTIN = "builtin"
    DIRECTORY = "directory"
    """A folder of Hermes' own package, `plugins/context_engine`."""
    PLUGIN = "plugin"
    """A folder of the home's `plugins`."""
    ENTRY_POINT = "entry_point"
    """A distribution in Hermes' environment."""


@dataclass(frozen=True, slots=True)
class FoundEngine:
    """An engine as the files tell of it.

    Attributes:
        name: What `context.engine` would have to say as far as the files tell.
        where: Its folder, module or release, in words.
        path: Its folder; None for what is imported by name.
        module: What an entry point names.
        version: Of its manifest or distribution.
        enabled: `plugins.enabled` lists it, or it needs no listing.
        manifest: It has the plugin.yaml without which Hermes passes over a folder of the home.
        hinted: The beginning of its __init__.py speaks of engines, as a release asks that goes by folders.
    """

    name: str
    kind: EngineKind
    where: str
    path: Path | None = None
    module: str = ""
    version: str | None = None
    enabled: bool = True
    manifest: bool = True
    hinted: bool = True


@dataclass(frozen=True, slots=True)
class LoadedEngine:
    """What an engine says of itself once it runs.

    Attributes:
        name: Its own `.name`.
        is_abc: It inherits from Hermes' abstract class.
        copy_error: Why a deep copy of it fails; None when it works.
        clones: It has a `clone_for_agent` of its own.
        tools: Names of the tools it offers the model.
        status: Its figures.
        with_hermes: An installed Hermes was imported, not a stand-in.
        handed: Names of the engines its `register` handed over, of which this is the first; with none it was
            made of one of its classes.
        trouble: What `register` raised; None when it did not.
    """

    name: str
    is_abc: bool
    copy_error: str | None
    clones: bool
    tools: tuple[str, ...]
    status: dict[str, Any] = field(default_factory=dict)
    with_hermes: bool = False
    handed: tuple[str, ...] = ()
    trouble: str | None = None


def refusal(
    found: FoundEngine,
    loaded: LoadedEngine,
    policy: Policy,
    *,
    selected: str | None = None,
    first: str | None = None,
) -> str | None:
    """Why a release would take its own engine in place of this one; None when it takes it.

    Args:
        found: As the files tell of it.
        loaded: As it tells of itself.
        policy: The release.
        selected: What `context.engine` says; None for what it would have to say.
        first: Another engine, which is registered before this one.
    """
    if found.kind in (EngineKind.BUILTIN, EngineKind.DIRECTORY):
        return None
    folder = None if found.path is None or found.kind is not EngineKind.PLUGIN else found.path.name
    if policy.engine.home_folders and found.hinted and folder is not None and selected in (None, folder):
        return None
    barred = not_registered(found, loaded)
    if barred is not None:
        return barred
    if first is not None:
        return f"{first!r} is registered before it, and only the first is taken"
    if selected not in (None, loaded.name):
        return f"its engine calls itself {loaded.name!r}"
    copied = policy.engine.copies == "shared" or (policy.engine.copies == "clone" and loaded.clones)
    if copied or loaded.copy_error is None:
        return None
    return f"it cannot be copied for each agent ({loaded.copy_error})"


def not_registered(found: FoundEngine, loaded: LoadedEngine) -> str | None:
    """Why Hermes' plugin loader registers no engine of it; None when it does."""
    if not found.manifest:
        return "it has no plugin.yaml"
    if not found.enabled:
        return "plugins.enabled does not list it"
    if not loaded.handed:
        return loaded.trouble or "its register() hands over no engine"
    return None if loaded.is_abc else "it does not inherit from Hermes' ContextEngine"
