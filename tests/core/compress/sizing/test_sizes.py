"""Sizes as columns are the sizes they were made of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.compress.sizing.estimate import Size, Sizes, numbers

sizes = st.lists(st.builds(Size, *[st.integers(0, 2**30)] * 3))


@given(sizes, sizes)
def test_columns_that_grew_give_each_size_back(begun: list[Size], added: list[Size]) -> None:
    before = Sizes().with_(begun)
    found = before.with_(added)
    assert [*found] == [found[place] for place in range(len(found))] == begun + added
    assert [*before] == begun


def test_numbers_stand_one_after_another() -> None:
    assert [*numbers([1, 2], (), range(3))] == [1, 2, 0, 1, 2]
