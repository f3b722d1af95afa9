"""What a stored value tells, and what does not count as one."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest

from core.store.rows.decode import moment


@pytest.mark.parametrize("value", [-62135596800, 253402300799, 1e300, float("nan"), float("inf"), "1", None])
def test_what_lies_at_the_ends_of_the_calendar_is_no_time(value: object) -> None:
    assert moment(value) is None


@pytest.mark.parametrize("value", [0, -62100000000, 253370764799])
def test_the_time_of_any_other_year_has_one_in_every_zone(value: int) -> None:
    found = moment(value)
    assert found is not None
    assert found.astimezone(timezone(timedelta(hours=14))) == found
    assert found.astimezone(timezone(timedelta(hours=-12))) == found
