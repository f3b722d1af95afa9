"""Numbers as people write them on a command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.arguments.parsers import dollars, fraction, moment, positive, share, size, whole_number


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (whole_number, "0", 0),
        (whole_number, "200000", 200_000),
        (whole_number, "200_000", 200_000),
        (whole_number, "200,000", 200_000),
        (whole_number, "200K", 200_000),
        (whole_number, "1m", 1_000_000),
        (share, "0.5", 0.5),
        (share, "50%", 0.5),
        (share, "1", 1.0),
        (fraction, "0", 0.0),
        (dollars, "$12.50", Decimal("12.50")),
        (dollars, "1,000", Decimal(1000)),
        (dollars, "0", Decimal(0)),
        (size, "120x40", (120, 40)),
        (moment, "2026-11-20T14:05:00+00:00", datetime(2026, 11, 20, 14, 5, tzinfo=UTC)),
    ],
)
def test_a_number_is_read_in_every_common_form(parse: Callable[[str], Any], text: str, value: object) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (whole_number, ""),
        (whole_number, "-1"),
        (whole_number, "1.5"),
        (whole_number, "k"),
        (whole_number, "٣"),
        (whole_number, "9" * 30),
        (positive, "0"),
        (share, "0"),
        (share, "1.01"),
        (share, "nan"),
        (share, "half"),
        (fraction, "-0.1"),
        (dollars, "-1"),
        (dollars, "NaN"),
        (dollars, "ten"),
        (size, "120"),
        (size, "5x5"),
        (size, "9999x40"),
        (moment, "tomorrow"),
        (moment, "7y"),
        (moment, "2026-13-01"),
    ],
)
def test_anything_else_is_refused_by_name(parse: Callable[[str], Any], text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        parse(text)


@given(st.integers(min_value=0, max_value=10**15))
def test_grouping_never_changes_a_number(value: int) -> None:
    assert whole_number(f"{value:,}") == whole_number(f"{value:_}") == value


def test_an_age_is_taken_back_from_now() -> None:
    assert abs(datetime.now(UTC) - timedelta(days=7) - moment("7d")) < timedelta(seconds=5)


def test_a_time_without_a_zone_is_local() -> None:
    assert moment("2026-11-20") == datetime(2026, 11, 20).astimezone()
