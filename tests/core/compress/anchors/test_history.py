"""What became of files, commands and requests."""

from __future__ import annotations

from core.compress.anchors import views
from core.compress.anchors.history import files, outcomes, pending
from tests.core.compress.builders import assistant, call, user


def test_a_file_made_and_deleted_has_vanished() -> None:
    middle = [
        *call("write_file", "ok", path="tmp/scratch.py"),
        *call("terminal", "", command="python tmp/scratch.py && rm -f tmp/scratch.py"),
        *call("write_file", "ok", path="src/kept.py"),
    ]
    stories = files(views(middle))
    assert stories["tmp/scratch.py"].vanished
    assert not stories["src/kept.py"].vanished


def test_a_command_that_passes_later_fixes_its_failure() -> None:
    middle = [
        *call("terminal", "E   AssertionError: 3 != 4\n1 failed", command="pytest -q"),
        *call("patch", "ok", path="src/a.py"),
        *call("terminal", "10 passed", command="pytest -q"),
    ]
    first, _, last = outcomes(views(middle, offset=5))
    assert first.error == "E AssertionError: 3 != 4"
    assert (first.at, first.result, first.fixed_at) == (5, 6, 9)
    assert last.passed
    assert last.error is None


def test_a_failure_nobody_returned_to_stays_one() -> None:
    (failed,) = outcomes(views(call("terminal", "fatal: not a git repository", command="git status")))
    assert failed.fixed_at is None


def test_errors_quoted_in_a_file_that_was_read_are_no_failure() -> None:
    source = "\n".join(f"line {n}" for n in range(100)) + "\nValueError: shown in a docstring\n"
    (read,) = outcomes(views(call("read_file", source, path="a.py")))
    assert read.error is None


def test_requests_without_a_closing_answer_are_pending() -> None:
    middle = [
        user("fix the parser"),
        *call("read_file", "...", path="parser.py"),
        assistant("Done."),
        user("now the docs"),
        *call("read_file", "...", text="Looking.", path="docs.md"),
    ]
    assert [view.text for view in pending(views(middle))] == ["now the docs"]


def test_what_hermes_wrote_itself_is_no_request() -> None:
    middle = [
        user("[CONTEXT SUMMARY]: earlier work"),
        user("[Your active task list was preserved across context compression]\n- [ ] x"),
        user("real"),
    ]
    assert [view.text for view in pending(views(middle))] == ["real"]
