from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.explain.context.rows.boundary_rows import boundary_rows
from core.model.transcript.conversation import BoundaryMode, Conversation
from core.model.transcript.message import RowState
from core.store.generations.copied_rows import head_copies, repeats, tail_copies
from core.store.generations.row_outline import RowOutline
from core.store.generations.split import split
from core.store.store import Store
from tests.core.store.database import END, LONG_SUMMARY, PRIOR, PRIOR_END, SessionDatabase
from tests.timing import assert_grows_linearly

Make = Callable[..., SessionDatabase]
Opened = Callable[[SessionDatabase], Store]


def shape(conversation: Conversation) -> list[tuple[int, int]]:
    return [(len(generation.row_ids), generation.copies) for generation in conversation.generations]


def modes(conversation: Conversation) -> list[BoundaryMode | None]:
    return [one.boundary.mode if one.boundary else None for one in conversation.generations]


def fresh(conversation: Conversation) -> int:
    return sum(generation.fresh for generation in conversation.generations)


def filled(make: Make, release: str, turns: int = 6) -> SessionDatabase:
    database = make(release)
    database.session("s")
    for number in range(turns):
        database.turn("s", str(number))
    return database


def test_a_session_never_compacted_is_one_generation(make: Make, opened: Opened) -> None:
    conversation = opened(filled(make, "0.19")).conversation("s")
    assert shape(conversation) == [(24, 0)]
    assert modes(conversation) == [None]


def test_a_session_without_messages_has_no_generation(make: Make, opened: Opened) -> None:
    database = make()
    database.session("s")
    assert opened(database).conversation("s").generations == ()


def test_a_tail_that_was_copied_was_not_taken_back_where_no_row_has_a_uid(make: Make, opened: Opened) -> None:
    """0.20.6 and 0.21 mark the originals of the tail as they mark rows that `/undo` took back."""
    database = filled(make, "0.22")
    database.compact("s", 3, 6, "one")
    taken_back = database.turn("s", "later")
    database.mark(taken_back, active=0)
    database.connection.executescript(
        "DROP TRIGGER messages_message_uid_insert; ALTER TABLE messages DROP COLUMN message_uid"
    )
    store = opened(database)
    conversation = store.conversation("s")
    assert shape(conversation) == [(24, 0), (10, 9)]
    assert {*conversation.rewound} == {*taken_back}
    states = [message.row.state for message in store.messages([19, *taken_back[:1]]) if message.row]
    assert states == [RowState.SUPERSEDED, RowState.REWOUND]


def test_a_second_compaction_right_after_the_first_keeps_no_head_that_was_archived(
    make: Make, opened: Opened
) -> None:
    """Run with 0.21.5: `/compress` typed twice; the request is put once more inside the tail it copies."""
    database = filled(make, "0.22")
    database.compact("s", 3, 8, "one")
    *_, last = database.compact("s", 0, 4, "two")
    (request,) = database.connection.execute("SELECT id FROM messages ORDER BY id LIMIT 1").fetchone()
    again = database.copy(request)
    database.mark([last], active=0)
    database.copy(last)
    database.connection.executescript(
        "DROP TRIGGER messages_message_uid_insert; ALTER TABLE messages DROP COLUMN message_uid"
    )
    database.connection.execute("DELETE FROM messages WHERE id = ?", (last,))
    conversation = opened(database).conversation("s")
    assert shape(conversation) == [(24, 0), (12, 11), (6, 5)]
    assert again in conversation.generations[2].copy_ids


def test_a_summary_merged_into_a_kept_message_is_no_head_of_the_compaction_after_it(
    make: Make, opened: Opened
) -> None:
    """Run with 0.22.2: `/compress` typed twice; the first summary went into the first message of the tail."""
    database = filled(make, "0.22")
    old = database.live("s")
    database.mark(old, active=0, compacted=1)
    merged = f"{PRIOR}\nask 5\n\n{PRIOR_END}\n{LONG_SUMMARY} so far\nthings\n\n{END}"
    [database.copy(row) for row in old[:3]]
    summary = database.copy(old[-4], content=merged, _compressed_summary=1)
    [database.copy(row) for row in old[-3:]]
    database.compact("s", 0, 2, "two")
    conversation = opened(database).conversation("s")
    assert shape(conversation) == [(24, 0), (7, 7), (3, 2)]
    first = conversation.generations[1].boundary
    assert first is not None
    assert first.summary_row == summary


