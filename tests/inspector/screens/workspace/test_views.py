from __future__ import annotations

import asyncio

from textual.app import App, ComposeResult
from textual.widgets import Input

from inspector.screens.workspace.views import View
from tests.inspector.driving import settled


class SlowView(View):
    """Its widgets come late, as on a machine that is busy."""

    def compose(self) -> ComposeResult:
        yield Input()

    async def on_compose(self) -> None:
        await asyncio.sleep(0.1)


class OneView(App[None]):
    AUTO_FOCUS = None

    def on_mount(self) -> None:
        self.mount(SlowView())


async def test_a_view_takes_the_keys_as_soon_as_its_widgets_are_there() -> None:
    running = OneView()
    async with settled(running):
        assert isinstance(running.focused, Input)
