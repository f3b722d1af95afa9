"""The views of a workspace, in the order of a user's questions. A view that is not here is not built yet."""

from __future__ import annotations

from inspector.views import Tab, View


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


# what is there · why · what if · what did it cost · what broke the cache · where does it come from
TABS: tuple[Tab, ...] = (
    Tab("map", "Map", _map),
    Tab("why", "Why", _why),
    Tab("preview", "Preview", _preview),
    Tab("usage", "Usage", _usage),
    Tab("cache", "Cache", _cache),
    Tab("chain", "Chain", _chain),
)
