"""Checks whether the plugin in a home works: installed, enabled, worker answering."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from core.compress.engines.host.discovery import discover, enabled_plugins
from core.compress.engines.host.found_engine import BUILT_IN, EngineKind
from core.compress.engines.host.install import HermesInstall, find_install
from core.errors import ConfigError
from core.hermes.config.config import load_config
from core.hermes.policy.policy import load_policy, nearest_release
from core.recordings.read import Extent, Recording
from core.support.formatting import plural
from core.support.own_files import state_directory
from inspector.hermes_plugin.config_file.own_commands import succeeds
from inspector.hermes_plugin.install import NAME, installed
from inspector.hermes_plugin.stub.settings import Settings

_SECONDS = 30
_TOOLS = {
    "none": "does not show its tools to a recorder, so their schemas are unknown",
    "cut": "mostly shows its tools to a recorder cut short, so their schemas are then unknown",
}


@dataclass(frozen=True, slots=True)
class Status:
    """The state of an installation.

    Attributes:
        settings: The settings of the installation; None if there is none.
        enabled: Whether config.yaml lets Hermes load it.
        selected: The engine that `context.engine` names.
        release: Release of the `hermes` command; None if there is none.
        answers: Whether the worker's Python runs Hermes Inspector.
        dashboard: Whether that Hermes ships its dashboard's pages; None if there is no Hermes.
        ahead: Other enabled plugins with an engine that Hermes loads before this one.
    """

    settings: Settings | None
    enabled: bool
    selected: str
    release: str | None
    answers: bool
    recorded: Extent
    dashboard: bool | None = None
    ahead: tuple[str, ...] = ()

    @property
    def engine(self) -> bool:
        """Whether it offers itself as context engine."""
        return self.settings is not None and self.settings.engine

    @property
    def recorder(self) -> bool:
        """Whether it records requests."""
        return self.settings is not None and self.settings.recorder

    @property
    def python(self) -> str | None:
        """The worker's Python."""
        return None if self.settings is None else self.settings.python

    def lines(self, command: str) -> Iterator[str]:
        """The status as printed lines; `command` begins each command line that they advise."""
        if self.settings is None:
            yield f"not installed; run `{command} plugin install`"
            return
        parts = [name for name, on in (("engine", self.engine), ("recorder", self.recorder)) if on]
        yield f"installed in {self.settings.home}: {', '.join((*parts, '/inspect'))}"
        yield "enabled in config.yaml" if self.enabled else "not enabled: plugins.enabled does not list it"
        if self.engine and self.selected != NAME:
            yield f"not the engine: context.engine is {self.selected}"
        elif self.engine and self.ahead:
            yield (
                f"may not be the engine: {', '.join(self.ahead)} is loaded first, and Hermes {self.release} "
                f"uses the first one; `{command} engines` shows which"
            )
        yield f"worker: {self.settings.python} {'answers' if self.answers else 'does not answer'}"
        found = self.recorded
        counts = f"{plural(found.requests, 'request')}, {plural(found.compactions, 'compaction')}"
        yield f"recorded: {counts}, {found.size:,} bytes"
        if found.dropped:
            yield f"not recorded: {plural(found.dropped, 'request')}"
        if self.release is not None:
            yield from self._lacking(self.release)

    def _lacking(self, release: str) -> Iterator[str]:
        """What the installed release does not show to the plugin."""
        shown = load_policy(nearest_release(release)).hooks
        if self.recorder and not shown.messages:
            yield f"Hermes {release} does not show a recorder its messages: it keeps number, times and usage"
        if self.recorder and shown.tools != "whole":
            yield f"Hermes {release} {_TOOLS[shown.tools]}"
        if self.dashboard is False:
            yield f"no dashboard tab: this Hermes {release} is installed without its dashboard's pages"


def status(home: Path, python: Path | None = None) -> Status:
    """Check a home with the Python that runs Hermes, by default the one behind the `hermes` command.

    Raises:
        DatabaseError: The recording is unreadable.
    """
    settings = installed(home)
    folder = state_directory() if settings is None else Path(settings.state)
    install = find_install(python)
    return Status(
        settings=settings,
        enabled=NAME in enabled_plugins(home),
        selected=_selected(home),
        release=None if install is None else install.version,
        answers=settings is not None and _answers(settings),
        recorded=Recording(folder).extent(home),
        dashboard=None if install is None else install.dashboard,
        ahead=() if install is None else _ahead(home, install),
    )


def _ahead(home: Path, install: HermesInstall) -> tuple[str, ...]:
    """Found by files only; nothing is run. A release that selects engines by folder always finds this one."""
    if load_policy(nearest_release(install.version)).engine.home_folders:
        return ()
    plugins = [one for one in discover(home, install) if one.kind is EngineKind.PLUGIN]
    before = takewhile(lambda one: one.name != NAME, plugins)
    return tuple(one.name for one in before if one.enabled and one.manifest)


def _selected(home: Path) -> str:
    try:
        return str(load_config(home).value("context.engine") or BUILT_IN)
    except ConfigError:
        return BUILT_IN  # Hermes then uses its defaults


def _answers(settings: Settings) -> bool:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import inspector.hermes_plugin.worker"
    return succeeds([settings.python, "-c", code, settings.root], _SECONDS)
