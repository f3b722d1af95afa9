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
        module: What an entry point names: a module, or with a colon what is in it.
        version: Of its manifest or distribution.
        enabled: `plugins.enabled` lists it, or it needs no listing.
        manifest: It has the plugin.yaml without which Hermes passes over a folder of the home.
        hinted: The beginning of its __init__.py speaks of engines, as a release asks that goes by folders.
        start: What its manifest says of its kind, else the beginning of its source.
        last: It is found by its folder, where of several engines handed over Hermes takes the last.
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
    last: bool = False
    start: str = field(default="", repr=False)

    def by_folder(self, policy: Policy, selected: str | None = None) -> bool:
        """Whether a release finds it by its folder, and then takes it whatever it is.

        Args:
            policy: The release.
            selected: What `context.engine` says; None for what it would have to say.
        """
        if self.kind is not EngineKind.PLUGIN or self.path is None:
            return self.kind is EngineKind.DIRECTORY
        return policy.engine.home_folders and self.hinted and selected in (None, self.path.name)


@dataclass(frozen=True, slots=True)
class LoadedEngine:
    """What an engine says of itself once it runs.

    Attributes:
        name: Its own `.name`.
        is_abc: It inherits from Hermes' abstract class.
        copy_error: Why a deep copy of it fails; None when it works.
        clones: It has a `clone_for_agent` of its own.
        tools: Names of the tools it offers the model.
        with_hermes: An installed Hermes was imported, not a stand-in.
        handed: Names of the engines its `register` handed over; with none it was made of one of its classes.
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
    if found.kind is EngineKind.BUILTIN or found.by_folder(policy, selected):
        return None
    barred = not_registered(found, loaded, policy)
    if barred is not None:
        return barred
    name, *others = loaded.handed
    if first is not None or selected in others:
        return f"{first or name!r} is registered before it, and only the first is taken"
    if selected not in (None, name):
        return f"its engine calls itself {name!r}"
    copied = policy.engine.copies == "shared" or (policy.engine.copies == "clone" and loaded.clones)
    if copied or loaded.copy_error is None:
        return None
    return f"it cannot be copied for each agent ({loaded.copy_error})"


def not_registered(found: FoundEngine, loaded: LoadedEngine, policy: Policy) -> str | None:
    """Why a release's plugin loader registers no engine of it; None when it does."""
    rules = policy.engine
    if not found.manifest:
        return "it has no plugin.yaml"
    if ":" in found.module and not rules.reads_entries:
        return "its entry point names a function, not a module"
    read = rules.reads_entries or found.kind is not EngineKind.ENTRY_POINT
    provides = next((word for word in rules.providers if read and word in found.start), None)
    if provides is not None:
        return f"it says {provides!r}: such plugins are loaded as providers, not as engines"
    if not found.enabled:
        return "plugins.enabled does not list it"
    if not loaded.handed:
        return loaded.trouble or "its register() hands over no engine"
    return None if loaded.is_abc else "it does not inherit from Hermes' ContextEngine"
