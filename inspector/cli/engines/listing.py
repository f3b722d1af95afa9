"""Lists the context engines. Each loads in a separate process with a private copy of the home.

Hermes uses the engine named by `context.engine` in config.yaml, and silently its own if that is missing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from core.errors import ConfigError
from inspector.cli import output
from inspector.cli.arguments import options
from inspector.cli.engines import lookup

if TYPE_CHECKING:
    from core.compress.engines.host.discovery import EngineSearch
    from core.compress.engines.host.found_engine import FoundEngine, LoadedEngine


_NONE = "registers no context engine"
"""For a plugin of another kind."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One engine in the list.

    Attributes:
        loaded: None if it does not load; `error` says why.
        first: The engine that Hermes' plugin loader registers before this one.
    """

    found: FoundEngine
    loaded: LoadedEngine | None = None
    error: str | None = None
    first: str | None = None

    @property
    def name(self) -> str:
        """The name the engine gives itself, once it is loaded."""
        return self.found.name if self.loaded is None else self.loaded.name

    def registers(self, release: str) -> bool:
        """Whether a release's plugin loader would register this plugin; it registers only one."""
        from core.compress.engines.host.found_engine import EngineKind, not_registered
        from core.hermes.policy.policy import load_policy

        plugin = self.found.kind in (EngineKind.PLUGIN, EngineKind.ENTRY_POINT)
        if self.loaded is None or not plugin:
            return False
        return not_registered(self.found, self.loaded, load_policy(release)) is None

    def refused(self, release: str, selected: str | None = None) -> str | None:
        """Why a release would refuse the engine; None if it would accept it."""
        from core.compress.engines.host.found_engine import refusal
        from core.hermes.policy.policy import load_policy

        if self.loaded is None:
            return None if self.error is None else "it does not load"
        policy = load_policy(release)
        return refusal(self.found, self.loaded, policy, selected=selected, first=self.first)

    @property
    def refusals(self) -> dict[str, str | None]:
        """Why each release would refuse the engine."""
        from core.hermes.policy.policy import releases

        return {release: self.refused(release) for release in releases()}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `engines`."""
    options.add_python_option(parser)
    options.add_shared_options(parser)


def run(args: argparse.Namespace) -> int:
    """List the engines and say which one Hermes uses."""
    from core.compress.engines.host.discovery import discover

    here = lookup.engine_search(args)
    selected = _selected(here)
    every = [_examine(found, here) for found in discover(here.home, here.install)]
    first = next((one for one in every if one.registers(_release(here))), None)
    every = [one if one is first else replace(one, first=first.name) for one in every] if first else every
    force, why = _in_force(selected, every, here)
    listed = [one for one in every if one.error is None or _NONE not in one.error]
    document = {
        "selected": selected,
        "in_force": force,
        "why": why,
        "release": None if here.install is None else here.install.version,
    }
    return output.show(
        args,
        lambda: document | {"engines": [_payload(one) for one in listed]},
        _lines(selected, force, why, listed),
    )


def _selected(here: EngineSearch) -> str:
    from core.compress.engines.host.found_engine import BUILT_IN
    from core.hermes.config.config import load_config

    try:
        return str(load_config(here.home).value("context.engine") or BUILT_IN)
    except ConfigError as error:
        output.write_note(error.line)
        return BUILT_IN


def _examine(found: FoundEngine, here: EngineSearch) -> Listed:
    """Load one engine in a separate process."""
    from core.compress.engines.host.discovery import no_model
    from core.compress.engines.host.found_engine import EngineKind
    from core.compress.engines.host.hosted import hosted
    from core.compress.engines.host.process import EngineFailed
    from core.model.compaction.plan import Settings

    if found.kind is EngineKind.BUILTIN:
        return Listed(found)
    try:
        with hosted(
            found, home=here.home, python=here.python, settings=Settings(), answer=no_model
        ) as engine:
            loaded = engine.loaded
    except EngineFailed as error:
        return Listed(found, error=error.what)
    return Listed(found, loaded, None)


def _in_force(selected: str, listed: list[Listed], here: EngineSearch) -> tuple[str | None, str | None]:
    """The engine Hermes uses, None if it does not start, and why that is not the selected one."""
    from core.compress.engines.host.child.load import HANDS_CLASS
    from core.compress.engines.host.child.serve import ENDS
    from core.compress.engines.host.found_engine import BUILT_IN
    from core.hermes.policy.policy import load_policy

    for one in listed:
        if one.error is not None and one.error.endswith(ENDS) and one.found.enabled and one.found.manifest:
            return None, f"{one.name}: {one.error}"
    if selected == BUILT_IN:
        return BUILT_IN, None
    release = _release(here)
    whys = []
    for one in listed:
        handed = () if one.loaded is None else one.loaded.handed
        if selected not in (one.name, *handed, one.found.name, one.found.path.name if one.found.path else ""):
            continue
        if (one.error or "").endswith(HANDS_CLASS) and one.found.by_folder(load_policy(release), selected):
            return None, f"{one.name}: its {HANDS_CLASS}; Hermes {release} takes it, and no chat starts"
        refused = one.error or one.refused(release, selected)
        if refused is None:
            return selected, None
        whys.append(refused)
    why = whys[0] if whys else "there is no engine of that name"
    return BUILT_IN, f"Hermes {release} does not accept {selected!r}: {why}"


def _release(here: EngineSearch) -> str:
    """The installed release, else the newest."""
    from core.hermes.policy.policy import nearest_release, newest_release

    return newest_release() if here.install is None else nearest_release(here.install.version)


def _payload(one: Listed) -> dict[str, Any]:
    loaded = one.loaded
    return {
        "name": one.name,
        "where": one.found.where,
        "kind": one.found.kind.value,
        "version": one.found.version,
        "loads": one.error is None,
        "error": one.error,
        "enabled": one.found.enabled,
        "tools": [] if loaded is None else list(loaded.tools),
        "status": {} if loaded is None else loaded.status,
        "accepted_by": [name for name, why in one.refusals.items() if why is None],
        "refused_by": {name: why for name, why in one.refusals.items() if why is not None},
    }


def _lines(selected: str, force: str | None, why: str | None, listed: list[Listed]) -> Iterator[str]:
    from inspector.cli.table import Column, lines

    yield f"in force: {force or 'none'}" + ("" if why is None else f" ({why})")
    yield ""
    columns = (
        Column("engine"),
        Column("version", varies=True, rank=1),
        Column("kind", varies=True, rank=3),
        Column("tools", right=True, varies=True, rank=2),
        Column("accepted by Hermes", shrinks=True, wraps=True),
        Column("", shrinks=True, wraps=True, least=16),
    )
    rows = []
    for one in listed:
        taken = [name for name, refused in one.refusals.items() if refused is None]
        tools = "–" if one.loaded is None else str(len(one.loaded.tools))
        trouble = one.error or next((text for text in one.refusals.values() if text), "")
        mark = f"{one.name} *" if one.name == selected else one.name
        kind = one.found.kind.value.replace("_", " ")
        rows.append([mark, one.found.version or "–", kind, tools, _span(taken), trouble])
    yield from lines(columns, rows)
    yield from (f"  {one.name}: {one.found.where}" for one in listed[1:])


def _span(taken: list[str]) -> str:
    from core.hermes.policy.policy import releases

    if not taken:
        return "none"
    every = list(releases())
    whole = every[every.index(taken[0]) : every.index(taken[-1]) + 1]
    return f"{taken[0]} to {taken[-1]}" if whole == taken and len(taken) > 1 else ", ".join(taken)
