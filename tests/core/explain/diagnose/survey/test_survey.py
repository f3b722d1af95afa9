from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.errors import DatabaseError
from core.explain.diagnose import message_scan as scan
from core.explain.diagnose.diagnose import worst_first
from core.explain.diagnose.survey import worker_pool as examiner
from core.explain.diagnose.survey.survey import Surveyed, survey
from core.store.conversations.session_lists import ConversationLists
from core.store.store import Store
from tests.core.explain.conftest import MakeHome
from tests.core.explain.diagnose.scene import children, compacted
from tests.core.explain.diagnose.structure_scenes import SECRET
from tests.core.explain.home import Home


@pytest.fixture
def home(make_home: MakeHome) -> Home:
    home = make_home()
    compacted(home, summary="Summary generation was unavailable. 21 message(s) were removed")
    for number in range(4):
        home.db.session(f"quiet{number}")
        home.db.turn(f"quiet{number}", f"q{number}")
    home.db.session("stuck", end_reason="compression", ended_at=home.db.tick())
    return home


def surveyed(home: Home) -> dict[str, Surveyed]:
    with home.store() as store:
        return {one.row.root.id: one for one in survey(store)}


def test_compressed_conversations_are_examined_in_full_and_others_by_their_row(home: Home) -> None:
    found = surveyed(home)
    assert len(found) == 6
    assert [root for root, one in found.items() if one.full] == ["S"]
    assert "C1" in {finding.rule for finding in found["S"].findings}
    assert [finding.rule for finding in found["stuck"].findings] == ["E1"]
    assert found["quiet0"].findings == ()


def test_a_second_survey_looks_only_at_what_changed(home: Home) -> None:
    first = surveyed(home)
    again = surveyed(home)
    assert not any(one.fresh for one in again.values())
    assert {root: one.findings for root, one in again.items()} == {r: o.findings for r, o in first.items()}
    home.db.connection.execute("UPDATE sessions SET compression_fallback_streak = 2 WHERE id = 'S'")
    third = surveyed(home)
    assert [root for root, one in third.items() if one.fresh] == ["S"]
    assert "C2" in {finding.rule for finding in third["S"].findings}


def test_what_is_remembered_names_the_database_as_it_is_named_now(home: Home) -> None:
    surveyed(home)
    for options in ("--home /x", "--db state.db"):
        home.options = options
        remedies = [finding.remedy for finding in surveyed(home)["S"].findings]
        assert any(f"hermes-inspector {options} recall S" in remedy for remedy in remedies)


def test_a_new_compaction_makes_a_quiet_conversation_worth_examining(home: Home) -> None:
    surveyed(home)
    home.db.turn("quiet1", "more")
    home.db.compact("quiet1", 0, 2, "## Goal\nnone")
    assert surveyed(home)["quiet1"].full


def test_progress_is_reported_and_a_survey_can_be_stopped(home: Home) -> None:
    steps: list[tuple[int, int]] = []
    with home.store() as store:
        running: Iterator[Surveyed] = survey(
            store, report=lambda done, total: steps.append((done, total)), cancelled=lambda: len(steps) >= 3
        )
        done = list(running)
    assert len(done) < 6
    assert [one for one, _ in steps] == [1, 2, 3]
    assert {total for _, total in steps} == {7}


def test_a_broken_memory_counts_as_none(home: Home) -> None:
    surveyed(home)
    from core.support.own_files import cache_directory

    for kept in (cache_directory() / "findings").iterdir():
        kept.write_text('{"version": 1, "found": 7}')
    assert all(one.fresh for one in surveyed(home).values())


def test_doubled_rows_make_a_quiet_conversation_worth_examining(home: Home) -> None:
    first = home.db.live("quiet2")[0]
    home.db.copy(first)
    found = surveyed(home)
    assert "E7" in {finding.rule for finding in found["quiet2"].findings}
    assert not found["quiet1"].full


def test_what_the_log_describes_is_examined_before_any_message_is_looked_through(home: Home) -> None:
    told: list[tuple[int, int]] = []
    with home.store() as store:
        running = survey(store, scanned=lambda done, total: told.append((done, total)))
        first = next(running)
        assert (first.row.root.id, first.full, told) == ("S", True, [])
        next(running)
        (newest,) = store.connection.execute("SELECT max(id) FROM messages").fetchone()
    assert told[0][0] < told[-1][0]
    assert told[-1] == (newest, newest)
    assert {of for _, of in told} == {newest}


def test_a_survey_stopped_among_the_messages_begins_there_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "_BATCH", 2)
    told: list[int] = []
    with home.store() as store:
        stopped = survey(store, scanned=lambda done, _: told.append(done), cancelled=lambda: len(told) > 3)
        assert [one.row.root.id for one in stopped] == ["S"]
    assert len(told) == 4
    with home.store() as store:
        stopped_first = {one.row.root.id: one.findings for one in survey(store)}
        never_stopped = {one.row.root.id: one.findings for one in survey(store, remember=False)}
    assert stopped_first == never_stopped


