"""The views of a workspace, in the order of a user's questions. A view that is not here is not built yet."""

from __future__ import annotations

from inspector.views import Tab, View


def _map() -> View:
    from inspector.screens.map import MapView

    return MapView()


# what is there · why · what if · what did it cost · what broke the cache · where does it come from
TABS: tuple[Tab, ...] = (Tab("map", "Map", _map),)
