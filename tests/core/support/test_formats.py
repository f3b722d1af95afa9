"""Amounts and times as the user wants them written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from core.support import formatting as fmt
from tests.own_settings import write_own_settings

NOW = datetime(2026, 11, 12, 14, 5, 8).astimezone()


@pytest.mark.parametrize(
    ("shape", "small", "large"),
    [("short", "$0.0042", "$14.02"), ("cents", "$0.00", "$14.02"), ("exact", "$0.0042", "$14.0200")],
)
def test_money_has_as_many_digits_as_are_wanted(shape: str, small: str, large: str) -> None:
    write_own_settings(f"formats: {{money: {shape}}}\n")
    assert (fmt.money(Decimal("0.00421")), fmt.money(Decimal("14.02"))) == (small, large)
    assert fmt.money(Decimal(0)) == "$0"
    assert fmt.money(None) == "–"


def test_the_clock_has_twelve_hours_where_they_are_wanted() -> None:
    write_own_settings("formats: {time: 12h}\n")
    assert fmt.clock(NOW) == "2:05:08pm"
    assert fmt.clock(NOW.replace(hour=0), seconds=False) == "12:05am"
    assert fmt.moment(NOW) == "2026-11-12 2:05:08pm"
    assert fmt.span(NOW, NOW + timedelta(hours=1)) == "2026-11-12 2:05pm – 3:05pm"


def test_ages_are_times_where_they_are_wanted() -> None:
    write_own_settings("formats: {ages: clock}\n")
    assert fmt.age(NOW - timedelta(minutes=5), NOW) == "14:00"
    assert fmt.age(NOW - timedelta(days=2), NOW) == "Nov 10"


def test_a_change_of_the_file_is_seen_at_once() -> None:
    at = datetime(2026, 11, 12, 9, tzinfo=UTC)
    write_own_settings("formats: {ages: clock}\n")
    assert fmt.age(at, at) != "now"
    write_own_settings("formats: {ages: ago}  # again\n")
    assert fmt.age(at, at) == "now"


@pytest.mark.parametrize("text", ["formats: 5\n", "- x\n", "formats: [\n", "formats: {money: gold}\n"])
def test_a_file_that_cannot_be_used_changes_nothing(text: str) -> None:
    write_own_settings(text)
    assert fmt.money(Decimal("0.00421")) == "$0.0042"
