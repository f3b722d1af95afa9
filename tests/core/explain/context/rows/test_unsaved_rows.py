from __future__ import annotations

from pathlib import Path

import pytest

from core.explain.context.rows import unsaved_rows
from core.explain.context.rows.boundary_rows import boundary_rows
from core.hermes.markers.markers import UNBOOKED
from core.store.store import Store
from tests.core.store.database import SessionDatabase


def looks(folder: Path, sessions: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the roles of a generation are looked at for a chain of so many continuations."""
    count = 0
    real = unsaved_rows._answers

    def counted(roles: tuple[str, ...]) -> int:
        nonlocal count
        count += 1
        return real(roles)

    monkeypatch.setattr(unsaved_rows, "_answers", counted)
    with SessionDatabase(folder / f"{sessions}.db", "0.16") as database:
        ends = {"end_reason": "compression"}
        previous = database.session("s0", api_call_count=3, ended_at=database.tick(), **ends)
        database.turn("s0", "one")
        for number in range(1, sessions):
            at = {"parent_session_id": previous, "started_at": database.tick(), "ended_at": database.tick()}
            previous = database.session(f"s{number}", api_call_count=1, **at, **ends)
    with Store(database.path) as store:
        found = boundary_rows(store, store.conversation("s0"), store.messages)
    assert len(found) == sessions - 1
    monkeypatch.setattr(unsaved_rows, "_answers", real)
    return count


def test_a_chain_twice_as_long_takes_twice_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short, long = (looks(tmp_path, sessions, monkeypatch) for sessions in (40, 80))
    assert 0 < long <= 2.5 * short


@pytest.mark.parametrize("limited", [0, 1, 2])
def test_an_answer_past_the_last_call_of_a_turn_is_none_of_the_calls_counted(
    tmp_path: Path, limited: int
) -> None:
    """Until 0.16 what a running turn had said is known by the calls its session counts."""
    with SessionDatabase(tmp_path / "state.db", "0.16") as database:
        database.session("a", api_call_count=2 * 3 + 1)
        for number in range(3):
            database.turn("a", f"turn {number}")
            if number < limited:
                database.message("a", "user", f"{UNBOOKED[0]}r of tool-calling iterations allowed.")
                database.message("a", "assistant", "That is all I could do.")
        before = len(database.live("a"))
        database.rotate("a", "b", 3, 4, "so far")
        turn = database.turn("b", "the running one")
        database.connection.execute("UPDATE sessions SET api_call_count = 1 WHERE id = 'b'")
    with Store(database.path) as store:
        (found,) = boundary_rows(store, store.conversation("a"), store.messages)
    assert found.counted_before == before + 3
    assert found.before[-3:] == tuple(turn[:3])


def test_a_task_list_behind_a_turn_that_was_only_in_memory_is_left_by_the_compaction(tmp_path: Path) -> None:
    with SessionDatabase(tmp_path / "state.db", "0.16") as database:
        database.session("a", api_call_count=2 * 3 + 1)
        for number in range(3):
            database.turn("a", f"turn {number}")
        before = len(database.live("a"))
        copied = len(database.rotate("a", "b", 3, 4, "so far"))
        asked, called, result, _ = database.turn("b", "the running one")
        tasks = "[Your active task list was preserved across context compression]\n- [>] 1. ship"
        database.mark([result + 1], role="user", content=tasks)
        database.message("b", "assistant", "done")
        database.connection.execute("UPDATE sessions SET api_call_count = 1 WHERE id = 'b'")
    with Store(database.path) as store:
        (found,) = boundary_rows(store, store.conversation("a"), store.messages)
    assert (found.counted_before, found.counted_after) == (before + 3, copied + 4)
    assert found.after[-4:] == (asked, called, result, result + 1)


def test_the_request_after_a_turn_that_was_only_in_memory_is_none_of_its_rows(tmp_path: Path) -> None:
    """After /undo 0.13 stores no further turn in the old session, so /compress finds it in memory only."""
    with SessionDatabase(tmp_path / "state.db", "0.13") as database:
        database.session("a", api_call_count=2 * 3 + 1)
        for number in range(3):
            database.turn("a", f"turn {number}")
        before = len(database.live("a"))
        database.rotate("a", "b", 3, 0, "so far")
        turn = [database.message("b", "user", "and now"), database.message("b", "assistant", "done")]
        database.message("b", "user", "a request of later")
        database.message("b", "assistant", "an answer of later")
        database.connection.execute("UPDATE sessions SET api_call_count = 1 WHERE id = 'b'")
    with Store(database.path) as store:
        (found,) = boundary_rows(store, store.conversation("a"), store.messages)
    assert (found.counted_before, found.before[-2:]) == (before + 2, tuple(turn))


def test_calls_of_a_turn_that_was_killed_take_no_row_of_the_turns_after_it(tmp_path: Path) -> None:
    """Run with 0.13.0: its rows are stored nowhere, but the session counts its calls."""
    killed = 3
    with SessionDatabase(tmp_path / "state.db", "0.13") as database:
        database.session("a", api_call_count=2 * 3 + killed + 1)
        for number in range(3):
            database.turn("a", f"turn {number}")
        database.rotate("a", "b", 3, 4, "so far")
        for name in ("the one that compressed", "another"):
            database.turn("b", name)
        database.rotate("b", "c", 3, 4, "so far, again")
        newest = database.turn("c", "the newest")
        database.connection.execute("UPDATE sessions SET api_call_count = 1 + 2 + 1 WHERE id = 'b'")
        database.connection.execute("UPDATE sessions SET api_call_count = 1 WHERE id = 'c'")
    with Store(database.path) as store:
        first, second = boundary_rows(store, store.conversation("a"), store.messages)
    assert (first.counted_before, first.counted_after) == (None, None)
    assert (second.counted_before, second.before[-3:]) == (8 + 2 * 4 + 3, tuple(newest[:3]))


@pytest.mark.parametrize("counted", [0, 4])
def test_a_running_turn_is_unknown_where_a_provider_leaves_calls_uncounted(
    tmp_path: Path, counted: int
) -> None:
    """Run with 0.16.0: of six answers the provider reported the usage of some, or of none."""
    with SessionDatabase(tmp_path / "state.db", "0.16") as database:
        database.session("a", api_call_count=counted)
        for number in range(3):
            database.turn("a", f"turn {number}")
        database.rotate("a", "b", 3, 4, "so far")
        database.turn("b", "the running one")
        database.rotate("b", "c", 3, 4, "so far, again")
        database.turn("c", "the newest")
    with Store(database.path) as store:
        first, _ = boundary_rows(store, store.conversation("a"), store.messages)
    assert (first.counted_before, first.counted_after) == (None, None)
