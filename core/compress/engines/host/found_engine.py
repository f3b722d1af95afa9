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
        enabled: Hermes would load it: `plugins.enabled` lists it, or it needs no listing.
    """

    name: str
    kind: EngineKind
    where: str
    path: Path | None = None
    module: str = ""
    version: str | None = None
    enabled: bool = True


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
    """

    name: str
    is_abc: bool
    copy_error: str | None
    clones: bool
    tools: tuple[str, ...]
    status: dict[str, Any] = field(default_factory=dict)
    with_hermes: bool = False


def refusal(found: FoundEngine, loaded: LoadedEngine, policy: Policy) -> str | None:
    """Why a release would take its own engine in place of this one; None when it takes it."""
    if found.kind in (EngineKind.BUILTIN, EngineKind.DIRECTORY):
        return None
    rules = policy.engine
    by_folder = found.path is not None and found.path.name == loaded.name
    if rules.home_folders and found.kind is EngineKind.PLUGIN and by_folder:
        return None
    if not found.enabled:
        return "plugins.enabled does not list it"
    if not loaded.is_abc:
        return "it does not inherit from Hermes' ContextEngine"
    if rules.copies == "shared" or loaded.copy_error is None:
        return None
    if rules.copies == "clone" and loaded.clones:
        return None
    return f"it cannot be copied for each agent ({loaded.copy_error})"
