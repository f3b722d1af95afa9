"""What the map reads in the background leaves nothing open behind it."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.store.database.locate import Location
from inspector.screens.workspace.map import work
from tests.core.compress.builders import user
from tests.core.store.database import SessionDatabase
from tests.inspector.widgets.messages.test_message_list_rows import LOADED_SKILL


def test_a_count_that_is_cancelled_closes_what_it_read_in_its_own_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = []

    def texts(*_args: Any) -> Generator[Any, None, None]:
        try:
            for number in range(100_000):
                yield user(f"message {number}")
        finally:
            closed.append(True)

    still_held = texts()
    monkeypatch.setattr(work, "texts_of", lambda *_args: still_held)
    reading: Any = SimpleNamespace(context=SimpleNamespace(settings=SimpleNamespace(model="gpt-4o")))
    location: Any = None
    asked = iter((False, True))
    assert work.count_tokens(location, reading, lambda: next(asked, True)) is None
    assert closed == [True]


def test_a_row_shows_what_was_typed_and_not_what_hermes_put_around_it(tmp_path: Path) -> None:
    texts = (LOADED_SKILL, "[1, 2] is a list", "[System note: It is late.]")
    with SessionDatabase(tmp_path / "state.db") as database:
        database.session("s")
        rows = [database.message("s", "user", text) for text in texts]
        found = work.previews_of(Location(database.path), rows, lambda: False)
    shown = [one.text for one, _ in found]
    assert shown == ["/tidy sort it", "[1, 2] is a list", "[System note: It is late.]"]


@pytest.mark.parametrize("before", range(160, 200, 5))
def test_no_piece_of_a_credential_is_left_where_a_long_argument_is_cut(tmp_path: Path, before: int) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 4
    text = "word " * (before // 5) + f"{key} " + "word " * 100
    call = {"id": "c", "function": {"name": "run", "arguments": json.dumps({"command": text})}}
    with SessionDatabase(tmp_path / "state.db") as database:
        database.session("s")
        row = database.message("s", "assistant", "", tool_calls=json.dumps([call]))
        ((_, (shown,)),) = work.previews_of(Location(database.path), [row], lambda: False)
    assert key[:9] not in shown.arguments
    assert "word" in shown.arguments
