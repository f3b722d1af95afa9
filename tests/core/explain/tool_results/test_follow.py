"""A tool result has the form in which the newest generation holds it."""

from __future__ import annotations

import pytest

from core.explain.tool_results.follow import result_lives
from tests.core.explain.home import Home


@pytest.mark.parametrize(
    ("text", "layer"), [("[terminal] ran `ls` -> exit 0, 1 lines output", "pruned"), (None, "none")]
)
def test_a_result_that_pruning_replaced_by_any_line_is_pruned(
    home: Home, text: str | None, layer: str
) -> None:
    """Run with 0.19.0 and 0.22.2: the line for a terminal names lines, not characters."""
    first = home.db.live("S")[2]
    home.compact()
    copied = home.db.live("S")[2]
    if text is not None:
        home.db.mark([copied], content=text)
    with home.store() as store:
        lives = result_lives(store, "S", prices=False)
    assert next(one for one in lives.results if one.row == first).standing.layer == layer


@pytest.mark.parametrize(("size", "state"), [(40, "full on resume"), (4_000, "in full")])
def test_a_result_that_became_a_file_only_in_the_program_says_that_a_resume_sends_it_whole(
    home: Home, size: int, state: str
) -> None:
    result, call = home.db.connection.execute(
        "SELECT id, tool_call_id FROM messages WHERE role = 'tool' LIMIT 1"
    ).fetchone()
    home.db.mark([result], content="w" * 400)
    home.line(
        f"Budget enforcement: persisted tool result {call} ({size} chars)", logger="tools.tool_result_storage"
    )
    with home.store() as store:
        lives = result_lives(store, "S", prices=False)
    assert next(one for one in lives.results if one.row == result).state == state
