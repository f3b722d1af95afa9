"""Generated tool output: repeatable, and as long as asked for."""

from __future__ import annotations

import json

import pytest

from sample_sessions.filler import fill

KINDS = ("pytest", "source", "log", "trace", "listing", "diff", "records", "csv", "page")


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_text(kind: str) -> None:
    assert fill({"kind": kind}, "a") == fill({"kind": kind}, "a")
    assert fill({"kind": kind}, "a") != fill({"kind": kind}, "b")


@pytest.mark.parametrize("kind", KINDS)
def test_more_lines_give_more_text(kind: str) -> None:
    assert len(fill({"kind": kind, "lines": 80}, "a")) > 2 * len(fill({"kind": kind, "lines": 20}, "a"))


def test_a_test_run_names_its_failures() -> None:
    text = fill({"kind": "pytest", "lines": 30, "failed": 2}, "a")
    assert text.count("AssertionError: assert") == 4
    assert "2 failed, 28 passed" in text


def test_records_are_json() -> None:
    assert json.loads(fill({"kind": "records", "lines": 5}, "a"))["total"] == 5


def test_a_recipe_may_fix_its_own_seed() -> None:
    assert fill({"kind": "log", "seed": 3}, "here") == fill({"kind": "log", "seed": 3}, "there")
