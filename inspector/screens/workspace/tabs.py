"""The views of a workspace, in the order of a user's questions. A view that is not here is not built yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import ModuleType

from inspector.base.named_screens import VIEWS
from inspector.screens.workspace.views import View

MODULES = {name: f"workspace.{name}.{'screen' if name == 'usage' else 'view'}" for name in VIEWS}
"""Where each view lies below `inspector.screens`; its class is called after its name."""
LATER = (
    *MODULES.values(),
    "workspace.why.turns",
    "workspace.why.what_if",
    "findings.screen",
    "dialogs.origin",
    "dialogs.save_report",
)
"""The views, and screens that their keys open."""


@dataclass(frozen=True, slots=True)
class WorkspaceTab:
    """One entry of the workspace's tab bar; `build` imports the view when it is first looked at."""

    name: str
    title: str
    build: Callable[[], View]


def _built(name: str) -> View:
    found: View = getattr(_imported(MODULES[name]), f"{name.capitalize()}View")()
    return found


def _imported(name: str) -> ModuleType:
    return import_module(f"inspector.screens.{name}")


TABS: tuple[WorkspaceTab, ...] = tuple(
    WorkspaceTab(name, name.capitalize(), partial(_built, name)) for name in VIEWS
)


def warm() -> None:
    """Import every view and what lies behind, in a worker: the first to ask for one would wait 100 ms."""
    for name in LATER:
        _imported(name)
