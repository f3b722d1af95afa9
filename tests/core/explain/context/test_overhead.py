"""The size of system prompt and tools is one figure, for the finding about it and for settings tried."""

from __future__ import annotations

from core.explain.context.context import open_context
from core.explain.context.next_request import Overhead, overhead
from core.explain.what_if.scenarios import compare
from tests.core.explain.conftest import MakeHome
from tests.core.explain.home import Home


def told(home: Home) -> tuple[Overhead, int]:
    """The overhead, and what a call of this conversation is said to send at least under the same settings."""
    with home.store() as store:
        context = open_context(store, "S")
        (outcome,) = compare(context, [context.settings_in_force])
        return overhead(context, context.policy(None)), outcome.prompt_tokens // outcome.calls


def test_tools_that_are_stored_nowhere_are_told_by_the_first_call(begun: MakeHome) -> None:
    home = begun()
    home.turn()
    home.call(1, 20_000)
    home.talk(3)
    found, sent = told(home)
    assert 19_900 < found.tokens <= 20_000
    assert found.evidence is not None
    assert sent > 19_900


def test_without_a_log_they_are_told_by_the_calls_booked(begun: MakeHome) -> None:
    home = begun(api_call_count=6, input_tokens=60_000)
    home.talk(3)
    found, sent = told(home)
    assert 9_000 < found.tokens < 10_000
    assert found.evidence is not None
    assert sent > 9_000


def test_what_is_on_record_nowhere_leaves_a_lower_bound(begun: MakeHome) -> None:
    home = begun(system_prompt="You help. " * 100)
    home.talk(3)
    home.turn(history=6)
    home.call(4, 20_000)
    found, _ = told(home)
    assert found == Overhead(250, None)
