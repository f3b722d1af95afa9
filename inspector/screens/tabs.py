"""The views of a workspace, in the order of a user's questions. A view that is not here is not built yet."""

from __future__ import annotations

from importlib import import_module

from inspector.named_screens import VIEWS
from inspector.views import View, WorkspaceTab


def _map() -> View:
    from inspector.screens.map import MapView

    return MapView()


def _why() -> View:
    from inspector.screens.why import WhyView

    return WhyView()


def _preview() -> View:
    from inspector.screens.preview import PreviewView

    return PreviewView()


def _usage() -> View:
    from inspector.screens.usage import UsageView

    return UsageView()


def _cache() -> View:
    from inspector.screens.cache import CacheView

    return CacheView()


def _chain() -> View:
    from inspector.screens.chain import ChainView

    return ChainView()


TABS: tuple[WorkspaceTab, ...] = tuple(
    WorkspaceTab(name, name.capitalize(), build)
    for name, build in zip(VIEWS, (_map, _why, _preview, _usage, _cache, _chain), strict=True)
)


BEHIND = ("turns", "other_settings", "findings", "origin", "report")
"""Screens that keys of the views open."""


def warm() -> None:
    """Import every view and what lies behind, in a worker: the first to ask for one would wait 100 ms."""
    for name in (*VIEWS, *BEHIND):
        import_module(f"inspector.screens.{name}")
