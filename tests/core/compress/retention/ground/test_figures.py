"""A figure is known in a rounded form or in another unit, a round one only if the unit is there."""

from __future__ import annotations

import pytest

from core.compress.retention.ground.figures import Figures, plain_number

TEXT = "waited 5 times, 5k rows of 21,774, indexer=1200m, 18,102 steps"


@pytest.mark.parametrize("figure", ["21800", "21770"])
def test_a_figure_with_three_digits_is_known_though_rounded(figure: str) -> None:
    assert Figures(TEXT).rounds_to(figure)


@pytest.mark.parametrize("figure", ["21774", "20000", "21500"])
def test_a_whole_figure_and_one_of_few_digits_are_not_roundings(figure: str) -> None:
    assert not Figures(TEXT).rounds_to(figure)


def test_a_scale_makes_a_short_figure_a_rounding() -> None:
    assert Figures(TEXT).rounds_to("22", 1000)


@pytest.mark.parametrize("figure", ["5000", "1.2", "21.774"])
def test_the_same_amount_in_another_unit_is_known(figure: str) -> None:
    assert Figures(TEXT).in_other_unit(figure)


def test_a_round_figure_is_no_other_one_without_a_unit() -> None:
    assert not Figures("waited 5 times, 12 rows").in_other_unit("5000")
    assert not Figures("waited 5 times, 12 rows").in_other_unit("12000")


@pytest.mark.parametrize(
    ("written", "number"), [("4,06", "4.06"), ("12,000", "12000"), ("1,234.5", "1234.5")]
)
def test_a_comma_is_a_decimal_point_or_a_separator(written: str, number: str) -> None:
    assert plain_number(written) == number


def test_a_figure_without_a_unit_is_scaled_only_with_a_fraction_or_in_thousands() -> None:
    assert Figures(TEXT).in_another_scale("1.2")
    assert Figures(TEXT).in_another_scale("5000")
    assert not Figures("of 371,204 rows").in_another_scale("371")
