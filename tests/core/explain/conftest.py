from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.core.explain.home import CONFIG, Home

MakeHome = Callable[..., Home]


@pytest.fixture
def make_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeHome]:
    """Makes homes of a release; closes their databases at the end."""
    made: list[Home] = []

    def build(release: str = "0.19", config: str = CONFIG) -> Home:
        folder = tmp_path / f"home{len(made)}"
        folder.mkdir()
        made.append(Home(folder, release, config))
        made[-1].patch = monkeypatch.setattr
        return made[-1]

    yield build
    for home in made:
        for connection in (*home.readers, home.db.connection):
            connection.close()


@pytest.fixture
def begun(make_home: MakeHome) -> MakeHome:
    """Makes homes with a session S, of these columns."""

    def build(release: str = "0.19", config: str = CONFIG, **columns: object) -> Home:
        home = make_home(release, config)
        home.db.session("S", **columns)
        return home

    return build


@pytest.fixture
def home(make_home: MakeHome) -> Home:
    """Session S with seven turns, and a log that begins with a turn."""
    home = make_home()
    home.db.session("S")
    home.turn(history=24)
    home.talk(7)
    return home
