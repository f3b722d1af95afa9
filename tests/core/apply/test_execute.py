from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.apply.database.snapshot import live_messages
from core.apply.execute import execute
from core.apply.journal import Journal
from core.apply.rehearse import rehearse
from core.apply.undo import undo
from core.errors import DatabaseError, NotFoundError, UsageError
from core.hermes.markers.markers import find_summary
from core.model.compaction.apply import Applied, ApplyMode, EntryState, Rehearsal
from core.model.transcript.conversation import BoundaryMode
from core.model.transcript.message import RowState
from core.model.transcript.session import Kind
from core.store.store import Store
from tests.core.apply.material import SUMMARY, check_integrity, conversation, dump, preview, preview_of

MEANWHILE = "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'new', 1e10)"
MODES = [
    ("0.13", ApplyMode.CONTINUATION),
    ("0.16", ApplyMode.CONTINUATION),
    ("0.17", ApplyMode.CONTINUATION),
    ("0.18", ApplyMode.IN_PLACE),
    ("0.19", ApplyMode.IN_PLACE),
    ("0.19", ApplyMode.CONTINUATION),
    ("0.22", ApplyMode.IN_PLACE),
    ("0.22", ApplyMode.CONTINUATION),
    *((release, ApplyMode.FORK) for release in ("0.13", "0.16", "0.19", "0.22")),
]


def rehearsed(path: Path, mode: ApplyMode | None = None, head: int = 4, tail: int = 4) -> Rehearsal:
    with Store(path) as store:
        return rehearse(store, "s", preview(store, head=head, tail=tail), mode)


def applied(path: Path, journal: Journal, mode: ApplyMode | None = None) -> Applied:
    return execute(rehearsed(path, mode), journal)


@pytest.mark.parametrize("release", ["0.19", "0.22"])
def test_a_message_written_since_the_preview_is_named_before_anything_is_tried(
    tmp_path: Path, release: str
) -> None:
    path = conversation(tmp_path / "state.db", release)
    with Store(path) as store:
        found = preview(store, head=4, tail=4)
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(MEANWHILE)
        with pytest.raises(DatabaseError, match="changed since the preview") as caught:
            rehearse(store, "s", found)
    assert caught.value.exit_code == 5


