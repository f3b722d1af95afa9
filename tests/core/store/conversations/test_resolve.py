"""What a text names: an id, a title, the beginning of one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.errors import AmbiguousError, NotFoundError
from core.store.store import Store
from tests.core.store.database import SessionDatabase

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]


@pytest.fixture
def store(make: Make, opened: Opened) -> Store:
    database = make("0.19")
    database.session("build", title="Fix the build")
    database.session("docs", title="Fix the docs")
    database.session("parser", title="Port the parser", ended_at=database.tick(), end_reason="compression")
    database.session("parser2", parent_session_id="parser", title="Port the parser #2")
    return opened(database)


def test_the_beginning_of_one_title_is_enough_whatever_its_case(store: Store) -> None:
    assert store.resolve("fix the b").id == "build"


def test_sessions_of_one_conversation_are_one_title_and_the_newest_is_meant(store: Store) -> None:
    assert store.resolve("Port").id == "parser2"


def test_a_beginning_of_several_titles_names_them(store: Store) -> None:
    with pytest.raises(AmbiguousError) as refused:
        store.resolve("Fix the")
    assert "2 titles" in str(refused.value)
    assert all(
        title in str(refused.value.remedy) for title in ("Fix the build (build)", "Fix the docs (docs)")
    )


@pytest.mark.parametrize("text", ["the build", "", "Fix%"])
def test_what_no_title_begins_with_is_not_found(store: Store, text: str) -> None:
    with pytest.raises(NotFoundError):
        store.resolve(text)
