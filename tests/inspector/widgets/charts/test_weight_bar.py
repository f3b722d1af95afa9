"""How much a summary keeps of what matters, drawn as one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.compaction.preview import Fact, Retention, Unsupported
from inspector.terminal.line import Palette, defaults
from inspector.widgets.charts.retention import KEPT, LOST, UNSUPPORTED, weight_cells, weight_line

INK = Palette(defaults())
CLAIM = Unsupported("42 passed", "done", "42 passed")


def report(score: float | None, claims: int = 0, facts: int = 10) -> Retention:
    fact = Fact("paths", "a.py", (3,), "kept")
    return Retention((fact,) * facts, score=score, unsupported=(CLAIM,) * claims)


def test_each_part_has_its_own_sign_and_its_words() -> None:
    text = weight_line(report(0.8, claims=2), 100, INK).text
    assert text.index(KEPT) < text.index(LOST) < text.index(UNSUPPORTED)
    assert "kept 80% of what matters" in text
    assert "lost 20% · 2 unsupported" in text


@pytest.mark.parametrize(("width", "said"), [(41, True), (33, True), (32, False)])
def test_a_bar_says_what_its_shares_are_of_wherever_a_bar_is_left(width: int, said: bool) -> None:
    text = weight_line(report(1.0), width, INK).text
    assert ("kept 100% of what matters" in text) is said
    assert KEPT in text


def test_without_facts_it_says_so() -> None:
    assert "no checkable facts" in weight_line(report(None, facts=0), 80, INK).text


@pytest.mark.parametrize("score", [0.001, 0.999])
def test_the_smallest_share_still_has_a_cell(score: float) -> None:
    kept, lost, _ = weight_cells(report(score), 40)
    assert kept
    assert lost


@given(st.floats(0, 1), st.integers(0, 50), st.integers(0, 50), st.integers(0, 200))
def test_the_parts_fill_the_bar(score: float, claims: int, facts: int, cells: int) -> None:
    parts = weight_cells(report(score, claims, facts), cells)
    assert sum(parts) == cells
    assert min(parts) >= 0


@given(st.floats(0, 1), st.integers(0, 5), st.integers(40, 220))
def test_no_line_is_wider_than_the_screen(score: float, claims: int, width: int) -> None:
    line = weight_line(report(score, claims), width, INK)
    assert line.width <= width


@pytest.mark.parametrize("width", [22, 32, 44, 46, 60, 120])
def test_without_facts_it_says_so_in_words_that_fit(width: int) -> None:
    text = weight_line(report(None, facts=0), width, INK).text.rstrip()
    assert text.endswith("no checkable facts" if width < 46 else "no checkable facts.")
    assert len(text) < width
