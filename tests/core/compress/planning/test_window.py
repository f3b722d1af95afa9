"""Which rows a summary is made of."""

from __future__ import annotations

from core.compress.messages.kinds import is_summary
from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.compress.planning.summary_window import summary_window
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Settings, Span
from core.model.transcript.message import Message
from tests.core.compress.builders import call, long_work, user

QUOTED = "[CONTEXT SUMMARY]: of another session\n" + "It says much. " * 40


def test_a_tool_result_that_quoted_a_summary_holds_none_once_it_is_pruned() -> None:
    rows = [user("read it"), *call("session_search", QUOTED, query="x"), *long_work(400)]
    measured = measure(rows, load_policy("0.22"))
    assert measured.columns.summaries == (2,)
    assert summary_window(measured, Span(1, 40), ()).earlier == (2,)
    assert summary_window(measured, Span(1, 40), {2}).earlier == ()
    assert 2 in plan(measured, Settings(window=64_000)).pruned_at


def test_a_summary_wrapped_after_any_text_is_one_from_018_on() -> None:
    text = "I had counted.\n[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n\n[CONTEXT SUMMARY]: nine"
    wire = Message({"role": "assistant", "content": text}).wire
    found = [name for name in ("0.17", "0.18", "0.22") if is_summary(wire, load_policy(name).summary)]
    assert found == ["0.18", "0.22"]
