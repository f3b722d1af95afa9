"""Only a setting that makes room is advised to be lowered."""

from __future__ import annotations

import pytest

from core.compress.planning.measure import measure
from core.compress.planning.plan import plan
from core.hermes.policy.policy import load_policy
from core.model.compaction.plan import Settings
from core.model.transcript.message import Message
from core.preview.room import makes_room

WINDOW = 64_000


def advised(release: str, sizes: list[int], **settings: float) -> str:
    roles = ("user", "assistant")
    said = [
        Message({"role": roles[n % 2], "content": f"{n} " + "word " * size}) for n, size in enumerate(sizes)
    ]
    chosen = Settings(window=WINDOW, **settings)  # type: ignore[arg-type]
    return makes_room(said, plan(measure(said, load_policy(release)), chosen))


def test_where_the_head_is_protected_only_the_head_is_named() -> None:
    assert advised("0.19", [2_000] * 10 + [10] * 12, protect_first=10) == "compression.protect_first_n"


@pytest.mark.parametrize(("release", "named"), [("0.19", True), ("0.22", False)])
def test_the_share_of_the_tail_is_named_only_where_the_release_uses_it(release: str, named: bool) -> None:
    words = advised(release, [1_500] * 60, target_ratio=0.8, protect_first=0, protect_last=0)
    assert ("compression.target_ratio" in words) is named


def test_where_nothing_is_protected_by_a_setting_none_is_named() -> None:
    assert advised("0.19", [10, 10, 9_000, 9_000], target_ratio=0.1, protect_first=0, protect_last=0) == ""
