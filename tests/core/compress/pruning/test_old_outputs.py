from __future__ import annotations

import pytest

from core.compress.pruning.old_outputs import old_results


@pytest.mark.parametrize(
    ("results", "rounds", "old"),
    [([1, 2, 4, 5], 1, [1, 2]), ([1, 2, 4, 5], 2, []), ([1, 4, 7], 1, [1, 4]), ([], 1, [])],
)
def test_results_side_by_side_are_one_round_and_those_before_the_newest_rounds_are_old(
    results: list[int], rounds: int, old: list[int]
) -> None:
    assert old_results(results, rounds) == old
