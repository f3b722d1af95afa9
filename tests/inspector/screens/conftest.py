from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from core.store.database.locate import Location, locate
from core.store.store import Store
from inspector.app import InspectorApp
from inspector.terminal.line import Line, Palette, defaults
from tests.conftest import NOW
from tests.inspector.driving import press as press
from tests.inspector.driving import settle as settle
from tests.inspector.driving import settled


@pytest.fixture(scope="session")
def samples(sample_home: Path) -> Location:
    """The default profile of the sample sessions."""
    return locate(home=sample_home, profile="default")[0]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests of the screens: what it remembers of the samples is the same for each."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the user's is touched."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def open_app(location: Location, title: str, view: str = "map") -> InspectorApp:
    """The app on one conversation."""
    with Store(location) as store:
        session = store.resolve(title).id
    return InspectorApp([location], session=session, view=view, now=lambda: NOW)


INK = Palette(defaults())


def plain(lines: Iterable[Line]) -> str:
    """The lines of a pane as text."""
    return "\n".join(line.text.rstrip() for line in lines)


async def answer(pilot: Pilot[None], text: str) -> None:
    """Type an answer to what is asked, at once."""
    field = pilot.app.screen.query_one("PromptBar Input", Input)
    field.value = text
    await press(pilot, "enter")


async def seen(app: InspectorApp, size: tuple[int, int]) -> str:
    """What an app shows at a size once everything it reads is there."""
    async with settled(app, *size) as pilot:
        return drawn(pilot)


def drawn(pilot: Pilot[None]) -> str:
    """The screen as plain text."""
    width, height = pilot.app.size
    lines = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in line) for line in lines)[: (width * 4 + 1) * height]
