"""Counting generations by a quick look must say what splitting every session says."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.store.conversations import generation_counts as counting
from core.store.conversations.generation_counts import Count, count_generations
from core.store.generations.segments import read_segments
from core.store.lineage.families import every_family
from core.store.lineage.lineage import Lineage
from core.store.store import Store
from tests.core.store.database import END, LONG_SUMMARY, PRIOR, PRIOR_END, SUMMARY, SessionDatabase

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]

TEXTS = (
    *("ask a", "ask b", "ask c"),
    f"{LONG_SUMMARY} one\nDone.",
    f"{LONG_SUMMARY} one\nDone.\n{END}\n",
    f"{LONG_SUMMARY} one\nDone.\n{END}\nask a",
    f"\n  {SUMMARY} older",
    f"{PRIOR}\nask a\n{PRIOR_END}\n{LONG_SUMMARY} two\nDone.\n{END}",
    f"he wrote {LONG_SUMMARY} to me",
    "\x00json:" + json.dumps([{"type": "text", "text": f"{LONG_SUMMARY} three\nDone."}]),
)
Rows = list[tuple[str, int, int]]
PLAIN = st.builds(
    lambda count, step, active: [
        (f"ask {'abcdefg'[at * step % 7]}", active, 1 - active) for at in range(count)
    ],
    st.integers(0, 18),
    st.integers(1, 3),
    st.sampled_from([0, 1]),
)
MARKED = st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from([1, 1, 0]), st.just(0)), max_size=4)
THREADS = st.lists(st.builds(list.__add__, PLAIN, MARKED), min_size=1, max_size=3)


def counted(store: Store) -> tuple[dict[str, int], dict[str, int]]:
    """Generations by session: by the quick look, and by splitting every thread."""
    lineage = every_family(store.connection, store.schema)
    quick = count_generations(store.connection, store.schema, lineage, lineage.links)
    split = {
        link: sum(
            session.id == link
            for session, _, _ in read_segments(store.connection, store.schema, lineage, lineage.path(link))[1]
        )
        for link in lineage.links
    }
    return {link: quick[link].generations for link in lineage.links}, split


def fill(database: SessionDatabase, session: str, rows: Rows, uids: bool) -> None:
    for text, active, compacted in rows:
        marks: dict[str, Any] = {"active": active}
        if database.release != "0.16":
            marks["compacted"] = compacted if not active else 0
        if uids:
            marks["message_uid"] = f"u-{text[:8]}"
        database.message(session, "user", text, **marks)


@given(
    st.sampled_from(["0.16", "0.19", "0.22"]),
    st.lists(THREADS, min_size=5, max_size=10),
    st.booleans(),
    st.sampled_from(["compression", "cli_close"]),
)
@settings(max_examples=25, deadline=None)
def test_the_quick_look_counts_as_splitting_does(
    release: str, threads: list[list[Rows]], uids: bool, reason: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = SessionDatabase(Path(folder) / "state.db", release)
        database.connection.execute("BEGIN")
        for thread, sessions in enumerate(threads):
            for number, rows in enumerate(sessions):
                parent = {"parent_session_id": f"{thread}-{number - 1}"} if number else {}
                one = database.session(
                    f"{thread}-{number}", ended_at=database.tick(), end_reason=reason, **parent
                )
                fill(database, one, rows, uids and release == "0.22")
        database.connection.execute("COMMIT")
        database.connection.close()
        with Store(database.path) as store:
            quick, split = counted(store)
            assert quick == split


def test_the_sample_sessions_are_counted_as_they_split(sample_home: Path) -> None:
    with Store(sample_home / "state.db") as store:
        quick, split = counted(store)
        assert quick == split
        assert max(split.values()) > 1


def test_sessions_that_were_never_compacted_are_not_split(
    make: Make, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = make()
    database.session("plain")
    database.turn("plain", "1")
    database.session("once")
    fill(database, "once", [(f"ask {number}", 0, 1) for number in range(20)], uids=False)
    database.message("once", "user", TEXTS[3])
    monkeypatch.setattr(counting, "_split", lambda *_: pytest.fail("a quick look would have done"))
    assert opened(database).thread_generation_counts(["plain", "once"]) == (Count(1), Count(2))


def test_every_continuation_of_a_fork_counts_its_parent_once(make: Make, opened: Opened) -> None:
    database = make()
    database.session("root", ended_at=database.tick(), end_reason="compression")
    database.turn("root", "1")
    for name in ("left", "right"):
        database.session(name, parent_session_id="root")
        database.message(name, "user", TEXTS[3])
    assert opened(database).thread_generation_counts(["root", "left", "right"]) == (Count(2),) * 3


def test_sqlite_trims_what_strip_takes_off() -> None:
    assert set(counting._BLANKS) == {one for one in map(chr, range(sys.maxunicode + 1)) if one.isspace()}


def test_a_long_chain_is_walked_once_however_many_of_its_sessions_are_counted(
    make: Make, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make()
    made.session("s0")
    for number in range(40):
        made.turn(f"s{number}", "a")
        made.rotate(f"s{number}", f"s{number + 1}", 1, 1, "carried")
    store, walked = opened(made), list[str]()
    walk = Lineage.path

    def noted(self: Lineage, one: str) -> tuple[str, ...]:
        walked.append(one)
        return walk(self, one)

    monkeypatch.setattr(Lineage, "path", noted)
    lineage = every_family(store.connection, store.schema)
    counts = count_generations(store.connection, store.schema, lineage, [f"s{n}" for n in range(41)])
    assert counts["s40"] == Count(1)
    assert walked == ["s0"]


def test_a_session_whose_rows_were_overwritten_was_compacted_at_least_once(
    make: Make, opened: Opened
) -> None:
    database = make("0.16")
    database.session("s")
    fill(database, "s", [("ask a", 1, 0), (TEXTS[3], 1, 0), ("ask b", 1, 0)], uids=False)
    store = opened(database)
    (count,) = store.thread_generation_counts(["s"])
    assert (count.generations, count.compactions, count.lost) == (1, 1, True)
    chain = store.chain("s")
    assert chain is not None
    assert chain.compactions == 1


def test_a_branch_that_restates_its_parents_summary_was_not_compacted(make: Make, opened: Opened) -> None:
    database = make("0.16")
    database.session("root")
    fill(database, "root", [(f"ask {n}", 1, 0) for n in range(20)] + [(TEXTS[3], 1, 0)], uids=False)
    database.session("b", parent_session_id="root", model_config='{"_branched_from": "root"}')
    fill(database, "b", [(TEXTS[3], 1, 0), ("ask c", 1, 0)], uids=False)
    (count,) = opened(database).thread_generation_counts(["b"])
    assert (count.compactions, count.lost) == (0, False)


def test_a_thread_whose_first_session_was_never_written_to_was_compacted_at_least_as_often_as_it_continues(
    make: Make, opened: Opened
) -> None:
    """Run with 0.16.0: a sub-agent compressed twice before it ends holds rows in its last session only."""
    database = make("0.16")
    database.session("a", end_reason="compression", ended_at=2.0)
    database.session("b", parent_session_id="a", end_reason="compression", ended_at=4.0, started_at=3.0)
    database.session("c", parent_session_id="b", started_at=5.0)
    fill(database, "c", [(TEXTS[3], 1, 0), ("ask b", 1, 0)], uids=False)
    (count,) = opened(database).thread_generation_counts(["c"])
    assert (count.compactions, count.lost) == (2, True)
