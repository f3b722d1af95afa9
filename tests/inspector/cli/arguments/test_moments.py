"""When `--since` and `--until` begin."""

from __future__ import annotations

import argparse
from datetime import datetime, timedelta

import pytest

from inspector.cli.arguments.parsers import moment


def local(text: str) -> datetime:
    return moment(text).astimezone()


def test_today_begins_at_midnight_here_and_yesterday_a_day_before() -> None:
    today, yesterday = local("today"), local("Yesterday")
    assert (today.hour, today.minute, today.date()) == (0, 0, datetime.now().date())
    assert yesterday.date() == datetime.now().date() - timedelta(days=1)


def test_a_week_begins_on_monday_and_a_month_on_its_first() -> None:
    week, month = local("week"), local("month")
    assert week.weekday() == 0
    assert timedelta() <= datetime.now().astimezone() - week < timedelta(days=8)
    assert (month.day, month.month) == (1, datetime.now().month)


def test_another_word_is_refused_with_what_would_do() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="today, yesterday, week or month"):
        moment("tomorrow")