def test_a_tail_a_gateway_loaded_and_stamped_again_was_not_taken_back(make: Make, opened: Opened) -> None:
    """Run with 0.21.5: requests alone keep their time when what a gateway had loaded is copied."""
    database = filled(make, "0.22")
    database.compact("s", 3, 6, "one")
    database.connection.executescript(
        "DROP TRIGGER messages_message_uid_insert; ALTER TABLE messages DROP COLUMN message_uid;"
        "UPDATE messages SET timestamp = (SELECT max(timestamp) FROM messages) "
        "WHERE active AND role <> 'user'"
    )
    conversation = opened(database).conversation("s")
    assert shape(conversation) == [(24, 0), (10, 9)]
    assert not conversation.rewound


@pytest.mark.parametrize("release", ["0.18", "0.19", "0.22"])
def test_each_compaction_in_place_begins_a_generation(make: Make, opened: Opened, release: str) -> None:
    database = filled(make, release)
    database.compact("s", 3, 6, "one")
    database.turn("s", "later")
    database.compact("s", 0, 4, "two")
    conversation = opened(database).conversation("s")
    assert shape(conversation) == [(24, 0), (14, 9), (5, 4)]
    assert modes(conversation) == [None, BoundaryMode.IN_PLACE, BoundaryMode.IN_PLACE]
    cold, warm = conversation.generations[1].boundary, conversation.generations[2].boundary
    assert cold is not None
    assert warm is not None
    assert (cold.head_rows, cold.tail_rows, warm.head_rows, warm.tail_rows) == (3, 6, 0, 4)
    assert fresh(conversation) == 24 + 4 + 2


def test_a_shortened_tool_result_is_still_a_copy(make: Make, opened: Opened) -> None:
    database = filled(make, "0.19")
    new = database.compact("s", 3, 6, "one")
    tools = [row for row in new if database_role(database, row) == "tool"]
    database.mark(tools, content="[terminal] ran a command")
    assert shape(opened(database).conversation("s")) == [(24, 0), (10, 9)]


@pytest.mark.parametrize(
    ("archived", "expected"), [(0, [(24, 0), (20, 19)]), (1, [(24, 0), (10, 9), (10, 9)])]
)
def test_a_list_stored_once_more_beside_the_live_one_is_no_compaction(
    make: Make, opened: Opened, archived: int, expected: list[tuple[int, int]]
) -> None:
    """As 0.19 does with `/new` right after `/compress`; a compaction archives what it was given."""
    database = filled(make, "0.19")
    rows = database.compact("s", 3, 6, "one")
    for row in rows:
        database.copy(row)
    if archived:
        database.mark(rows, active=0, compacted=1)
    assert shape(opened(database).conversation("s")) == expected


def test_a_request_written_back_in_other_words_ends_no_tail(make: Make, opened: Opened) -> None:
    """As 0.19 leaves it where a gateway had put a note before a message that came while it was down."""
    database = filled(make, "0.19")
    new = database.compact("s", 3, 8, "one")
    database.mark([new[8]], content="[System note: A new message has arrived.]\n\ngo on")
    database.turn("s", "next")
    _, second = opened(database).conversation("s").generations
    assert second.boundary is not None
    assert (second.boundary.head_rows, second.boundary.tail_rows) == (3, 8)


def test_live_rows_before_a_summary_are_its_head_whatever_became_of_them(make: Make, opened: Opened) -> None:
    database = filled(make, "0.19")
    for row in database.compact("s", 3, 6, "one")[:3]:
        database.mark([row], content=f"joined {row}", tool_calls=None, timestamp=database.tick(0) - 0.001)
    assert shape(opened(database).conversation("s")) == [(24, 0), (10, 9)]


