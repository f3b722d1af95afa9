"""`?` explains column headings: each that is not a plain word has a sentence."""

from __future__ import annotations

import pytest

from core.store.database.locate import Location
from core.store.store import Store
from inspector.app import InspectorApp
from inspector.base.words import words_for
from inspector.widgets.lists.row_list import RowList
from tests.conftest import NOW
from tests.inspector.driving import settled

PLAIN = {
    *("began", "conversation", "engine", "kept", "kind", "model", "price", "profile", "provider", "row"),
    *("session", "task", "time", "tool", "turn", "what", "your message"),
}
"""What a heading may say without a sentence."""


@pytest.mark.parametrize(
    "screen",
    ["sessions", "results", "turns", "thresholds", "lost", "focus", "engines", "spending", "usage", "chain"],
)
async def test_every_heading_of_a_list_is_explained(samples: Location, screen: str) -> None:
    with Store(samples) as store:
        session = store.resolve("Webhooks").id
    named = screen if screen != "sessions" else None
    app = InspectorApp([samples], session=session if named else None, view=named, now=lambda: NOW)
    async with settled(app, 200, 60):
        lists = [one for one in app.screen.query(RowList) if one.display and one.HEADER_LINES]
        assert lists
        known = tuple(label for label, _ in words_for(app._scopes()))
        drawn = {
            cell.text.strip(" ▾▴") for one in lists for line in one.draw_header(190) for cell in line.strip()
        }
        strange = {word for word in drawn if word and not word.isdigit()} - PLAIN
        assert {word for word in strange if not word.startswith(known)} == set()
