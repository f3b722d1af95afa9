"""What became of files, commands and requests."""

from __future__ import annotations

import pytest

from core.compress.facts.history import effect_of, files, is_acting, outcomes, pending
from core.compress.facts.readable import views
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


def test_a_tally_of_no_failures_is_none() -> None:
    (ran,) = outcomes(views(call("terminal", "Passed: 41\nFailed: 0", command="dotnet run")))
    assert ran.error is None


def test_a_tool_named_in_the_past_edits_as_well() -> None:
    text = "saved\n" + "line\n" * 100 + 'print_error "no such file: lambda"\n'
    (edited,) = outcomes(views(call("editedExistingFile", text, path="deploy.sh")))
    assert effect_of(edited.call.name) == "changed"
    assert is_acting(edited.call)
    assert edited.error is None


@pytest.mark.parametrize(
    ("tool", "acts"), [("get_order", False), ("getOrder", False), ("createOrder", True), ("order", True)]
)
def test_a_tool_that_gets_something_orders_nothing_however_its_name_is_written(
    tool: str, *, acts: bool
) -> None:
    (ran,) = outcomes(views(call(tool, "ok", id="4471")))
    assert is_acting(ran.call) is acts


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


def test_a_removal_that_failed_removed_nothing() -> None:
    middle = [
        *call("write_file", "ok", path="a/x.py"),
        *call("terminal", "rm: cannot remove a/x.py: Permission denied", command="rm a/x.py"),
    ]
    assert not files(views(middle))["a/x.py"].is_gone


def test_a_file_is_known_by_its_end_to_a_command_in_another_directory() -> None:
    middle = [
        *call("write_file", "ok", path="/srv/tmp/probe.py"),
        *call("terminal", "", command="cd /work && rm -f tmp/probe.py"),
    ]
    assert list(files(views(middle))) == ["/srv/tmp/probe.py"]
    assert files(views(middle))["/srv/tmp/probe.py"].vanished


def test_a_file_that_was_moved_is_gone_from_where_it_was() -> None:
    middle = [
        *call("write_file", "ok", path="a/old.py"),
        *call("terminal", "", command="git mv a/old.py a/new.py"),
    ]
    stories = files(views(middle))
    assert stories["a/old.py"].vanished
    assert stories["a/new.py"].made


def test_how_a_command_shows_its_output_does_not_make_it_another_one() -> None:
    middle = [
        *call("terminal", "E   ValueError: boom\n1 failed", command="pytest -q tests/a.py 2>&1 | tail -5"),
        *call("terminal", "3 passed", command="cd /work && pytest tests/a.py -x --tb=short"),
        *call("terminal", "E   ValueError: other\n1 failed", command="pytest -q tests/b.py"),
    ]
    first, _, other = outcomes(views(middle))
    assert first.fixed_at == 2
    assert other.fixed_at is None


def test_an_answer_closes_the_requests_it_takes_up() -> None:
    def left(*answer: str) -> list[str]:
        middle = [user("Fix the login of the shop."), *call("terminal", "ok", command="ls")]
        middle += [user("And update the README."), *map(assistant, answer)]
        return [view.text for view in pending(views(middle))]

    assert left("The login of the shop is fixed.") == ["And update the README."]
    assert left("Login of the shop fixed, README updated.") == []
    assert left("Sure.") == ["Fix the login of the shop."]
    assert left() == ["Fix the login of the shop.", "And update the README."]


def test_output_a_program_puts_in_the_user_s_place_is_no_request() -> None:
    middle = [
        user("Find the flag.\n(Current directory: /ctf)\nbash-$"),
        assistant("Let me look.\n```\npython solve.py\n```"),
        user("Traceback (most recent call last):\nValueError: bad key\n(Current directory: /ctf)\nbash-$"),
        assistant("<bash>ls</bash>"),
        user("<returncode>0</returncode>\n<output>solve.py</output>"),
        user("Thanks, that is all I want > nothing else"),
    ]
    read = views(middle)
    assert [view.index for view in read if view.request] == [0, 5]
    assert [view.role for view in read] == ["user", "assistant", "tool", "assistant", "tool", "user"]
    (ran,) = outcomes(read)
    assert ran.call.command == "python solve.py"
    assert ran.error == "ValueError: bad key"


def test_a_search_is_reported_by_what_it_searched_and_where() -> None:
    (view, _) = views(call("Grep", "3 matches", pattern="retry", path="src/net"))
    assert view.calls[0].target == "retry in src/net"


def test_a_command_is_known_by_any_spelling_of_its_argument_and_inside_a_shell() -> None:
    calls = (
        *call("run_command", "ok", CommandLine="npm run build"),
        *call("shell", "ok", command=["bash", "-lc", "npm run build"]),
    )
    assert [ran.call.command for ran in outcomes(views(calls))] == ["npm run build"] * 2


def test_a_command_that_deletes_files_deletes_none_of_the_places_its_output_goes_to() -> None:
    command = "rm -f build.log \"cache.db\" part2 2>/dev/null; rm 'x.py' 2>&1 | tail; rm y.py > log.txt"
    stories = files(views(call("terminal", "", command=command)))
    assert [path for path, story in stories.items() if story.is_gone] == [
        "build.log",
        "cache.db",
        "part2",
        "x.py",
        "y.py",
    ]
    assert stories["log.txt"].made