def test_an_old_summary_carried_in_the_head_is_not_a_compaction(make: Make, opened: Opened) -> None:
    database = filled(make, "0.19")
    database.compact("s", 0, 6, "one")
    database.turn("s", "more")
    database.compact("s", 3, 4, "two")
    conversation = opened(database).conversation("s")
    assert shape(conversation) == [(24, 0), (11, 6), (8, 7)]


def test_equal_summaries_are_two_compactions(make: Make, opened: Opened) -> None:
    database = filled(make, "0.19")
    database.compact("s", 3, 4, "the same words")
    database.turn("s", "more")
    database.compact("s", 3, 4, "the same words")
    assert len(opened(database).conversation("s").generations) == 3


def test_repeated_short_messages_are_not_taken_for_copies(make: Make, opened: Opened) -> None:
    database = make("0.19")
    database.session("s")
    for _ in range(10):
        database.message("s", "user", "continue")
        database.message("s", "assistant", "ok")
    database.compact("s", 2, 4, "one")
    for _ in range(5):
        database.message("s", "user", "continue")
        database.message("s", "assistant", "ok")
    assert shape(opened(database).conversation("s")) == [(20, 0), (17, 6)]


def test_the_opening_request_put_again_before_a_compaction_is_not_a_compaction(
    make: Make, opened: Opened
) -> None:
    """Run with 0.18.2: an interrupted task was asked for once more in the same words."""
    database = filled(make, "0.18")
    opening = database.connection.execute("SELECT content FROM messages ORDER BY id").fetchone()[0]
    database.message("s", "user", opening)
    database.compact("s", 3, 6, "one")
    assert shape(opened(database).conversation("s")) == [(25, 0), (10, 9)]


@pytest.mark.parametrize("release", ["0.13", "0.16", "0.17", "0.19", "0.22"])
def test_a_rotation_continues_in_another_session(make: Make, opened: Opened, release: str) -> None:
    database = filled(make, release)
    database.rotate("s", "t", 3, 6, "one")
    database.turn("t", "later")
    database.rotate("t", "u", 3, 4, "two")
    for name in ("s", "t", "u"):
        conversation = opened(database).conversation(name)
        assert [generation.session_id for generation in conversation.generations] == ["s", "t", "u"]
        assert shape(conversation) == [(24, 0), (14, 9), (8, 7)]
        assert set(modes(conversation)[1:]) == {BoundaryMode.ROTATION}
        assert conversation.generations[1].boundary is not None
        assert conversation.generations[1].boundary.at == conversation.sessions[0].ended_at
        assert conversation.resume_target == "u"


def test_a_rotation_whose_first_rows_were_joined_on_loading_is_no_rewrite(make: Make, opened: Opened) -> None:
    """Run with 0.17.0: loaded by their times, the newest request came before the oldest."""
    database = filled(make, "0.17")
    opening, *_ = database.rotate("s", "c", 3, 8, "one")
    database.mark([opening], content="ask 5\n\nask 0")
    database.turn("c", "new")
    conversation = opened(database).conversation("c")
    assert modes(conversation) == [None, BoundaryMode.ROTATION]
    assert shape(conversation) == [(24, 0), (16, 11)]


def test_a_sub_agent_that_stored_nothing_before_its_rotation_was_rotated_all_the_same(
    make: Make, opened: Opened
) -> None:
    """Run with 0.13.0: a delegate writes its rows at the end, into the session that it ends in."""
    database = filled(make, "0.13")
    database.rotate("s", "t", 3, 6, "one")
    database.turn("t", "later")
    database.connection.execute("DELETE FROM messages WHERE session_id = 's'")
    assert modes(opened(database).conversation("t")) == [BoundaryMode.ROTATION]


def test_another_engine_that_rotates_keeps_copies_without_a_head_or_a_summary(
    make: Make, opened: Opened
) -> None:
    """Run with 0.14.0: an engine that keeps only the last messages, and one that opens with a note."""
    database = filled(make, "0.13")
    kept = database.rotate("s", "t", 0, 4, "one")
    (summary, *copies) = kept
    for note, first in (("[Folded] what was done", summary), (None, copies[0])):
        database.connection.execute("UPDATE messages SET content = ? WHERE id = ?", (note, summary))
        if note is None:
            database.connection.execute("DELETE FROM messages WHERE id = ?", (summary,))
        newest = opened(database).conversation("t").generations[-1]
        assert newest.row_ids[0] == first
        assert newest.copy_ids == tuple(copies)


