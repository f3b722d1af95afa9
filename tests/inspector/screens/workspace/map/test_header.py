"""The first line of the map agrees with the answer above it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message
from inspector.screens.workspace.map.header import header_line
from tests.inspector.screens.conftest import INK

CUT = plan(
    measure((Message({"role": "user", "content": "Hello"}),), load_policy("0.19")), Settings(window=64_000)
)


@pytest.mark.parametrize(("tokens", "own"), [(30_000, "to go"), (60_000, "over")])
def test_what_decides_before_the_threshold_takes_the_place_of_how_far_that_is(tokens: int, own: str) -> None:
    cut = replace(CUT, compared_tokens=tokens, would_fire=tokens > 54_400, blocked_by=())
    assert own in header_line(cut, 120, INK).text
    told = header_line(cut, 120, INK, before="the provider refuses beyond 32,768").text
    assert told.endswith("the provider refuses beyond 32,768")
    assert own not in told.split("·")[-1]
    assert "by Hermes' own rules: fires at 54,400" in told


def test_where_another_engine_decides_nothing_counts_down_to_hermes_own_threshold() -> None:
    told = header_line(replace(CUT, blocked_by=()), 120, INK, elsewhere=True).text
    assert told.rstrip().endswith("by Hermes' own rules: fires at 54,400 = 0.85 × 64,000 (setting 0.50)")
