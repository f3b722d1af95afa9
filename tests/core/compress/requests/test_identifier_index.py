"""The exact values 0.22 lists under a summary; the expected lines were written by the release itself."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.compress.requests.additions import Finish, finished
from core.compress.requests.identifier_index import identifier_index
from core.hermes.policy.policy import load_policy
from core.model.transcript.message import Message
from core.support.program_files import load_table
from tests.timing import assert_linear

TEXT = (
    "see /srv/a.py and ./src/b.test.ts, then /srv/a.py; #1234 #99 on fix/tail-cut by @mara and @teknium1; "
    "abcdefabcdef deadbeef01\nValueError: no lantern\nENOSPC: full\nhttps://x.example/a?b=1). "
    "https://x.y/1 ~/notes.txt/z.md a//b.json docs/index.html feat/x"
)
LINES = [
    "PRs/issues: #1234",
    "commits: deadbeef01, abcdefabcdef",
    "branches: docs/index.html, fix/tail-cut",
    "files: srv/a.py(x2), a//b.json, notes.txt/z.md, src/b.test.ts",
    "errors: ENOSPC: full, ValueError: no lantern",
    "handles: @mara",
    "urls: https://x.example/a?b=1",
]


def index(text: str) -> list[str]:
    return identifier_index([Message({"role": "tool", "content": text})]).splitlines()


def test_every_kind_is_listed_under_the_label_of_the_release() -> None:
    assert index(TEXT) == LINES
    assert index("nothing to name") == []


def test_the_newest_of_equally_frequent_values_comes_first() -> None:
    assert index("#100 #200 #300 #200") == ["PRs/issues: #200(x2), #300, #100"]


def test_a_line_that_does_not_fit_ends_the_list() -> None:
    paths = " ".join(f"{'d' * 100}/{i}.py" for i in range(80))
    assert [line.partition(":")[0] for line in index(f"#1234 {paths} @mara")] == ["PRs/issues"]


def test_contents_that_are_no_text_name_nothing() -> None:
    assert identifier_index([Message({"role": "user", "content": [{"type": "text", "text": "#1234"}]})]) == ""


@given(st.text("ab1_./- :~étsxpy", max_size=60))
def test_paths_are_those_one_pattern_would_find(text: str) -> None:
    table = load_table("core/compress/requests/identifiers.yaml")
    kind = next(kind for kind in table["kinds"] if kind["label"] == "files")
    whole = rf"\b[\w./-]+/{kind['pattern'].replace('{words}', '|'.join(kind['words']))}"
    expected = {match[0].rstrip(".,;:") for match in re.finditer(whole, text)}
    [line] = [line for line in index(text) if line.startswith("files: ")] or ["files: "]
    found = {re.sub(r"\(x\d+\)$", "", value) for value in line.removeprefix("files: ").split(", ")}
    assert found - {""} == expected


def test_a_run_of_slashes_and_letters_takes_time_that_grows_with_it() -> None:
    assert index("a/" * 200_000) == []
    assert_linear(index, "a/")


@pytest.mark.parametrize(("release", "stays"), [("0.19", True), ("0.22", False)])
def test_a_task_section_of_the_models_own_goes_from_022_on(release: str, stays: bool) -> None:
    body = "## Active Task\nDo it.\n\n## Goal\nCount.\n\n## Active Task\nDo it again."
    turns = [Message({"role": "user", "content": "count the ledgers"})]
    made = finished(body, Finish(turns, load_policy(release), lean=False))
    assert made.startswith("## Historical Task Snapshot\nUser asked")
    assert made.count("count the ledgers") == 1
    assert ("Do it" in made) is stays
    assert "## Goal\nCount." in made