def test_a_continuation_without_rows_is_still_a_compaction(make: Make, opened: Opened) -> None:
    database = filled(make, "0.16")
    database.connection.execute(
        "UPDATE sessions SET end_reason = 'compression', ended_at = ?", (database.tick(),)
    )
    database.session("empty", parent_session_id="s", ended_at=database.tick(), end_reason="compression")
    database.session("last", parent_session_id="empty")
    database.turn("last", "later")
    conversation = opened(database).conversation("s")
    assert shape(conversation) == [(24, 0), (0, 0), (4, 0)]


def test_a_history_stored_twice_counts_once(make: Make, opened: Opened) -> None:
    database = filled(make, "0.19", turns=3)
    for row in database.live("s"):
        database.copy(row)
    database.message("s", "user", "and now")
    database.rotate("s", "t", 0, 1, "one")
    conversation = opened(database).conversation("s")
    assert shape(conversation) == [(25, 12), (2, 1)]
    assert any("12 messages twice" in note for note in conversation.notes)


@pytest.mark.parametrize(("later", "given"), [(1, 13), (4, 28)])
def test_what_a_rotation_stored_again_was_not_given_to_it(
    make: Make, opened: Opened, later: int, given: int
) -> None:
    """As 0.19 does with `in_place: false` in the first turn of a process; with more rows it was loaded so."""
    database = filled(make, "0.19", 3)
    for row in database.live("s"):
        database.copy(row)
    for number in range(later):
        database.message("s", "user", f"and {number}")
    database.rotate("s", "c", 3, 4, "so far")
    store = opened(database)
    (found,) = boundary_rows(store, store.conversation("s"), store.messages)
    assert len(found.before) == given


def test_a_rewritten_session_says_that_its_past_is_gone(make: Make, opened: Opened) -> None:
    database = make("0.16")
    database.session("s")
    database.message("s", "user", "first ask")
    database.message("s", "assistant", f"{LONG_SUMMARY} so far\nthings happened")
    database.turn("s", "later")
    conversation = opened(database).conversation("s")
    assert modes(conversation) == [BoundaryMode.REWRITE]
    assert "are not in the database" in conversation.notes[0]


def test_a_branch_that_starts_with_its_parents_summary_was_not_compacted(make: Make, opened: Opened) -> None:
    database = filled(make, "0.19")
    new = database.compact("s", 0, 4, "one")
    database.session("side", parent_session_id="s", model_config='{"_branched_from": "s"}')
    for row in new:
        database.copy(row, "side")
    database.turn("side", "elsewhere")
    conversation = opened(database).conversation("side")
    assert modes(conversation) == [None]
    assert shape(conversation) == [(9, 0)]


@pytest.mark.parametrize("release", ["0.18", "0.19"])
def test_a_summary_merged_into_the_tail_is_found(make: Make, opened: Opened, release: str) -> None:
    database = filled(make, release)
    old = database.live("s")
    database.mark(old, active=0, compacted=1)
    first, *rest = old[-4:]
    merged = f"{PRIOR}\nask 5\n\n{PRIOR_END}\n{LONG_SUMMARY} so far\nthings\n\n{END}"
    summary = database.copy(first, content=merged)
    for row in rest:
        database.copy(row)
    conversation = opened(database).conversation("s")
    assert shape(conversation) == [(24, 0), (4, 4)]
    boundary = conversation.generations[1].boundary
    assert boundary is not None
    assert (boundary.merged, boundary.summary_row, boundary.tail_rows) == (True, summary, 3)


def test_a_summary_quoted_by_a_user_is_not_a_boundary(make: Make, opened: Opened) -> None:
    database = filled(make, "0.19")
    database.message("s", "user", f"what does {LONG_SUMMARY} mean?")
    assert shape(opened(database).conversation("s")) == [(25, 0)]


