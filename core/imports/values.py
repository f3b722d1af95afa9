"""What the cells of a provider's export say: numbers, days and models, however they are written there."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache

_DATED = re.compile(r"(?:[-@]?(20\d{2})-?(\d{2})-?(\d{2})(?:-v\d+)?|-latest|@latest)$")
_EPOCH = re.compile(r"\d{9,10}(?:\d{3})?(?:\.\d+)?")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_SIGNS = re.compile(r"[\s$\'\u2019_\u00a0\u202f]|USD")
_NAMED_ZONE = re.compile(r"\s*(?:UTC|GMT|Z)$", re.IGNORECASE)
_SHORT = re.compile(r"(?<=-)\d(?=-|$|[ T])")
_HOST = re.compile(r"^(?:[a-z]{2,6}\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek)\.")
_PLAIN = 18
"""Digits of a number that is within the limit of `amount_of`."""
_NUMBER = re.compile(r"(?<![^-])\d+(?![^-])")


def count_of(text: str) -> int | None:
    """A whole number, however its digits are grouped; None for anything else."""
    if text.isdecimal() and len(text) <= _PLAIN:  # most are, of hundreds of thousands
        return int(text)
    digits = _SIGNS.sub("", text)
    if _GROUPED.fullmatch(digits):
        digits = re.sub("[.,]", "", digits)
    amount = amount_of(digits)
    return None if amount is None else int(amount)


def amount_of(text: str, *, comma: bool = False) -> Decimal | None:
    """An amount of money; None for anything else.

    Args:
        text: Digits, perhaps grouped, perhaps with a currency.
        comma: A lone comma is the decimal sign; of comma and point together the last one is.
    """
    digits = _SIGNS.sub("", text)
    if "," in digits and "." in digits:
        comma = digits.rfind(",") > digits.rfind(".")
    if comma and "," in digits:
        digits = digits.replace(".", "").replace(",", ".")
    try:
        amount = Decimal(digits.replace(",", ""))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and abs(amount) < 10**18 else None


def day_of(text: str) -> date | None:
    """The day in UTC, as providers count days."""
    moment = moment_of(text)
    return moment.date() if moment else None


def moment_of(text: str) -> datetime | None:
    """A time in UTC; one without a zone is UTC. None for anything else.

    ISO dates and times, with slashes too, and seconds or milliseconds since 1970 are read. Days before months
    look like months before days: such dates are not guessed.
    """
    if _EPOCH.fullmatch(text):
        seconds = float(text)
        return datetime.fromtimestamp(seconds / 1000 if seconds >= 1e11 else seconds, UTC)
    try:
        moment = datetime.fromisoformat(_SHORT.sub(r"0\g<0>", _NAMED_ZONE.sub("", text).replace("/", "-")))
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=1_024)
def model_of(name: str) -> str:
    """A slug as both books write it: no vendor, host, variant or date, dots and blanks as dashes."""
    slug = name.lower().rsplit("/", 1)[-1].split(":", 1)[0].split(",", 1)[0].strip()
    return _DATED.sub("", re.sub(r"[.\s]+", "-", _HOST.sub("", slug)))


@lru_cache(maxsize=1_024)
def alias_of(model: str) -> tuple[str, ...]:
    """The same for `claude-4-5-opus` and `claude-opus-4-5`, but not for `gpt-4-5` and `gpt-5-4`."""
    version = "-".join(_NUMBER.findall(model))
    return (*sorted(word for word in model.split("-") if not word.isdigit()), version)