def test_a_message_written_between_rehearsal_and_write_is_named(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    ready = rehearsed(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(MEANWHILE)
    before = dump(path)
    with pytest.raises(DatabaseError, match="changed since the preview"):
        execute(ready, journal)
    assert dump(path) == before


def test_a_session_deleted_between_rehearsal_and_write_is_named(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    ready = rehearsed(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM messages WHERE session_id = 's'")
        db.execute("DELETE FROM sessions WHERE id = 's'")
    with pytest.raises(NotFoundError, match="session 's' is no longer there"):
        execute(ready, journal)
    assert journal.entries() == ()


@pytest.mark.parametrize(("release", "mode"), MODES)
def test_what_was_previewed_is_what_loads(
    tmp_path: Path, journal: Journal, release: str, mode: ApplyMode
) -> None:
    path = conversation(tmp_path / "state.db", release)
    done = applied(path, journal, mode)
    with Store(path) as store:
        loaded = live_messages(store, done.target_id)
        texts = [message.text.split(" x")[0] for message in loaded]
        assert texts[:5] == ["ask 0", "look 0", "result 0", "answer 0", SUMMARY]
        assert texts[-4:] == ["ask 5", "look 5", "result 5", "answer 5"]
        assert len(loaded) == 9
        target = store.session(done.target_id)
        assert (target.messages, target.tool_calls) == (9, 2)
    assert done.seconds < 1.0
    assert check_integrity(path) == "ok"


@pytest.mark.parametrize(("release", "mode"), MODES)
def test_undo_puts_back_every_row_of_every_table(
    tmp_path: Path, journal: Journal, release: str, mode: ApplyMode
) -> None:
    path = conversation(tmp_path / "state.db", release)
    before = dump(path)
    done = applied(path, journal, mode)
    assert dump(path) != before
    entry = undo(journal, done.undo_id)
    assert entry.state is EntryState.UNDONE
    assert dump(path) == before
    assert check_integrity(path) == "ok"


def test_in_place_archives_the_old_rows_and_counts_the_new(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    applied(path, journal)
    with Store(path) as store:
        old, new = store.conversation("s").generations
        assert new.boundary is not None
        assert (new.boundary.mode, new.boundary.head_rows, new.boundary.tail_rows) == (
            BoundaryMode.IN_PLACE,
            4,
            4,
        )
        states = {one.state for one in store.previews(old.row_ids)}
        assert states == {RowState.ARCHIVED}
        assert store.session("s").model_config == '{"max_iterations": 90}'
        assert {hit.session_id for hit in store.search("fixed").hits} == {"s"}


def test_0_22_distinguishes_summarised_rows_from_carried_ones(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    applied(path, journal)
    with Store(path) as store:
        conversation_ = store.conversation("s")
        old, new = conversation_.generations
        states = [one.state for one in store.previews(old.row_ids)]
        assert states == [RowState.ARCHIVED] * 20 + [RowState.SUPERSEDED] * 4
        assert (new.copies, new.fresh) == (8, 1)
        assert conversation_.rewound == ()
        (summary,) = [message for message in store.messages(new.row_ids) if find_summary(message.text)]
        assert summary.text == SUMMARY


@pytest.mark.parametrize("release", ["0.13", "0.17", "0.19", "0.22"])
def test_a_continuation_is_one_to_hermes_rules(tmp_path: Path, journal: Journal, release: str) -> None:
    path = conversation(tmp_path / "state.db", release)
    done = applied(path, journal, ApplyMode.CONTINUATION)
    with Store(path) as store:
        thread = store.conversation("s")
        assert [session.id for session in thread.sessions] == ["s", done.target_id]
        assert thread.resume_target == done.target_id
        assert thread.sessions[0].end_reason == "compression"
        assert (thread.tip.title, thread.tip.tokens.input, thread.tip.ended_at) == (
            "Fix the build #2",
            0,
            None,
        )
        assert [generation.copies for generation in thread.generations] == [0, 8]


@pytest.mark.parametrize("release", ["0.16", "0.19", "0.22"])
def test_a_fork_leaves_the_old_session_as_it_was(tmp_path: Path, journal: Journal, release: str) -> None:
    path = conversation(tmp_path / "state.db", release)
    before = dump(path)["sessions"]
    done = applied(path, journal, ApplyMode.FORK)
    assert [row for row in dump(path)["sessions"] if row[1] != done.target_id] == before
    with Store(path) as store:
        kinds = {node.session.id: node.kind for node in store.chain("s").nodes}
        assert kinds == {"s": Kind.MAIN, done.target_id: Kind.BRANCH}
        assert store.conversation("s").resume_target == "s"


def test_rewritten_copies_keep_what_only_their_row_knows(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    with Store(path) as store:
        shown = preview(store)
        pruned = tuple(
            message.with_wire(content="[terminal] ran a command") if message.role == "tool" else message
            for message in shown.after
        )
        rehearsal = rehearse(store, "s", preview_of(shown.before, pruned, 4))
    changed = [row for row in rehearsal.inserted if row.source_row is not None and row.values]
    assert {rehearsal.after[row.position].role for row in changed} == {"tool"}
    done = execute(rehearsal, journal)
    with Store(path) as store:
        loaded = live_messages(store, done.target_id)
        assert [message.text for message in loaded if message.role == "tool"] == [
            "[terminal] ran a command"
        ] * 2
        originals = {message.row.id: message for message in shown.before if message.row}
        uids = {message.wire["message_uid"] for message in originals.values()}
        assert all(message.wire["message_uid"] in uids for message in loaded if message.role == "tool")
    undo(journal, done.undo_id)


def test_odd_content_survives_apply_and_undo(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE messages SET content = CAST(x'61ff62' AS TEXT) WHERE id = 23")
        connection.execute("UPDATE messages SET content = x'00ff' WHERE id = 24")
        connection.execute(
            'UPDATE messages SET content = char(0) || \'json:[{"type": "text"}]\' WHERE id = 21'
        )
        connection.execute("UPDATE messages SET content = NULL, timestamp = 1e300 WHERE id = 22")
    connection.close()
    raw = _raw(path)
    done = execute(rehearsed(path), journal, force=["complete"])
    undo(journal, done.undo_id)
    assert _raw(path) == raw


def test_two_compactions_one_after_the_other_are_undone_in_turn(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    states = [dump(path)]
    done = []
    for _ in range(2):
        done.append(execute(rehearsed(path, head=1, tail=3), journal, force=["activity"]))
        states.append(dump(path))
    assert undo(journal, done[1].undo_id).state is EntryState.UNDONE
    assert dump(path) == states[1]
    undo(journal, done[0].undo_id)
    assert dump(path) == states[0]


def test_nothing_to_apply_is_stated(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    with Store(path) as store:
        empty = preview_of(live_messages(store, "s"), live_messages(store, "s"), None)
        with pytest.raises(UsageError, match="nothing to apply"):
            rehearse(store, "s", empty)


def test_an_old_database_is_never_compacted_in_place(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.16")
    with pytest.raises(UsageError, match="older"):
        rehearsed(path, ApplyMode.IN_PLACE)


def test_rehearsing_changes_nothing(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    before, stamp = path.read_bytes(), path.stat().st_mtime_ns
    rehearsal = rehearsed(path)
    assert rehearsal.verified
    assert [row.position for row in rehearsal.inserted] == list(range(9))
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, stamp)


def _raw(path: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    connection.text_factory = bytes
    rows = connection.execute(
        "SELECT *, typeof(content), typeof(timestamp) FROM messages ORDER BY id"
    ).fetchall()
    connection.close()
    return rows


def test_a_schema_never_seen_is_written_and_taken_back_when_forced(tmp_path: Path, journal: Journal) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE messages ADD COLUMN novelty TEXT DEFAULT 'new'")
        connection.execute("CREATE TABLE audit (id)")
        connection.execute(
            "CREATE TRIGGER odd AFTER UPDATE OF active ON messages"
            " BEGIN UPDATE messages SET novelty = 'seen' WHERE id = new.id AND new.active = 0; END"
        )
    connection.close()
    before = dump(path)
    done = execute(rehearsed(path), journal, force=["schema"])
    with closing(sqlite3.connect(path)) as connection, connection:
        seen = connection.execute("SELECT count(*) FROM messages WHERE novelty = 'seen'").fetchone()
    connection.close()
    assert seen == (24,)
    undo(journal, done.undo_id)
    assert dump(path) == before


def test_the_row_in_which_a_gateway_notes_settings_is_not_a_message(tmp_path: Path) -> None:
    """Run with 0.19.0 and 0.22.2: no session of a gateway could be written to."""
    path = conversation(tmp_path / "state.db", "0.19")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE messages SET role = 'session_meta' WHERE id = 11")
    with Store(path) as store:
        before = [message.row.id for message in live_messages(store, "s") if message.row]
        conversation_rows = store.conversation("s").generations[0].row_ids
    assert before == list(conversation_rows)
    assert 11 not in before


@pytest.mark.parametrize("mode", [ApplyMode.IN_PLACE, ApplyMode.CONTINUATION])
def test_a_gateway_continues_with_what_was_written_and_undo_gives_back_what_it_noted(
    tmp_path: Path, journal: Journal, mode: ApplyMode
) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    noted = {"a": {"session_id": "s", "last_prompt_tokens": 117_485}, "b": {"session_id": "other about s"}}
    with closing(sqlite3.connect(path)) as db, db:
        rows = [(key, json.dumps(entry)) for key, entry in noted.items()]
        db.executemany("INSERT INTO gateway_routing VALUES ('', ?, ?, 1.0)", rows)
    before = dump(path)
    done = applied(path, journal, mode)
    with closing(sqlite3.connect(path)) as db:
        after = dict(db.execute("SELECT session_key, entry_json FROM gateway_routing"))
    assert json.loads(after["a"]) == {"session_id": done.target_id, "last_prompt_tokens": 0}
    assert json.loads(after["b"]) == noted["b"]
    undo(journal, done.undo_id)
    assert dump(path) == before


def test_a_chat_that_was_given_another_session_since_keeps_it_when_undone(
    tmp_path: Path, journal: Journal
) -> None:
    path = conversation(tmp_path / "state.db", "0.19")
    new = json.dumps({"session_id": "other", "last_prompt_tokens": 5})
    with closing(sqlite3.connect(path)) as db, db:
        route = json.dumps({"session_id": "s", "last_prompt_tokens": 117_485})
        db.execute("INSERT INTO gateway_routing VALUES ('', 'k', ?, 1.0)", (route,))
    done = applied(path, journal)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE gateway_routing SET entry_json = ?", (new,))
    undo(journal, done.undo_id)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT entry_json FROM gateway_routing").fetchone() == (new,)
