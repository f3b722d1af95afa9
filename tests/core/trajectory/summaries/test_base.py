"""What is sent to a model of a turn."""

from __future__ import annotations

import pytest

from core.model.compaction.plan import Span
from core.trajectory.compress.plan import Settings
from core.trajectory.entries.forms import Turn
from core.trajectory.summaries.base import build_prompt

KEY = "ghp_" + "a1B2c3D4e5" * 4


@pytest.mark.parametrize("fill", [(1_488, 3_000), (3_000, 480)], ids=["head", "tail"])
def test_no_piece_of_a_credential_is_sent_of_a_long_turn(fill: tuple[int, int]) -> None:
    text = "x " * (fill[0] // 2) + KEY + " y" * (fill[1] // 2)
    sent = build_prompt([Turn("tool", text)], Span(0, 1), Settings("0.22")).text
    assert "characters left out" in sent
    assert KEY[4:12] not in sent