def test_rewound_rows_belong_to_no_generation(make: Make, opened: Opened) -> None:
    database = filled(make, "0.19", turns=2)
    rows = database.live("s")
    database.mark(rows[-4:], active=0, compacted=0)
    conversation = opened(database).conversation("s")
    assert conversation.rewound == tuple(rows[-4:])
    assert conversation.generations[0].row_ids == tuple(rows[:-4])


def test_a_hidden_row_with_a_later_copy_is_superseded_not_rewound(make: Make, opened: Opened) -> None:
    database = filled(make, "0.22", turns=3)
    rows = database.live("s")
    taken_back = database.message("s", "user", "never mind")
    database.mark([taken_back], active=0)
    database.compact("s", 2, 4, "one")
    store = opened(database)
    states = {message.row.state for message in store.messages(rows[-4:]) if message.row}
    assert states == {RowState.SUPERSEDED}
    assert {preview.state for preview in store.previews(rows[-4:])} == {RowState.SUPERSEDED}
    assert store.conversation("s").rewound == (taken_back,)


def test_a_rewrite_that_left_no_summary_begins_a_generation(make: Make, opened: Opened) -> None:
    database = filled(make, "0.22", turns=3)
    old = database.live("s")
    database.mark(old, active=0)
    for row in old:
        database.copy(row, content="shortened")
    database.turn("s", "later")
    conversation = opened(database).conversation("s")
    assert shape(conversation) == [(12, 0), (16, 12)]
    assert conversation.generations[1].boundary is not None
    assert conversation.generations[1].boundary.summary_row is None


def engine_writes(database: SessionDatabase, tail: int = 4) -> list[int]:
    """What another engine leaves, in one batch: the first message, its digest, the last messages."""
    old, at = database.live("s"), database.tick()
    database.mark(old, active=0, compacted=1)
    new = [database.copy(old[0])]
    new.append(database.message("s", "assistant", f"[digest] of {len(old)} messages"))
    new += [database.copy(row) for row in old[-tail:]]
    for number, row in enumerate(new):
        database.mark([row], timestamp=at + number * 1e-6)
    return new


@pytest.mark.parametrize("release", ["0.18", "0.19"])
def test_what_another_engine_wrote_in_one_stroke_begins_a_generation(
    make: Make, opened: Opened, release: str
) -> None:
    database = filled(make, release)
    first = engine_writes(database)
    database.turn("s", "later")
    engine_writes(database)
    store = opened(database)
    conversation = store.conversation("s")
    assert shape(conversation) == [(24, 0), (10, 5), (6, 5)]
    boundary = conversation.generations[1].boundary
    assert boundary is not None
    assert (boundary.summary_row, conversation.generations[1].row_ids[0]) == (None, first[0])


def test_asking_the_same_again_is_not_a_rewrite(make: Make, opened: Opened) -> None:
    database = filled(make, "0.19", turns=1)
    engine_writes(database, tail=2)
    database.message("s", "user", "ask 0")
    database.message("s", "assistant", "again")
    assert len(opened(database).conversation("s").generations) == 2


def test_a_note_of_the_gateway_is_not_a_message(make: Make, opened: Opened) -> None:
    database = filled(make, "0.19", turns=1)
    note = database.message("s", "session_meta", None)
    database.turn("s", "later")
    (generation,) = opened(database).conversation("s").generations
    assert len(generation.row_ids) == 8
    assert note not in generation.row_ids


def test_texts_that_recur_in_a_destroyed_transcript_are_not_copies(make: Make, opened: Opened) -> None:
    """The gateway until 0.17 replaces every row; what is left before the summary is live."""
    database = make("0.16")
    database.session("s")
    for role, text in (("user", "go"), ("assistant", "looking"), ("assistant", "looking")):
        database.message("s", role, text)
    database.message("s", "user", f"{LONG_SUMMARY} one\nDone.")
    database.message("s", "assistant", "looking")
    assert modes(opened(database).conversation("s")) == [BoundaryMode.REWRITE]


