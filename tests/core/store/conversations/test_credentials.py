"""What a damaged file still gives away as credentials is known, whatever page of it is broken."""

from __future__ import annotations

import sqlite3
from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from urllib.parse import quote

import pytest

from core.redact import text as masking
from core.redact.known_values import KNOWN
from core.redact.spans import Hints, hints_of
from core.redact.text import find, redact_text
from core.store.conversations.credentials import holding, passed_over, piecewise
from core.store.store import Store
from tests.core.redact.corpus import credentials, innocents, nested
from tests.core.store.database import SessionDatabase

FIRST, MIDDLE, LAST = VALUES = ("swordfish77x", "hQ7rT2mVx9bN4k", "Zq8!vK3pLm9wT2x")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with SessionDatabase(path) as made:
        made.session("s1", title=f"with {LAST}")
        for place in range(60):
            said = {0: FIRST, 30: MIDDLE, 59: LAST}.get(place)
            made.message("s1", "user", f"DB_PASSWORD={said} " if said else "w " * 1_500)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("PRAGMA journal_mode=DELETE")
    return path


def broken(path: Path, pages: Sequence[int]) -> None:
    with closing(sqlite3.connect(path)) as db:
        (size,) = db.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as stream:
        for page in pages:
            stream.seek((page - 1) * size)
            stream.write(b"\xff" * size)


def pages_of(path: Path, name: str, value: str = "") -> list[int]:
    """The root of a table or index; with a value, the page that holds it."""
    with closing(sqlite3.connect(path)) as db:
        (size,) = db.execute("PRAGMA page_size").fetchone()
        root: list[int] = [
            row[0] for row in db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,))
        ]
    raw = path.read_bytes()
    return [raw.find(b"DB_PASSWORD=" + value.encode()) // size + 1] if value else root


def masked(path: Path) -> list[str]:
    with Store(path) as store:
        store.learn("s1")
    return [value for value in VALUES if value not in redact_text(f"it is {value} here")]


def test_one_broken_page_hides_no_other_message(database: Path) -> None:
    broken(database, pages_of(database, "messages", MIDDLE))
    assert masked(database) == [FIRST, LAST]


def test_a_broken_index_hides_no_message(database: Path) -> None:
    with closing(sqlite3.connect(database)) as db:
        found = db.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'messages'")
        names = [name for (name,) in found]
    broken(database, [page for name in names for page in pages_of(database, name)])
    assert masked(database) == list(VALUES)


@pytest.mark.parametrize("table", ["messages", "sessions"])
def test_learning_from_a_table_that_cannot_be_read_ends_without_an_error(database: Path, table: str) -> None:
    broken(database, pages_of(database, table))
    assert masked(database) == ([] if table == "messages" else list(VALUES))


@pytest.mark.parametrize(
    "shown",
    [
        "401 for {} at host",
        "(key='{}'), again",
        "https://administrator:{}@db.example/app",
        "a line of a log, after=[{}];",
        lambda value: f"Basic {b64encode(f'bob:{value}'.encode()).decode()}",
        lambda value: f"raw {value.encode().hex()}",
        lambda value: f"/x?q={quote(value, safe='')}&y=1",
    ],
)
@pytest.mark.parametrize(
    "value", ["hQ7rT2mVx9bN4k", "Tr0ub4(dor)&3", "k9#Lw,(2pQ;x", "correct-horse!battery"]
)
def test_a_line_is_masked_by_what_its_conversation_says_however_it_spells_it(
    tmp_path: Path, value: str, shown: str | Callable[[str], str]
) -> None:
    line = shown.format(value) if isinstance(shown, str) else shown(value)
    with SessionDatabase(tmp_path / "state.db") as made:
        made.session("s1")
        made.message("s1", "user", "w " * 50)
        made.message("s1", "user", f"DB_PASSWORD='{value}'")
    KNOWN.forget()
    with Store(tmp_path / "state.db") as store:
        store.learn("s1")
        whole = redact_text(line)
        KNOWN.forget()
        store.learn_shown({"s1": line})
    assert redact_text(line) == whole != line


def test_a_prompt_gives_away_what_a_line_shows(tmp_path: Path) -> None:
    with SessionDatabase(tmp_path / "state.db") as made:
        made.session("s1", system_prompt=f"You may use DB_PASSWORD={LAST} for tests.")
    KNOWN.forget()
    with Store(tmp_path / "state.db") as store:
        store.learn_shown({"s1": f"refused {LAST}"})
    assert LAST not in redact_text(f"refused {LAST}")


def searched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are searched from now on."""
    looked: list[str] = []

    def noted(text: str) -> Hints:
        looked.append(text)
        return hints_of(text)

    monkeypatch.setattr(masking, "hints_of", noted)
    return looked


def test_of_a_name_no_more_is_searched_than_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SessionDatabase(tmp_path / "state.db") as made:
        made.session("s1", title=f"DB_PASSWORD={FIRST} " + "é and " * 500_000)
    looked = searched(monkeypatch)
    assert masked(tmp_path / "state.db") == [FIRST]
    assert sum(map(len, looked)) < 10_000


def test_the_model_a_session_ran_on_is_not_looked_for_in_its_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SessionDatabase(tmp_path / "state.db") as made:
        for session, model in (("s1", "claude-opus-4-5"), ("s2", "gpt-5.2")):
            made.session(session, model=model)
            made.message(session, "user", "DB_PASSWORD=hQ7rT2mVx9bN4k of claude-opus-4-5")
    looked = searched(monkeypatch)
    with Store(tmp_path / "state.db") as store:
        store.learn_shown({"s1": "Tried claude-opus-4-5"})
        assert not looked
        store.learn_shown({"s2": "Tried claude-opus-4-5"})
        assert looked


def test_a_text_said_a_thousand_times_is_searched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SessionDatabase(tmp_path / "state.db") as made:
        made.session("s1")
        for _ in range(1_200):
            made.message("s1", "user", f"DB_PASSWORD={FIRST}")
    looked = searched(monkeypatch)
    assert masked(tmp_path / "state.db") == [FIRST]
    assert len(looked) < 20


def test_texts_searched_together_are_those_found_one_by_one() -> None:
    planted = [text for credential in credentials(7) for text in nested(credential.text)]
    pairs = zip_longest(planted, innocents(7))
    texts = list(dict.fromkeys(text.encode() for pair in pairs for text in pair if text))
    alone = [text for text in texts if find(text.decode())]
    assert 500 < len(alone) < len(texts)
    assert list(holding(texts)) == alone


def test_rows_that_fail_together_are_read_each_on_its_own() -> None:
    def read(rows: Sequence[int]) -> list[int]:
        if 3 in rows:
            raise sqlite3.DatabaseError("database disk image is malformed")
        return list(rows)

    assert [row for _, found in piecewise(range(8), read) for row in found] == [0, 1, 2, 4, 5, 6, 7]


@pytest.mark.parametrize("said", ["interrupted", "database is locked"])
def test_what_is_no_damage_is_not_passed_over(said: str) -> None:
    with pytest.raises(sqlite3.OperationalError), passed_over():
        raise sqlite3.OperationalError(said)
