"""Of messages that were noted none is read again, and a report by notes is the report of the messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from core.account.prompt_cache.message_notes import MessageNotes
from core.explain.prompt_cache import conversation_cache
from core.hermes.policy.policy import load_policy
from core.model.accounting.prompt_cache import CacheReport
from core.model.transcript.conversation import Generation
from core.model.transcript.message import Message
from core.store.database.locate import Location
from core.store.store import Store
from tests.core.live.writer import Writer

RULES = load_policy("0.22").estimate


def noted(notes: MessageNotes, rows: tuple[int, ...], session: str = "s1") -> tuple[list[int], list[int]]:
    """What was read for some rows, and what each message of theirs weighs."""
    asked: list[int] = []

    def messages(wanted: Sequence[int]) -> Iterator[Message]:
        for row in wanted:
            asked.append(row)
            yield Message({"role": "user", "content": "x" * 40 * row})

    found = notes.of(Generation(1, session, rows), messages, RULES)
    return asked, list(found.weights)


def test_only_rows_that_were_added_are_read() -> None:
    notes = MessageNotes()
    assert noted(notes, (1, 2))[0] == [1, 2]
    asked, weights = noted(notes, (1, 2, 3))
    assert asked == [3]
    assert weights == noted(MessageNotes(), (1, 2, 3))[1]


def test_other_rows_or_another_session_are_noted_again() -> None:
    notes = MessageNotes()
    noted(notes, (1, 2, 3))
    assert noted(notes, (1, 3, 4))[0] == [1, 3, 4]
    assert noted(notes, (1, 3, 4), session="s2")[0] == [1, 3, 4]


def test_a_report_by_notes_is_the_report(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "home")
    place = Location(writer.home / "state.db", writer.home)
    notes = MessageNotes()

    def report(notes: MessageNotes | None = None) -> CacheReport:
        with Store(place) as store:
            return conversation_cache(store, "s1", notes=notes)

    for number in range(6):
        writer.message(f"ask {number}")
        writer.message(f"answer {number}", "assistant")
        writer.call(20_000 + number, 19_000)
        assert report(notes) == report()
