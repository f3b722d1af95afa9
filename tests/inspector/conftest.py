from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.store.database.locate import Location
from inspector.app import InspectorApp
from tests.core.store.database import SessionDatabase
from tests.hostile import HOSTILE
from tests.inspector.driving import REST

NOW = datetime(2026, 5, 28, 21, 0, tzinfo=UTC)
"""A little after the clock of the databases made here."""

_PAUSES = (
    "inspector.screens.workspace.map.detail.GLANCE",
    "inspector.screens.sessions.pane.LOOK_SECONDS",
    "inspector.widgets.bars.input_lines.FILTER_SECONDS",
)
MakeApp = Callable[..., InspectorApp]


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    """No animation, blinking, expiring toast or pause to wait for; colours whatever this user prefers."""
    for pause in _PAUSES:
        monkeypatch.setattr(pause, REST)
    monkeypatch.setattr("textual.widgets.Input.cursor_blink", False)
    monkeypatch.setattr("textual.notifications.Notification.has_expired", False)
    # Of an old one, shown again on another screen, it is negative, and Textual's timer never ends.
    monkeypatch.setattr("textual.notifications.Notification.time_left", 60.0)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture
def app() -> MakeApp:
    """Makes the app over databases or homes, with a stopped clock."""

    def make(*places: Path, **options: object) -> InspectorApp:
        found = [
            Location(place / "state.db", place) if place.is_dir() else Location(place) for place in places
        ]
        return InspectorApp(found, now=lambda: NOW, **options)  # type: ignore[arg-type]

    return make


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SessionDatabase]:
    """An empty session database of 0.19 in a home of its own."""
    home = tmp_path / "home"
    home.mkdir()
    with SessionDatabase(home / "state.db") as made:
        yield made


@pytest.fixture
def home(database: SessionDatabase) -> Path:
    """A home with four conversations: plain, compacted, a chain of two, one that reports no usage."""
    fill(database)
    (database.path.parent / "config.yaml").write_text(
        "model:\n  default: test-model\n  context_length: 64000\n"
    )
    return database.path.parent


@pytest.fixture
def hostile_home(database: SessionDatabase) -> Path:
    """A home in which every text is one of the hostile strings."""
    everything = database.session("all", title="everything at once", model="test-model")
    for place, text in enumerate(HOSTILE.values()):
        # SQLite's own binding refuses half surrogates: Hermes could not have stored them either.
        nasty = text.encode("utf-8", "replace").decode()
        named = {"title": f"{place} {nasty}", "model": nasty, "source": nasty, "cwd": nasty}
        session = database.session(f"s{place:02d}{nasty}", **named)
        for one in (session, everything):
            database.message(one, "user", nasty)
        database.message(session, "assistant", nasty, calls=[(f"c{place}", nasty, nasty)])
        database.message(session, "tool", nasty, tool_call_id=f"c{place}", tool_name=nasty)
        database.message(session, nasty[:20] or "user", nasty)
    return database.path.parent


def fill(database: SessionDatabase) -> None:
    """Write the four conversations of `home`."""
    usage = {
        "input_tokens": 1_200,
        "output_tokens": 800,
        "cache_read_tokens": 30_000,
        "cache_write_tokens": 4_000,
    }
    priced = usage | {"estimated_cost_usd": 0.0421, "cost_status": "estimated"}
    plain = database.session(
        "plain", title="Rename the CLI flag", model="anthropic/claude-opus-4-5", **priced
    )
    for turn in ("one", "two"):
        database.turn(plain, turn)
    twice = database.session(
        "twice", title="Refactor the auth module", model="gpt-5.2", source="telegram", **priced
    )
    for turn in ("a", "b", "c", "d"):
        database.turn(twice, turn)
    database.compact(twice, 2, 3, "first summary")
    database.turn(twice, "e")
    root = database.session("root", title="Port the parser", model="gpt-5.2", **usage)
    database.turn(root, "x")
    database.rotate(root, "next", 1, 1, "what came before")
    database.connection.execute(
        "UPDATE sessions SET title = 'Port the parser #2', model = 'gpt-5.2' WHERE id = 'next'"
    )
    silent = database.session("silent", title="Résumé du journal", model="hermes-4", message_count=4)
    database.turn(silent, "s")
