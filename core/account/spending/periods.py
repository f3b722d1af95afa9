"""How time is cut into the days and hours of a ledger."""

from __future__ import annotations

from datetime import UTC, datetime, time, tzinfo

QUARTER = 900
"""Seconds in which a database groups moments: every time zone lies whole quarters of an hour off UTC."""
FORMS = {"day": "%Y-%m-%d", "hour": "%Y-%m-%dT%H"}
"""How a day and an hour are called."""


def quarter_start(number: int) -> datetime:
    """When a quarter of an hour begins, in UTC; they are counted from 1970."""
    return datetime.fromtimestamp(number * QUARTER, UTC)


def day_start(moment: datetime, zone: tzinfo | None = None) -> datetime:
    """When the day of a moment began, by the clocks of a time zone; this machine's by default."""
    midnight = datetime.combine(moment.astimezone(zone).date(), time.min)
    return midnight.replace(tzinfo=zone) if zone is not None else midnight.astimezone()
