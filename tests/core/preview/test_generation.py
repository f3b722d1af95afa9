"""A generation read while Hermes writes equals one read at once, and reads only what was added."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from core.model.transcript.message import Message
from core.preview.generation import Reading, read
from core.store.database.locate import Location
from core.store.store import Store
from tests.core.live.writer import Writer


def reading(place: Location, before: Reading | None = None) -> Reading:
    with Store(place) as store:
        conversation = store.conversation("s1")
    newest = conversation.generations[-1]
    return read(place, newest, lambda: False, conversation=conversation, before=before)


def test_rows_that_were_added_are_read_alone_and_come_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(tmp_path / "home")
    place = Location(writer.home / "state.db", writer.home)
    for number in range(12):
        writer.message(f"m{number}", "assistant" if number % 2 else "user")
    before = reading(place)
    writer.message("another")
    asked: list[int] = []
    original = Store.messages

    def counted(self: Store, row_ids: Sequence[int], **more: object) -> tuple[Message, ...]:
        asked.extend(row_ids)
        return original(self, row_ids, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "messages", counted)
    after = reading(place, before)
    assert asked == writer.wrote[-1:]
    assert after.messages[:-1] == before.messages
    assert after.measured == reading(place).measured


def test_a_generation_that_begins_is_read_whole(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "home")
    place = Location(writer.home / "state.db", writer.home)
    for number in range(12):
        writer.message(f"m{number}", "assistant" if number % 2 else "user")
    before = reading(place)
    writer.database.compact("s1", 1, 2, "## Goal\nship")
    after = reading(place, before)
    assert after.context.generation is not None
    assert after.context.generation.index == 2
    assert after.messages == reading(place).messages
