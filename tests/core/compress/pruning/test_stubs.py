"""The one line kept of a tool result."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.compress.pruning.stubs import stub_line
from core.hermes.policy.policy import load_policy, releases
from tests.core.compress.planning.test_plan import VERSIONS
from tests.shared import shared

TABLES = ("classic", "guarded", "outcomes")


def line(tool: str, arguments: object, content: str, table: str = "classic") -> str:
    return stub_line(tool, json.dumps(arguments), content, table)


@pytest.mark.parametrize(
    ("tool", "arguments", "content", "expected"),
    [
        ("terminal", {"command": "ls"}, "a\nb", "[terminal] ran `ls` -> exit ?, 2 lines output"),
        (
            "terminal",
            {"command": "x" * 90},
            '{"exit_code": -1}',
            f"[terminal] ran `{'x' * 77}...` -> exit -1, 1 lines output",
        ),
        (
            "read_file",
            {"path": "/a", "offset": 9},
            "x" * 1200,
            "[read_file] read /a from line 9 (1,200 chars)",
        ),
        ("write_file", {"path": "/a", "content": "1\n2"}, "ok", "[write_file] wrote to /a (2 lines)"),
        ("write_file", {"path": "/a"}, "ok", "[write_file] wrote to /a (? lines)"),
        (
            "search_files",
            {"pattern": "p"},
            '{"total_count": 3}',
            "[search_files] content search for 'p' in . -> 3 matches",
        ),
        ("browser_click", {"ref": "@e1"}, "ok", "[browser_click] ref=@e1 (2 chars)"),
        ("web_extract", {"urls": ["u", "v"]}, "ok", "[web_extract] u (+1 more) (2 chars)"),
        ("execute_code", {"code": "a\nb"}, "", "[execute_code] `a b` (0 lines output)"),
        ("other", {"a": 1, "b": 2, "c": 3}, "ok", "[other] a=1 b=2 (2 chars result)"),
        ("other", ["no", "object"], "ok", "[other] (2 chars result)"),
    ],
)
def test_lines(tool: str, arguments: object, content: str, expected: str) -> None:
    assert line(tool, arguments, content) == expected


@pytest.mark.parametrize(
    ("tool", "arguments", "content", "expected"),
    [
        ("write_file", {"path": "/a"}, '{"error": "read only"}', "[write_file] /a FAILED: read only"),
        ("memory", {"action": "add"}, '{"success": false}', "[memory] add on ? FAILED"),
        (
            "terminal",
            {"command": "rm"},
            '{"status": "blocked", "error": "BLOCKED"}',
            "[terminal] `rm` BLOCKED, not run",
        ),
        (
            "process_manage",
            {"action": "poll", "session_id": 1},
            '{"exit_code": 2}',
            "[process] poll session=1 FAILED: exit code 2",
        ),
        ("process_manage", {}, '{"exit_code": 9, "completion_reason": "killed"}', "[process] ? session=?"),
        (
            "cronjob_manage",
            {"action": "run"},
            '{"job": {"execution_skipped": "busy"}}',
            "[cronjob] run SKIPPED: busy",
        ),
        ("clarify", {}, '{"user_response": "the blue one"}', '[clarify] user responded: "the blue one"'),
        (
            "clarify",
            {},
            '{"user_response": "[user did not respond in time]"}',
            "[clarify] asked user a question",
        ),
        (
            "skills_list",
            {"category": "dev"},
            '{"count": 4}',
            "[skills_list] category=dev 4 skills (12 chars)",
        ),
        ("todo", {}, "ok", "[todo] (2 chars result)"),
    ],
)
def test_022_says_when_a_call_failed_or_never_ran(
    tool: str, arguments: object, content: str, expected: str
) -> None:
    assert line(tool, arguments, content, "outcomes") == expected


def test_a_pruned_skill_says_how_to_load_it_again() -> None:
    assert line("skill_view", {"name": "git"}, "x" * 5001, "outcomes").endswith("skill_view(name='git')]")


def test_an_answer_of_the_user_stays_below_the_length_that_is_pruned_again() -> None:
    answer = json.dumps({"user_response": "y" * 900})
    assert len(line("clarify", {}, answer, "outcomes")) < 200


@given(st.text(max_size=20), st.text(max_size=40), st.text(max_size=300), st.sampled_from(TABLES))
def test_any_call_has_a_line(tool: str, arguments: str, content: str, table: str) -> None:
    assert stub_line(tool, arguments, content, table)


def published(release: str) -> dict[str, str]:
    """Calls, as tool name and arguments, and the lines a release made of them."""
    version = VERSIONS.get(release, f"{release}.0")
    lines: dict[str, str] = json.loads(shared(f"vectors/vec2_{version}.json").read_text("utf-8"))["oneliners"]
    return lines


@pytest.mark.shared
@pytest.mark.parametrize("release", [release for release in releases() if release != "0.22"])
def test_the_published_lines_hold(release: str) -> None:
    result = '{"total_count": 12}' + "\n" * 100
    result += "x" * (500 - len(result))
    whole = {call: wanted for call, wanted in published(release).items() if call.endswith("}")}
    assert len(whole) > 10
    for call, wanted in whole.items():
        tool, brace, arguments = call.partition("{")
        assert stub_line(tool, brace + arguments, result, load_policy(release).prune.stubs) == wanted
