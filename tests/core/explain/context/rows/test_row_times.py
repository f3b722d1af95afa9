"""What the times of rows show about a compaction without a log."""

from __future__ import annotations

from core.model.compaction.event import Trigger
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home, only
from tests.core.store.database import END, LONG_SUMMARY, PRIOR, PRIOR_END


def _closed_between_turns(begun: MakeHome) -> Home:
    home = begun("0.16", api_call_count=14)
    home.talk(7, size=40_000)
    return home


def test_a_request_written_with_the_copies_was_part_of_the_transcript(begun: MakeHome) -> None:
    home = _closed_between_turns(begun)
    rows = home.db.rotate("S", "S2", 3, 4, "## Goal\nship")
    home.db.tick(20)
    written = [*rows, *home.db.turn("S2", "next")]
    for row in written:
        home.db.mark([row], timestamp=home.db.tick(0.01))
    event = only(home)
    assert (event.trigger, event.messages_before, event.messages_after) == (Trigger.PREFLIGHT, 29, 9)


def test_a_request_that_came_after_the_copies_was_not(begun: MakeHome) -> None:
    home = _closed_between_turns(begun)
    for row in home.db.rotate("S", "S2", 3, 4, "## Goal\nship"):
        home.db.mark([row], timestamp=home.db.tick(0.01))
    home.db.tick(20)
    home.db.turn("S2", "next")
    event = only(home)
    assert (event.trigger, event.messages_before, event.messages_after) == (Trigger.MANUAL, 28, 8)


def test_a_rewrite_left_the_rows_no_younger_than_its_summary(begun: MakeHome) -> None:
    """The request that waited is stamped when it was sent, yet it came later."""
    home = begun("0.19", source="telegram")
    first = home.db.turn("S", "kept")
    home.compact(head=1, tail=2)
    home.db.connection.execute("DELETE FROM messages WHERE active = 0")
    request, *answer = home.db.turn("S", "next")
    home.db.mark([request], timestamp=home.db.tick(0) - 60)
    event = only(home)
    assert (first[0], event.messages_before, event.messages_after) == (1, None, 4)
    assert len(answer) == 3


def test_answers_a_branch_was_given_are_not_calls_of_its_own(make_home: MakeHome) -> None:
    """Its first rotation happens in its first turn, which is written to the next session."""
    home = make_home("0.16")
    home.db.session("P", api_call_count=14, end_reason="branched", ended_at=home.db.tick())
    given = home.talk(7, session="P")
    home.db.session("S", parent_session_id="P", api_call_count=1, model_config='{"_branched_from": "P"}')
    for row in given:
        home.db.copy(row, "S")
    home.db.rotate("S", "S2", 3, 4, "## Goal\nship")
    home.db.connection.execute("UPDATE sessions SET api_call_count = 1 WHERE id = 'S2'")
    home.db.turn("S2", "next")
    event = only(home)
    assert (event.messages_before, event.messages_after) == (31, 11)


def test_a_summary_booked_before_the_answer_had_the_request_before_it(begun: MakeHome) -> None:
    """0.22 puts a summary into a row that keeps its old time; the request after the copies is younger."""
    home = begun("0.22")
    for row, uid in zip(home.talk(7), (f"u{n}" for n in range(28)), strict=True):
        home.db.mark([row], message_uid=uid)
    old = home.db.live("S")
    home.db.mark(old, active=0, compacted=1)
    for row in old[:3]:
        home.db.copy(row)
    merged = f"{PRIOR}\nlook\n\n{PRIOR_END}\n{LONG_SUMMARY} so far\nthings\n\n{END}"
    home.db.copy(old[-4], content=merged, _compressed_summary=1)
    for row in old[-3:]:
        home.db.copy(row)
    home.db.message("S", "user", "next", message_uid="n1", timestamp=home.db.tick(1))
    booked = home.db.tick(1)
    home.db.connection.execute(
        "INSERT INTO session_model_usage (session_id, model, task, first_seen, last_seen, api_call_count)"
        " VALUES ('S', 'mock-model', 'compression', ?, ?, 1)",
        (booked, booked),
    )
    home.db.message("S", "assistant", "done", message_uid="n2", timestamp=home.db.tick(1))
    event = only(home)
    assert (event.messages_before, event.messages_after) == (29, 8)
