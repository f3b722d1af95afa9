"""Tool results arrive as the real code of five releases lets them arrive."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.compress.tool_results.arrival import Arrived, Arriving, arrive, threshold_words
from core.compress.tool_results.replacement import Storage, result_sizes, storage
from core.hermes.policy.policy import load_policy
from tests.shared import shared

HOME = "h" * 12
RELEASES = ("0.13.0", "0.16.0", "0.18.2", "0.19.0", "0.22.2")


def _content(recipe: dict[str, Any]) -> Any:
    kind = recipe["kind"]
    if kind == "json":
        members = {"result": _content(recipe["inner"]), **recipe.get("extra", {})}
        return json.dumps(members, ensure_ascii=recipe.get("ascii", True))
    if kind == "multi":
        texts = [{"type": "text", "text": _content(text)} for text in recipe["texts"]]
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        return texts + [image] * recipe["images"]
    return _text(recipe, kind)


def _text(recipe: dict[str, Any], kind: str) -> str:
    size = recipe["n"]
    if kind == "char":
        return str(recipe["char"] * size)
    if kind == "lines":
        line = recipe["line"] + "\n"
        return str(line * (size // len(line) + 1))[:size]
    if kind == "prefix":
        return str(recipe["prefix"] + "a" * size)[:size]
    if kind == "nl_at":
        marks = set(recipe["pos"])
        return "".join("\n" if i in marks else "a" for i in range(size))
    return _words(recipe["seed"], size)


def _words(state: int, size: int) -> str:
    words, length = [], 0
    while length < size:
        state = (1103515245 * state + 12345) % 2147483648
        word = f"w{state % 99991}" + ("\n" if state % 11 == 0 else " ")
        words.append(word)
        length += len(word)
    return "".join(words)[:size]


def _place(case: dict[str, Any], release: str, path: str | None) -> Storage:
    """The storage of the case; what only a sandbox knows is read from the path it answered."""
    rules, kind = load_policy(release).results, case["env"]
    if kind in ("none", "local"):
        return storage(rules, kind, home=HOME)
    if path is None and len(case["items"]) == 1:
        return Storage(None)
    if path is not None:
        return Storage(path.replace("$HERMES_HOME", HOME).rpartition("/")[0])
    fails = "fail" in kind or "ro" in kind
    return Storage(None) if fails else Storage("/tmp/hermes-results")


def _answer(case: dict[str, Any], release: str) -> dict[str, Any]:
    answer: dict[str, Any] = case["answers"][release]
    return _answer(case, answer["same_as"]) if "same_as" in answer else answer


def _cases() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(shared("vectors/defences/tool_results.json").read_text())[
        "cases"
    ]
    return found


def _arrived(case: dict[str, Any], version: str) -> Any:
    release = version.rpartition(".")[0]
    items = [Arriving(one["id"], one["tool"], _content(one["content"])) for one in case["items"]]
    answer = _answer(case, version)
    place = _place(case, release, answer.get("path"))
    return arrive(items, result_sizes(load_policy(release).results, case["window"]), place), answer


@pytest.mark.shared
@pytest.mark.parametrize("version", RELEASES)
def test_each_result_of_a_turn_ends_as_in_the_release(version: str) -> None:
    for case in (case for case in _cases() if case["kind"] == "turn"):
        turn, answer = _arrived(case, version)
        totals = (answer["turn_budget"], answer["total_before"], answer["total_after"])
        assert (turn.budget, turn.before, turn.after) == totals, case["id"]
        for one, expected in zip(turn.results, answer["items"], strict=True):
            _check_in_turn(one, expected, case["id"])


def _check_in_turn(one: Arrived, expected: dict[str, Any], case: str) -> None:
    outcome = {"stringified": "changed", "part_changed": "changed"}.get(
        expected["outcome"], expected["outcome"]
    )
    assert ("changed" if one.wrapped and one.outcome == "kept" else one.outcome) == outcome, case
    assert one.layer == expected["by"], case
    assert one.message_length == expected.get("length", expected.get("parts")), case
    if expected.get("preview_length") is not None:
        assert one.preview == expected["preview_length"], case


@pytest.mark.shared
@pytest.mark.parametrize("version", RELEASES)
def test_a_single_result_ends_as_in_the_release(version: str) -> None:
    for case in (case for case in _cases() if case["kind"] == "single"):
        turn, expected = _arrived(case, version)
        (one,) = turn.results
        assert threshold_words(one.threshold) == expected["threshold"], case["id"]
        if one.layer == "turn":  # the answers leave the turn out
            assert turn.before > turn.budget
            continue
        assert one.outcome == expected["outcome"], case["id"]
        assert one.length == expected["length"], case["id"]
        assert one.message_length == expected["message_length"], case["id"]
        assert one.preview == expected.get("preview_length"), case["id"]
        path = expected.get("path")
        assert one.path == (path and path.replace("$HERMES_HOME", HOME)), case["id"]
