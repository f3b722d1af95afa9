"""What an untitled conversation is known by."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.model.transcript.session import NAME_CHARS
from core.store.store import Store
from tests.core.store.database import LONG_SUMMARY, RELEASES, SUMMARY, SessionDatabase

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]


@pytest.mark.parametrize("release", RELEASES)
def test_the_user_is_quoted_on_one_line(make: Make, opened: Opened, release: str) -> None:
    database = make(release)
    database.session("s")
    database.message("s", "assistant", "Good morning")
    database.message("s", "user", "  Rename the flag,\n\n   then run\tthe tests")
    database.message("s", "user", "and again")
    assert opened(database).first_words(["s"]) == {"s": "Rename the flag, then run the tests"}


def test_a_list_of_parts_is_quoted_by_its_text(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s")
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    database.message("s", "user", [{"type": "text", "text": "What is on this picture? ü"}, image])
    assert opened(database).first_words(["s"]) == {"s": "What is on this picture? ü"}


@pytest.mark.parametrize("marker", [SUMMARY, LONG_SUMMARY])
def test_a_summary_is_nothing_the_user_said(make: Make, opened: Opened, marker: str) -> None:
    database = make()
    database.session("s")
    database.message("s", "user", f"{marker} Earlier, the parser was ported")
    database.message("s", "user", "Go on")
    assert opened(database).first_words(["s"]) == {"s": "Go on"}


def test_a_long_message_is_cut(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s")
    database.message("s", "user", "é" * 100_000)
    assert opened(database).first_words(["s"]) == {"s": "é" * NAME_CHARS}


def test_a_skill_and_notes_around_what_was_typed_are_left_out(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s")
    skill = '[IMPORTANT: The user has invoked the "tidy" skill, as below.]\n\n' + "Never touch main.\n" * 500
    typed = "The user has provided the following instruction alongside the skill invocation: sort it"
    database.message("s", "user", f"{skill}\n{typed}\n\n[System note: It is late.]")
    assert opened(database).first_words(["s"]) == {"s": "/tidy sort it"}


def test_where_nobody_spoke_there_are_no_words(make: Make, opened: Opened) -> None:
    database = make()
    database.session("silent")
    database.session("blank")
    database.message("blank", "user", " \n")
    database.message("blank", "user", None)
    assert opened(database).first_words(["silent", "blank", "absent"]) == {}


def test_a_conversation_is_called_the_same_wherever_it_is_shown(make: Make, opened: Opened) -> None:
    database = make()
    database.session("untitled")
    database.message("untitled", "user", "Rename the flag,\nthen run the tests")
    database.session("titled", title="The flag")
    database.message("titled", "user", "Rename it")
    database.session("silent")
    store = opened(database)
    names = {"untitled": "Rename the flag, then run the tests", "titled": "The flag", "silent": "silent"}
    assert store.names(["untitled", "titled", "silent", "absent"]) == {**names, "absent": "absent"}
    assert {name: store.conversation(name).name for name in names} == names


def test_a_chain_is_called_as_it_began(make: Make, opened: Opened) -> None:
    database = make()
    database.session("first")
    database.turn("first", "one")
    database.rotate("first", "second", 1, 1, "what came before")
    said = opened(database).first_words(["first"])["first"]
    assert opened(database).conversation("second").name == said
