"""Parsers for numbers, shares, sizes, times and files on a command line.

Each raises `argparse.ArgumentTypeError` for a text that is none of those.
"""

from __future__ import annotations

import argparse
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SCALES = {"k": 1_000, "m": 1_000_000}


def whole_number(text: str) -> int:
    """A whole number, 0 or more; `200_000`, `200,000`, `200K` and `1M` are accepted."""
    digits = text.strip().replace(",", "").replace("_", "")
    scale = _SCALES.get(digits[-1:].lower(), 1)
    digits = digits[:-1] if scale > 1 else digits
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 19):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(digits) * scale


def positive(text: str) -> int:
    """A whole number above 0, in the forms `whole_number` accepts."""
    value = whole_number(text)
    if value == 0:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def share(text: str) -> float:
    """A share above 0 and up to 1; `0.5` and `50%` mean the same."""
    value = fraction(text)
    if value == 0:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def fraction(text: str) -> float:
    """A number from 0 to 1, in the forms `share` accepts."""
    number, hundred = (text[:-1], 100.0) if text.endswith("%") else (text, 1.0)
    try:
        value = float(number) / hundred
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share between 0 and 1")
    return value


def dollars(text: str) -> Decimal:
    """An amount of US dollars, with or without `$`."""
    try:
        value = Decimal(text.strip().removeprefix("$").replace(",", ""))
    except InvalidOperation as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount of dollars") from error
    if not value.is_finite() or value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount of dollars")
    return value


def moment(text: str) -> datetime:
    """A time: `2026-11-20`, `2026-11-20T14:05`, or an age: `30m`, `24h`, `7d`, `2w`.

    `today`, `yesterday`, `week` and `month` mean their beginning. A time without a time zone is local; a week
    begins on Monday.
    """
    ago = re.fullmatch(r"(\d{1,5})([mhdw])", text.strip().lower())
    if (days := _days_back(text.strip().lower())) is not None:
        first = (datetime.now() - timedelta(days=days)).replace(hour=0, minute=0, second=0, microsecond=0)
        return first.astimezone(UTC)
    try:
        if ago:
            return datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a date (2026-11-20) nor an age (7d) nor today, yesterday, week or month"
        ) from error


def _days_back(word: str) -> int | None:
    """How many days ago a named period began, by the local calendar; None for any other word."""
    today = datetime.now()
    named = {"today": 0, "yesterday": 1, "week": today.weekday(), "month": today.day - 1}
    return named.get(word)


def frame(text: str) -> Path:
    """A file for a frame of the app; its ending names the format."""
    path = Path(text)
    if path.suffix.lower() not in (".svg", ".png"):
        raise argparse.ArgumentTypeError(f"{text!r} is neither .svg nor .png")
    return path


def size(text: str) -> tuple[int, int]:
    """Columns and rows from `120x40`."""
    found = re.fullmatch(r"(\d{1,4})[xX](\d{1,4})", text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not WIDTHxHEIGHT, such as 120x40")
    width, height = int(found[1]), int(found[2])
    if not (20 <= width <= 1000 and 5 <= height <= 1000):
        raise argparse.ArgumentTypeError(f"{text!r} is outside 20x5 to 1000x1000")
    return width, height
