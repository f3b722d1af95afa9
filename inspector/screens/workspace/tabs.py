"""The tabs of a workspace, in the order of a user's questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import ModuleType

from inspector.base.named_screens import VIEWS
from inspector.screens.workspace.views import View

MODULES = {name: f"workspace.{name}.{'screen' if name == 'usage' else 'view'}" for name in VIEWS}
"""The module of each view below `inspector.screens`; its class is named after the view."""
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
    """One tab; `build` imports its view when it is first opened."""

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
    """Import every view and its screens in a worker; otherwise the first key would wait 100 ms."""
    for name in LATER:
        _imported(name)