def test_0_17_loads_by_time(make: Make, opened: Opened) -> None:
    def ids(release: str) -> tuple[int, ...]:
        database = make(release, f"{release}.db")
        database.session("s")
        database.message("s", "user", "second", timestamp=20.0)
        database.message("s", "assistant", "first", timestamp=10.0)
        return opened(database).conversation("s").generations[0].row_ids

    assert (ids("0.16"), ids("0.17"), ids("0.18")) == ((1, 2), (2, 1), (1, 2))


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_fresh_messages_are_the_distinct_ones(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever a conversation went through, every logical message counts exactly once."""
    release = data.draw(st.sampled_from(["0.18", "0.19", "0.22"]))
    path = tmp_path_factory.mktemp("made") / "state.db"
    with SessionDatabase(path, release) as database:
        current, logical = "s0", 0
        database.session(current)
        for step in range(data.draw(st.integers(1, 5))):
            for number in range(data.draw(st.integers(3, 5))):
                database.turn(current, f"{step}.{number}")
                logical += 4
            head, tail = data.draw(st.integers(0, 3)), data.draw(st.integers(1, 6))
            if data.draw(st.booleans()):
                database.compact(current, head, tail, f"summary {step}")
            else:
                following = f"s{step + 1}"
                database.rotate(current, following, head, tail, f"summary {step}")
                current = following
            logical += 1
    with Store(path) as store:
        conversation = store.conversation("s0")
        assert fresh(conversation) == logical
        rows = [row for generation in conversation.generations for row in generation.row_ids]
        assert len(rows) == len(set(rows))
        assert all(len(generation.copy_ids) == generation.copies for generation in conversation.generations)


def test_copies_are_found_by_runs_not_by_single_rows() -> None:
    assert head_copies("xyzab", "abcde") == 2
    assert tail_copies("defgh", "abcdef") == (0, 1, 2)
    assert tail_copies("c!de", "abcde") == (0, 2, 3)
    assert tail_copies("bzzzzzzz", "abcde") == ()
    assert tail_copies("e", "abcde") == (0,)
    assert tail_copies("cdae", "abcde") == (0, 1, 2, 3)
    assert tail_copies("cdea", "abcde") == (0, 1, 2)
    assert repeats("abcabcd") == 3
    assert repeats("abcd") == 0


def database_role(database: SessionDatabase, row: int) -> str:
    (role,) = database.connection.execute("SELECT role FROM messages WHERE id = ?", (row,)).fetchone()
    return str(role)


def test_a_very_long_session_is_split_in_time_linear_in_its_rows() -> None:
    def long_session(rows: int) -> Callable[[], None]:
        outlines = [
            RowOutline(at, "user", RowState.ARCHIVED, float(at * 10), None, key=at) for at in range(rows)
        ]
        summary = RowOutline(rows, "user", RowState.LIVE, rows * 10.0, None, key=rows, flagged=True)
        newest = enumerate(outlines[-20:], start=1)
        tail = [replace(outline, id=rows + at, key=outline.key) for at, outline in newest]

        def work() -> None:
            segments = split([*outlines, summary, *tail], (), rotated=False, doubled=False)
            assert [len(segment.copies) for segment in segments] == [0, 20]

        return work

    assert_grows_linearly(long_session, 10_000)


def test_a_row_repeated_before_the_summary_of_a_rewrite_begins_no_generation(
    make: Make, opened: Opened
) -> None:
    database = make("0.22")
    database.session("s")
    for uid, text in (("a", "ask"), ("a", "ask"), ("b", "answer"), ("c", f"{LONG_SUMMARY} one\nDone.")):
        database.message("s", "user", text, message_uid=uid)
    assert modes(opened(database).conversation("s")) == [BoundaryMode.REWRITE]


@pytest.mark.parametrize("far", [1e300, 2**62, float("inf"), float("-inf")])
def test_a_compaction_dated_outside_the_calendar_has_no_time(make: Make, opened: Opened, far: float) -> None:
    database = make("0.22")
    database.session("s")
    database.message("s", "user", "ask", timestamp=far)
    database.message("s", "user", f"{LONG_SUMMARY} one\nDone.", timestamp=far)
    boundary = opened(database).conversation("s").generations[-1].boundary
    assert boundary is not None
    assert boundary.at is None
