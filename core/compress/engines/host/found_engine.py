"""One context engine, with what is known of it before and after running it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.hermes.policy.policy import Policy

BUILT_IN = "compressor"
"""The name of the engine every release ships."""


class EngineKind(StrEnum):
    """The way in which Hermes finds an engine."""

    BUILTIN = "builtin"
    DIRECTORY = "directory"
    """A folder of Hermes' own package, `plugins/context_engine`."""
    PLUGIN = "plugin"
    """A folder in the home's `plugins`."""
    ENTRY_POINT = "entry_point"
    """A distribution in Hermes' environment."""


@dataclass(frozen=True, slots=True)
class FoundEngine:
    """An engine as its files describe it.

    Attributes:
        name: What `context.engine` would have to say, as far as the files tell.
        where: Its folder, module or release, in words.
        path: Its folder; None for one that is imported by name.
        module: What an entry point names: a module, or after a colon something in it.
        version: The version in its manifest or distribution.
        enabled: `plugins.enabled` lists it, or need not.
        manifest: It has a plugin.yaml, without which Hermes ignores a folder of the home.
        hinted: The beginning of its __init__.py mentions engines, as releases that search by folder require.
        start: What its manifest says of its kind, else the beginning of its source.
        last: It is found by its folder, so that of several engines handed over Hermes takes the last.
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

        `selected` is what `context.engine` says; None for what it would have to say.
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
        clones: It has its own `clone_for_agent`.
        tools: Names of the tools it offers the model.
        with_hermes: An installed Hermes was imported, not a stand-in.
        handed: Names of the engines its `register` handed over; empty if it was made from one of its classes.
        trouble: The error `register` raised; None without one.
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
    """Why a release would use its own engine instead of this one; None when it uses this one.

    `selected` is what `context.engine` says, None for what it would have to say; `first` is another engine
    that is registered before this one.
    """
    if found.kind is EngineKind.BUILTIN or found.by_folder(policy, selected):
        return None
    barred = not_registered(found, loaded, policy)
    if barred is not None:
        return barred
    name, *others = loaded.handed
    if first is not None or selected in others:
        return f"{first or name!r} is registered before it, and only the first is used"
    if selected not in (None, name):
        return f"its engine calls itself {name!r}"
    copied = policy.engine.copies == "shared" or (policy.engine.copies == "clone" and loaded.clones)
    if copied or loaded.copy_error is None:
        return None
    return f"it cannot be copied for each agent ({loaded.copy_error})"


def not_registered(found: FoundEngine, loaded: LoadedEngine, policy: Policy) -> str | None:
    """Why a release's plugin loader registers no engine from it; None when it does."""
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
