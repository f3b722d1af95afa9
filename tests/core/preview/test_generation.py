"""A generation read while Hermes writes equals one read at once, and reads only what was added."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.compress.planning.measure import measure
from core.compress.sizing.estimate import Size, message_size
from core.model.transcript.message import Message, Wire
from core.preview.generation import Reading, followed, read, texts_of, with_texts
from core.store.database.locate import Location
from core.store.store import Store
from tests.core.live.writer import Writer


def talked(tmp_path: Path, *, calls: bool = False) -> tuple[Writer, Location]:
    """A conversation of twelve messages, with or without the log lines of its calls."""
    writer = Writer(tmp_path / "home")
    for number in range(12):
        writer.message(f"m{number}", "assistant" if number % 2 else "user")
        if calls:
            writer.call(100 + number)
    return writer, Location(writer.home / "state.db", writer.home)


def reading(place: Location, before: Reading | None = None) -> Reading:
    with Store(place) as store:
        conversation = store.conversation("s1")
    newest = conversation.generations[-1]
    return read(place, newest, lambda: False, conversation=conversation, before=before)


def test_rows_that_were_added_are_read_alone_and_come_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, place = talked(tmp_path)
    before = reading(place)
    writer.message("another")
    asked = rows_asked(monkeypatch)
    after = reading(place, before)
    assert asked == writer.wrote[-1:]
    assert after.messages[:-1] == before.messages
    assert after.measured == reading(place).measured


def test_what_was_counted_for_the_next_request_is_not_counted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, place = talked(tmp_path)
    sized: list[object] = []

    def noted(wire: Wire, *rest: Any, **named: Any) -> Size:
        sized.append(wire["content"])
        return message_size(wire, *rest, **named)

    for module in ("core.explain.context.context", "core.compress.planning.measure"):
        monkeypatch.setattr(f"{module}.message_size", noted)
    found = reading(place)
    assert sized.count("m1") == 1
    assert found.measured == measure(found.messages, found.context.policy)


def test_a_generation_that_is_followed_holds_no_texts_and_reads_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, place = talked(tmp_path, calls=True)
    before = follow(place)
    asked = rows_asked(monkeypatch)
    writer.message("another", "assistant")
    writer.message("more")
    after = follow(place, before)
    assert asked == writer.wrote[-2:]
    assert "".join(message.text for message in after.messages if message.role == "user").strip("…") == ""
    whole = with_texts(place, after, lambda: False)
    assert [message.text for message in whole.messages[-2:]] == ["another", "more"]
    assert after.planned(after.measured, after.what_if.actual) == whole.planned(
        whole.measured, whole.what_if.actual
    )


def test_a_generation_that_had_to_be_read_again_holds_no_texts_either(tmp_path: Path) -> None:
    writer, place = talked(tmp_path, calls=True)
    before = follow(place)
    for _ in range(2):  # the second makes a reference of the first
        writer.message("the same long result " * 20, "tool")
        writer.call(200)
        before = follow(place, before)
    assert before.measured.duplicates
    texts = [message.text for message in before.messages if message.role == "user"]
    assert "".join(texts).strip("…") == ""


def test_texts_that_were_dropped_are_passed_by_in_order_and_not_held(tmp_path: Path) -> None:
    _, place = talked(tmp_path, calls=True)
    lean = follow(place)
    assert not lean.measured.whole
    assert [one.text for one in texts_of(place, lean, lambda: False)] == [f"m{n}" for n in range(12)]
    assert not lean.context.context.read


def test_one_whose_size_rests_on_its_texts_keeps_them(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "home")
    place = Location(writer.home / "state.db", writer.home)
    writer.message("no call is logged")
    assert follow(place).messages[0].text == "no call is logged"


def follow(place: Location, before: Reading | None = None) -> Reading:
    with Store(place) as store:
        conversation = store.conversation("s1")
    newest = conversation.generations[-1]
    return followed(place, newest, lambda: False, conversation=conversation, before=before)


def rows_asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    asked: list[int] = []
    original = Store.messages

    def counted(self: Store, row_ids: Sequence[int], **more: object) -> tuple[Message, ...]:
        asked.extend(row_ids)
        return original(self, row_ids, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "messages", counted)
    return asked


def test_a_generation_that_begins_is_read_completely(tmp_path: Path) -> None:
    writer, place = talked(tmp_path)
    before = reading(place)
    writer.database.compact("s1", 1, 2, "## Goal\nship")
    after = reading(place, before)
    assert after.context.generation is not None
    assert after.context.generation.index == 2
    assert after.messages == reading(place).messages
