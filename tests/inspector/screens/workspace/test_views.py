from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Input

from core.model.transcript.conversation import Boundary, BoundaryMode
from core.store.database.locate import Location
from inspector.app import InspectorApp
from inspector.screens.workspace.views import View, how
from tests.conftest import NOW
from tests.core.store.database import SessionDatabase
from tests.inspector.driving import settled
from tests.inspector.screens.conftest import drawn


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


@pytest.mark.parametrize("view", ["map", "why", "preview", "cache", "findings", "sessions"])
async def test_a_broken_config_stays_the_answer_of_every_screen_that_needs_it(home: Path, view: str) -> None:
    (home / "config.yaml").write_text("model: [unclosed\n")
    place = Location(home / "state.db", home)
    session = None if view in ("findings", "sessions") else "twice"
    async with settled(InspectorApp([place], session=session, view=view, now=lambda: NOW), 200, 40) as pilot:
        shown = " ".join(drawn(pilot).split())
        assert "did not find expected ',' or ']'" in shown
        assert "Reading rows" not in shown
        assert "Nothing is wrong" not in shown
        assert "set model.context_length" not in shown


def test_rows_that_were_only_rewritten_are_not_called_compacted() -> None:
    """The head of *Chain* counts no compaction then, and *Why* a rewrite or a pruning."""
    assert how(Boundary(BoundaryMode.IN_PLACE)) == "compacted in place"
    assert how(Boundary(BoundaryMode.IN_PLACE, same_size=True)) == "rewritten in place"


@pytest.mark.parametrize(("view", "offered"), [("map", ""), ("preview", "f focus")])
async def test_a_session_without_messages_says_so_and_waits_for_nothing(
    view: str, offered: str, database: SessionDatabase
) -> None:
    database.session("s", title="Opened and left")
    app = InspectorApp([Location(database.path)], session="s", view=view, now=lambda: NOW)
    async with settled(app, 80, 24) as pilot:
        told = drawn(pilot)
        assert told.splitlines()[1].startswith(" • No messages here, so there is nothing to compress.")
        assert "measuring" not in told
        assert "Nothing to measure" not in told
        assert "│" not in told
        assert not offered or offered not in told
