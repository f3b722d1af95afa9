from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.store.search import terms_of
from core.store.store import Store
from tests.core.store.database import SessionDatabase

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]


def talk(make: Make, release: str) -> SessionDatabase:
    database = make(release)
    database.session("s")
    database.session("t")
    database.message("s", "user", "The quick brown fox")
    database.message("s", "assistant", "", calls=[("c", "terminal", '{"command": "grep -r needle src/"}')])
    database.message("t", "user", "brown bread and a fox")
    database.message("t", "user", "数据库连接超时了")
    database.message("t", "user", [{"type": "text", "text": "a picture of a walrus"}])
    return database


@pytest.mark.parametrize("release", ["0.2", "0.13", "0.19", "0.22"])
def test_every_word_must_be_there_and_the_newest_comes_first(
    make: Make, opened: Opened, release: str
) -> None:
    store = opened(talk(make, release))
    found = store.search("fox brown")
    assert [hit.row_id for hit in found.hits] == [3, 1]
    assert found.how == ("scan" if release == "0.2" else "full-text index")
    assert "brown" in found.hits[0].excerpt
    assert [hit.row_id for hit in store.search("fox", session="s").hits] == [1]
    assert [hit.row_id for hit in store.search('"brown fox"').hits] == [1]
    assert [hit.row_id for hit in store.search("needle").hits] == [2]
    assert [(hit.row_id, hit.excerpt) for hit in store.search("walrus").hits] == [
        (5, "a picture of a walrus")
    ]
    assert store.search("absent").hits == ()
    assert store.search("  ").hits == ()


@pytest.mark.parametrize("release", ["0.13", "0.22"])
def test_text_without_spaces_is_found_inside_its_run(make: Make, opened: Opened, release: str) -> None:
    store = opened(talk(make, release))
    assert [hit.row_id for hit in store.search("连接超时").hits] == [4]
    assert [hit.row_id for hit in store.search("连接").hits] == [4]


@pytest.mark.parametrize("release", ["0.2", "0.19"])
def test_capitals_of_any_script_are_found_and_shown_where_they_are(
    make: Make, opened: Opened, release: str
) -> None:
    database = make(release)
    database.session("s")
    database.message("s", "user", f"{'y ' * 20_000}Обзор таблицы")
    (hit,) = opened(database).search("обзор").hits
    assert hit.excerpt.endswith("Обзор таблицы")


def test_more_than_the_limit_is_stated_to_be_partial(make: Make, opened: Opened) -> None:
    store = opened(talk(make, "0.19"))
    assert store.search("fox", limit=1).partial
    assert not store.search("fox").partial


def test_an_index_still_being_built_is_stated_to_be_partial(make: Make, opened: Opened) -> None:
    database = talk(make, "0.22")
    database.connection.execute(
        "INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '9'), ('fts_rebuild_progress', '3')"
    )
    assert opened(database).search("fox").partial


def test_a_mark_of_the_index_without_a_value_says_nothing(make: Make, opened: Opened) -> None:
    database = talk(make, "0.22")
    database.connection.execute("INSERT INTO state_meta VALUES ('fts_rebuild_high_water', NULL)")
    assert len(opened(database).search("fox").hits) == 2


def test_a_broken_index_falls_back_to_a_scan(make: Make, opened: Opened) -> None:
    database = talk(make, "0.19")
    database.connection.execute("DROP TABLE messages_fts_data")
    found = opened(database).search("fox")
    assert (found.how, len(found.hits)) == ("scan", 2)


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(max_size=30) | st.sampled_from(["a AND", 'NEAR("', "col:x*", "--", "^", "''", "(", '"', "*"])
)
def test_any_text_may_be_searched_for(searched: Store, text: str) -> None:
    assert searched.search(text).hits is not None


@pytest.fixture
def searched(make: Make, opened: Opened) -> Store:
    return opened(talk(make, "0.19"))


def test_quotes_keep_words_together() -> None:
    assert terms_of('a "b c" d"e') == ["a", "b c", "d", "e"]


@pytest.mark.parametrize("odd", ["'x7'", "NULL", "x'ff'", "1e300"])
def test_rows_without_a_number_for_an_id_are_left_out_and_reported(
    make: Make, opened: Opened, odd: str
) -> None:
    database = make("0.2")
    database.session("s")
    database.turn("s", "alpha")
    database.loosen(f"id = {odd} WHERE id = 2")
    store = opened(database)
    found = store.search("alpha")
    assert (found.how, [hit.row_id for hit in found.hits]) == ("scan", [4, 3, 1])
    conversation = store.conversation("s")
    assert conversation.generations[0].row_ids == (1, 3, 4)
    assert "1 message without a number" in conversation.notes[0]


