from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.support import formatting as fmt

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "–"),
        (0, "0"),
        (940, "940"),
        (999, "999"),
        (1_000, "1.0K"),
        (54_828, "54.8K"),
        (99_949, "99.9K"),
        (99_950, "100K"),
        (412_345, "412K"),
        (999_499, "999K"),
        (999_500, "1.0M"),
        (1_900_000, "1.9M"),
        (812_000_000, "812M"),
        (5_000_000_000, "5.0G"),
        (-33_902, "-33.9K"),
    ],
)
def test_numbers_in_lists_are_short(value: int | None, expected: str) -> None:
    assert fmt.short(value) == expected


@given(st.integers(0, 10**12 - 1))
@settings(max_examples=200, deadline=None)
def test_a_short_number_never_needs_more_than_five_cells(value: int) -> None:
    assert len(fmt.short(value)) <= 5


def test_numbers_under_the_cursor_are_full_and_carry_their_mark() -> None:
    assert fmt.count(54_828) == "54,828"
    assert fmt.count(54_828, mark=fmt.ESTIMATE) == "~54,828"
    assert fmt.short(54_828, mark=fmt.LOWER_BOUND) == "≥54.8K"
    assert fmt.count(None, mark=fmt.ESTIMATE) == "–"


@pytest.mark.parametrize(
    ("usd", "expected"),
    [
        (None, "–"),
        ("0", "$0"),
        ("0.00", "$0"),
        ("0.0042", "$0.0042"),
        ("0.000012345", "$0.000012"),
        ("0.09", "$0.090"),
        ("0.0999", "$0.10"),
        ("0.175512", "$0.18"),
        ("14.02", "$14.02"),
        ("1234.5", "$1,235"),
        ("-3.1", "-$3.10"),
    ],
)
def test_money_is_never_rounded_to_nothing(usd: str | None, expected: str) -> None:
    assert fmt.money(None if usd is None else Decimal(usd)) == expected


@pytest.mark.parametrize(
    ("usd", "expected"),
    [
        ("0.42", "~$0.42 a call"),
        ("0.01", "~$0.010 a call"),
        ("0.0042", "~$4.20 in 1,000 calls"),
        ("0.00049", "~$0.49 in 1,000 calls"),
        ("-0.0042", "~-$4.20 in 1,000 calls"),
        ("0", "$0 a call"),
        (None, "– a call"),
    ],
)
def test_what_a_call_costs_less_than_a_cent_is_told_of_a_thousand(usd: str | None, expected: str) -> None:
    assert fmt.money_a_call(None if usd is None else Decimal(usd), mark=fmt.ESTIMATE) == expected


@given(st.decimals("0.0000001", "100000", places=7))
@settings(max_examples=200, deadline=None)
def test_an_amount_that_exists_is_shown_with_a_digit(usd: Decimal) -> None:
    shown = fmt.money(usd)
    assert "e" not in shown.lower()
    assert (Decimal(shown.strip("$").replace(",", "")) > 0) is (usd > 0)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(None, "–"), (0.0, "0%"), (0.004, "<1%"), (0.56, "56%"), (0.996, ">99%"), (1.0, "100%"), (1.07, "107%")],
)
def test_percent_claims_all_or_nothing_only_when_it_is(share: float | None, expected: str) -> None:
    assert fmt.percent(share) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.3, "0.3s"),
        (9.94, "9.9s"),
        (9.95, "10s"),
        (59.6, "1m 00s"),
        (250, "4m 10s"),
        (3_600, "1h 00m"),
        (7_500, "2h 05m"),
        (273_600, "3d 4h"),
        (-250, "-4m 10s"),
    ],
)
def test_durations_use_two_units(seconds: float, expected: str) -> None:
    assert fmt.duration(seconds) == expected


@pytest.mark.parametrize(
    ("past", "expected"),
    [
        (timedelta(seconds=20), "now"),
        (timedelta(minutes=2), "2 min"),
        (timedelta(hours=3), "3 h"),
        (timedelta(days=5), "5 d"),
        (timedelta(days=-1), "now"),
    ],
)
def test_ages_are_relative_within_a_week(past: timedelta, expected: str) -> None:
    assert fmt.age(NOW - past, NOW) == expected


def test_older_ages_are_dates() -> None:
    assert fmt.age(NOW - timedelta(days=20), NOW) == "Nov  1"
    assert fmt.age(NOW - timedelta(days=800), NOW) == "2024-09"
    assert fmt.age(None, NOW) == "–"


def test_moments_are_told_apart_by_their_time_and_by_the_day_only_where_days_differ() -> None:
    first = datetime(2026, 11, 12, 14, 5, tzinfo=UTC)
    later, next_day = first + timedelta(minutes=9), first + timedelta(days=1)
    clocks = [f"{one.astimezone():%H:%M}" for one in (first, later, next_day)]
    days = [f"{one.astimezone():%m-%d}" for one in (first, later, next_day)]
    assert fmt.apart([first]) == [""]
    assert fmt.apart([first, None, later]) == [f"at {clocks[0]}", "", f"at {clocks[1]}"]
    told = [f"on {day} at {clock}" for day, clock in zip(days, clocks, strict=True)]
    assert fmt.apart([first, later, next_day]) == told
    seconds = first + timedelta(seconds=7)
    assert fmt.apart([first, seconds, later]) == [
        f"at {clocks[0]}:00",
        f"at {clocks[0]}:07",
        f"at {clocks[1]}",
    ]


def test_one_is_singular_and_every_other_number_plural() -> None:
    assert fmt.plural(1, "session") == "1 session"
    assert fmt.plural(1_518, "session") == "1,518 sessions"
    assert fmt.plural(2, "branch", "branches") == "2 branches"
    assert fmt.plural(0, "session") == "0 sessions"


@pytest.mark.parametrize(("usd", "told"), [("0.0949", "$0.095"), ("0.095", "$0.10"), ("-0.0042", "-$0.0042")])
def test_cents_are_distinguished_from_where_they_say_as_much_as_two_digits(usd: str, told: str) -> None:
    assert fmt.money(Decimal(usd)) == told


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([], ""),
        ([3], "message 3"),
        ([40, 3, 4, 5, 3], "messages 3-5, 40"),
        ([1, 2, 9, 20, 21, 22], "messages 1-2, 9 and 3 more"),
        (range(1, 2_001), "messages 1-2000"),
    ],
)
def test_row_ids_are_told_in_runs_and_no_more_than_fit(rows: Iterable[int], told: str) -> None:
    assert fmt.message_rows(rows, most=2) == told
