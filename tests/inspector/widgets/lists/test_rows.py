from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.rows import FoldingRows


def shown(rows: FoldingRows[str]) -> list[str | None]:
    return [rows.row(index) for index in range(rows.count)]


def test_children_are_below_their_row() -> None:
    rows = FoldingRows(ListRows(["a", "b", "c"]))
    rows.unfold(1, ("b1", "b2"))
    assert shown(rows) == ["a", "b", "b1", "b2", "c"]
    assert rows.place(3) == (1, 1)
    assert rows.place(4) == (2, None)
    rows.unfold(1, ())
    assert shown(rows) == ["a", "b", "c"]


@given(st.integers(1, 12), st.dictionaries(st.integers(0, 11), st.integers(0, 4), max_size=6))
@settings(max_examples=150, deadline=None)
def test_lines_are_the_rows_with_their_children_in_order(total: int, folds: dict[int, int]) -> None:
    rows = FoldingRows(ListRows([str(index) for index in range(total)]))
    expected: list[str] = []
    for index in range(total):
        expected.append(str(index))
        expected += [f"{index}.{child}" for child in range(folds.get(index, 0))]
    for index, children in folds.items():
        if index < total:
            rows.unfold(index, tuple(f"{index}.{child}" for child in range(children)))
    assert shown(rows) == expected
    assert [rows.line(index) for index in range(total)] == [
        expected.index(str(index)) for index in range(total)
    ]