def test_a_gap_between_ids_costs_a_scan_no_time(make: Make, opened: Opened) -> None:
    database = make("0.2")
    database.session("s")
    database.turn("s", "alpha")
    database.connection.execute(f"UPDATE messages SET id = {2**62} WHERE id = 4")
    found = opened(database).search("alpha")
    assert (found.partial, [hit.row_id for hit in found.hits]) == (False, [2**62, 3, 2, 1])


SECRET = "hunter2" + "Zq8Wm4Kd7Rt1" * 3


@pytest.mark.parametrize("release", ["0.2", "0.19"])
@pytest.mark.parametrize(
    "said",
    [
        f"DATABASE_PASSWORD={SECRET} needle",
        f"-----BEGIN RSA PRIVATE KEY-----\n{'MIIEowIBAAKCAQEA1234567890abcdefghij' * 9} {SECRET}\n needle",
        f'{{"client_secret": "{"x1Y2z3" * 12}{SECRET}", "hit": "needle"}}',
        f"Authorization: Bearer {'aB3d' * 20}{SECRET} needle",
        f"password: {SECRET}{' needle' * 3}",
    ],
)
def test_a_message_is_masked_before_the_excerpt_is_cut(
    make: Make, opened: Opened, release: str, said: str
) -> None:
    database = make(release)
    database.session("s")
    database.message("s", "user", said)
    database.message("s", "assistant", "", calls=[("c", "terminal", f'{{"command": {json.dumps(said)}}}')])
    found = opened(database).search("needle").hits
    assert len(found) == 2
    for hit in found:
        assert "needle" in hit.excerpt
        assert SECRET[-24:] not in hit.excerpt


def test_a_search_for_a_credential_finds_its_message_and_does_not_repeat_it(
    make: Make, opened: Opened
) -> None:
    database = make("0.2")
    database.session("s")
    database.message("s", "user", f"DATABASE_PASSWORD={SECRET}")
    [hit] = opened(database).search(SECRET).hits
    assert hit.excerpt == "DATABASE_PASSWORD=[redacted:secret-value]"


@pytest.mark.parametrize("release", ["0.2", "0.22"])
def test_tool_calls_and_results_are_quoted_without_the_escapes_of_json(
    make: Make, opened: Opened, release: str
) -> None:
    database = make(release)
    database.session("s")
    called = json.dumps({"content": 'say "hello"\nto the café'})
    database.message("s", "assistant", "", calls=[("c", "write_file", called)])
    database.message("s", "tool", json.dumps({"output": 'two lines:\nthe "café" opens'}))
    database.message("s", "user", r"Why is the path C:\new\cafe wrong?")
    [result], [call], [asked] = (opened(database).search(word).hits for word in ("opens", "hello", "wrong"))
    assert 'two lines: the "café" opens' in result.excerpt
    assert 'say "hello" to the café' in call.excerpt
    assert r"C:\new\cafe" in asked.excerpt


@pytest.mark.parametrize("release", ["0.2", "0.22"])
def test_the_newest_messages_of_users_are_listed_without_a_search(
    make: Make, opened: Opened, release: str
) -> None:
    said = opened(talk(make, release)).newest_said(2)
    assert [(hit.row_id, hit.session_id) for hit in said] == [(5, "t"), (4, "t")]
    assert "a picture of a walrus" in said[0].excerpt


def test_an_excerpt_begins_with_a_whole_word_close_to_the_match(make: Make, opened: Opened) -> None:
    database = make("0.2")
    database.session("s")
    database.message("s", "user", "Before the deploy nobody had understood where the needle had gone.")
    [hit] = opened(database).search("needle").hits
    assert hit.excerpt == "…understood where the needle had gone."


def test_words_beside_a_picture_that_is_too_large_to_read_whole_are_shown_without_its_json(
    make: Make, opened: Opened
) -> None:
    database = make("0.22")
    database.session("s")
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 40_000}}
    database.message("s", "user", [{"type": "text", "text": "The last label is cut off."}, picture])
    [said] = opened(database).newest_said(1)
    assert said.excerpt == "The last label is cut off."