def test_several_processes_find_what_one_finds(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        home.db.session(f"more{number}")
        home.db.turn(f"more{number}", f"m{number}")
        home.db.compact(f"more{number}", 0, 2, "## Goal\nnone")
    monkeypatch.setattr("core.explain.diagnose.survey.survey._FIRST", 0)
    with home.store() as store:
        alone = [(one.row.root.id, one.findings) for one in survey(store, remember=False, processes=1)]
        monkeypatch.setattr(examiner, "WORTH_IT", 1)
        monkeypatch.delattr("core.explain.diagnose.survey.survey.examine")  # they did it all
        now = list(survey(store, remember=False, processes=2))
    assert [(one.row.root.id, one.findings) for one in now] == alone
    assert all(one.error is None for one in now)


def test_the_newest_are_examined_before_all_are_listed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.db.compact("quiet3", 0, 2, "## Goal\nnone")
    with home.store() as store:
        monkeypatch.delattr(ConversationLists, "conversations")
        first = next(survey(store, remember=False))
    assert (first.row.root.id, first.full) == ("quiet3", True)


def test_where_no_process_can_be_started_this_one_examines(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examiner, "WORTH_IT", 1)
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with home.store() as store:
        found = {one.row.root.id: one for one in survey(store, remember=False, processes=2)}
    assert "C1" in {finding.rule for finding in found["S"].findings}


def test_a_process_that_dies_is_made_up_for(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examiner, "WORTH_IT", 1)
    monkeypatch.setattr(examiner, "COMMAND", ("-c", "raise SystemExit(3)"))
    with home.store() as store:
        found = {one.row.root.id: one for one in survey(store, remember=False, processes=2)}
    assert "C1" in {finding.rule for finding in found["S"].findings}


def test_messages_that_cannot_be_read_are_stated_in_one_line(home: Home) -> None:
    home.db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (root,) = home.db.connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'messages'"
    ).fetchone()
    (size,) = home.db.connection.execute("PRAGMA page_size").fetchone()
    with home.db.path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    with home.store() as store, pytest.raises(DatabaseError, match="damaged"):
        list(survey(store, remember=False))


def test_tool_rows_that_do_not_fit_make_a_quiet_conversation_worth_examining(home: Home) -> None:
    home.db.message("quiet1", "tool", "x", tool_call_id="nobody", tool_name="t")
    home.db.message("quiet2", "assistant", "", calls=[("running", "t", "{}")])
    found = surveyed(home)
    assert "E6" in {finding.rule for finding in found["quiet1"].findings}
    assert not found["quiet2"].full


def test_a_call_left_open_by_one_survey_is_remembered_by_the_next(home: Home) -> None:
    home.db.message("quiet2", "assistant", "", calls=[("running", "t", "{}")])
    home.db.message("quiet3", "assistant", "", calls=[("answered", "t", "{}")])
    surveyed(home)
    home.db.message("quiet2", "user", "never mind")
    home.db.message("quiet3", "tool", "x", tool_call_id="answered", tool_name="t")
    found = surveyed(home)
    assert "E6" in {finding.rule for finding in found["quiet2"].findings}
    assert not found["quiet3"].full


def test_a_credential_makes_a_quiet_conversation_worth_examining(home: Home) -> None:
    home.db.message("quiet1", "user", f"use {SECRET}")
    home.db.message("quiet2", "user", "use the password you know")
    found = surveyed(home)
    assert "I1" in {finding.rule for finding in found["quiet1"].findings}
    assert not found["quiet2"].full


def test_what_two_conversations_share_is_found_once(make_home: MakeHome) -> None:
    home = make_home()
    children(2)(home)
    found = [finding for one in surveyed(home).values() for finding in one.findings]
    forks = [finding for finding in worst_first(found) if finding.rule == "E2"]
    assert [finding.session for finding in forks] == ["S"]


def test_findings_are_in_the_same_order_whichever_conversation_was_examined_first(home: Home) -> None:
    for session in ("quiet3", "quiet1", "quiet2"):
        home.db.message(session, "user", f"use {SECRET}")
        home.db.message(session, "tool", "x", tool_call_id="nobody", tool_name="t")
    found = [finding for one in surveyed(home).values() for finding in one.findings]
    told = [(finding.rule, finding.session) for finding in worst_first(found)]
    assert told == [(finding.rule, finding.session) for finding in worst_first(reversed(found))]
    assert [session for rule, session in told if rule == "I1"] == ["quiet3", "quiet2", "quiet1"]


def test_a_lock_is_looked_at_each_time(home: Home) -> None:
    home.db.connection.execute("INSERT INTO compression_locks VALUES ('quiet1', 'pid=1', 1.0, 2.0)")
    assert "E11" in {finding.rule for finding in surveyed(home)["quiet1"].findings}
    assert surveyed(home)["quiet1"].fresh


def test_a_gap_between_ids_is_stepped_over(home: Home) -> None:
    home.db.turn("quiet1", "late")
    home.db.connection.execute(f"UPDATE messages SET id = {2**62} WHERE id = (SELECT max(id) FROM messages)")
    seen: list[tuple[int, int]] = []
    with home.store() as store:
        list(survey(store, report=lambda done, total: seen.append((done, total))))
    assert seen[-1] == (8, 8)


def test_only_titles_of_conversations_with_findings_are_looked_up(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []
    monkeypatch.setattr(
        Store, "learn_titles", lambda self, rows: looked_up.extend(row.root.id for row in rows)
    )
    found = surveyed(home)
    assert sorted(looked_up) == sorted(root for root, one in found.items() if one.findings)
    assert "quiet0" not in looked_up
