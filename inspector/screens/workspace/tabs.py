"""The views of a workspace, in the order of a user's questions. A view that is not here is not built yet."""

from __future__ import annotations

from importlib import import_module

from inspector.base.named_screens import VIEWS
from inspector.screens.workspace.views import View, WorkspaceTab


def _map() -> View:
    from inspector.screens.workspace.map.view import MapView

    return MapView()


def _why() -> View:
    from inspector.screens.workspace.why.view import WhyView

    return WhyView()


def _preview() -> View:
    from inspector.screens.workspace.preview.view import PreviewView

    return PreviewView()


def _usage() -> View:
    from inspector.screens.workspace.usage.screen import UsageView

    return UsageView()


def _cache() -> View:
    from inspector.screens.workspace.cache.view import CacheView

    return CacheView()


def _chain() -> View:
    from inspector.screens.workspace.chain.view import ChainView

    return ChainView()


TABS: tuple[WorkspaceTab, ...] = tuple(
    WorkspaceTab(name, name.capitalize(), build)
    for name, build in zip(VIEWS, (_map, _why, _preview, _usage, _cache, _chain), strict=True)
)


LATER = (
    *(f"workspace.{name}.view" for name in VIEWS if name != "usage"),
    "workspace.usage.screen",
    "workspace.why.turns",
    "workspace.why.what_if",
    "findings.screen",
    "dialogs.origin",
    "dialogs.save_report",
)
"""The views, and screens that their keys open."""


def warm() -> None:
    """Import every view and what lies behind, in a worker: the first to ask for one would wait 100 ms."""
    for name in LATER:
        import_module(f"inspector.screens.{name}")
