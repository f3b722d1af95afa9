from __future__ import annotations

import pytest

from core.store.database.locate import Location
from core.store.store import Store
from inspector.screens.search import question
from inspector.screens.search.question import SearchAnswer
from tests.inspector.driving import settled
from tests.inspector.screens.conftest import drawn, open_app, press
from tests.inspector.screens.previewing import AUTH


def recalled(location: Location, text: str, title: str = AUTH) -> SearchAnswer:
    with Store(location) as store:
        session = store.resolve(title).id
    return question.search_removed(location, session).answer(text, lambda: False)


@pytest.mark.parametrize(("room", "more"), [(-1, True), (0, True), (1, False)])
def test_that_there_may_be_more_is_stated_once_as_many_were_found_as_are_asked_for(
    samples: Location, monkeypatch: pytest.MonkeyPatch, room: int, more: bool
) -> None:
    every = recalled(samples, "auth")
    assert len(every.hits) > 2
    assert not every.partial
    monkeypatch.setattr(question, "MAX_HITS", len(every.hits) + room)
    assert recalled(samples, "auth").partial is more


async def test_where_nothing_removed_matches_recall_says_what_to_try(samples: Location) -> None:
    async with settled(open_app(samples, AUTH, "recall"), 80, 24) as pilot:
        await press(pilot, *"zzzz", "enter")
        assert "Try other words, or ^f in the list of conversations" in drawn(pilot)


@pytest.mark.parametrize("text", ["", "out"])
async def test_where_nothing_was_compressed_away_recall_says_so(samples: Location, text: str) -> None:
    assert "nothing to recall" in recalled(samples, text, "Rename the CLI flag").nothing
    assert not recalled(samples, text).nothing
    async with settled(open_app(samples, "Rename the CLI flag", "recall"), 80, 24) as pilot:
        await press(pilot, *text, *(["enter"] if text else []))
        assert question.NONE_REMOVED in drawn(pilot)
