"""A row finds its place, whatever the order of the list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.preview.generation import RowPlaces


@given(st.lists(st.integers(0, 40), unique=True), st.booleans())
def test_each_row_is_found_where_it_is_and_no_other_is(ids: list[int], ascending: bool) -> None:
    places = RowPlaces(sorted(ids) if ascending else ids)
    assert [places.place(row) for row in places.ids] == list(range(len(ids)))
    assert {places.place(row) for row in range(41) if row not in ids} <= {None}
    assert places.place(None) is None
