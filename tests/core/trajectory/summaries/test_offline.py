"""What an offline summary is made from."""

from __future__ import annotations

from core.trajectory.compress.settings import Settings
from core.trajectory.entries.forms import Region, Turn
from core.trajectory.summaries.base import SummarySpec
from core.trajectory.summaries.offline import messages, offline_writer

CALL = '<tool_call>\n{"name": "read_file", "arguments": {"path": "/srv/%s.py"}}\n</tool_call>'
TURNS = [
    Turn("human", "Fix the parser in /srv/a.py."),
    Turn("gpt", CALL % "a" + CALL % "b"),
    Turn("tool", "<tool_response>\nof a\n</tool_response>"),
    Turn("tool", "of b"),
    Turn("tool", "of nobody"),
    Turn("gpt", "Done."),
]


def test_a_tool_turn_answers_the_call_in_front_of_it() -> None:
    made = messages(TURNS, Region(0, 6))
    calls = [call.id for call in made[1].tool_calls]
    assert [one.tool_call_id for one in made[2:5]] == [*calls, None]
    assert [one.text for one in made[2:5]] == ["of a", "of b", "of nobody"]


def test_a_call_that_was_answered_is_not_told_as_waiting() -> None:
    written = offline_writer(SummarySpec(), Settings("0.22"))(TURNS, Region(0, 6))
    assert "/srv/a.py" in written.text
    assert "no result yet" not in written.text
