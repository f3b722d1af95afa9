"""Parses exports and logs of other tools: cells in any notation, and usage as Hermes' buckets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from typing import Any

from core.model.accounting.amounts import Buckets
from core.support.program_files import shared_table

_BUCKETS = ("input", "output", "cache_read", "cache_write")
_DATED = re.compile(r"(?:[-@]?(20\d{2})-?(\d{2})-?(\d{2})(?:-v\d+)?|-latest|@latest)$")
_EPOCH = re.compile(r"\d{9,10}(?:\d{3})?(?:\.\d+)?")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_SIGNS = re.compile(r"[\s$\'\u2019_\u00a0\u202f]|USD")
_NAMED_ZONE = re.compile(r"\s*(?:UTC|GMT|Z)$", re.IGNORECASE)
_SHORT = re.compile(r"(?<=-)\d(?=-|$|[ T])")
_HOST = re.compile(r"^(?:[a-z]{2,6}\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek)\.")
_PLAIN = 18
"""Digits of a number that cannot exceed the limit of `amount_of`."""

_NUMBER = re.compile(r"(?<![^-])\d+(?![^-])")


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields in which a wire format reports its buckets, each a list of dotted paths.

    Attributes:
        exclusive: Whether `input` excludes cached tokens.
        output_adds_reasoning: Whether reasoning is reported beside the output, not as part of it.
    """

    exclusive: bool
    output_adds_reasoning: bool
    fields: Mapping[str, tuple[str, ...]]


def normalise(raw: Any) -> Buckets:
    """The buckets of a response; its fields show its shape. An empty one gives all zeros, as in Hermes."""
    if not raw:
        return Buckets(0, 0, 0, 0, 0)
    shape = _shape(_shape_name(raw))
    reported, output, read, write, reasoning = (
        _first(raw, shape.fields[bucket]) for bucket in (*_BUCKETS, "reasoning")
    )
    return Buckets(
        input=reported if shape.exclusive else max(0, reported - read - write),
        cache_read=read,
        cache_write=write,
        output=output + (reasoning if shape.output_adds_reasoning else 0),
        reasoning=reasoning,
    )


def one_hour_writes(raw: Any) -> int:
    """Cache-write tokens of a response that are kept for an hour and cost more (Anthropic)."""
    return _number(field_at(raw, "cache_creation.ephemeral_1h_input_tokens"))


def _shape_name(raw: Any) -> str:
    for name, fields in shared_table("core/imports/usage_shapes.yaml")["telling"].items():
        if any(field_at(raw, field) is not None for field in fields):
            return str(name)
    return "chat"


@cache
def _shape(name: str) -> Shape:
    rules = shared_table("core/imports/usage_shapes.yaml")
    raw = {"reasoning": rules["reasoning"]} | rules["shapes"][name]
    paths = {key: tuple(raw[key]) for key in (*_BUCKETS, "reasoning")}
    return Shape(raw["exclusive"], raw.get("output_adds_reasoning", False), paths)


def _first(raw: Any, paths: Iterable[str]) -> int:
    """The first of some fields that is not zero."""
    return next((number for path in paths if (number := _number(field_at(raw, path)))), 0)


def field_at(raw: Any, path: str) -> Any:
    """A field by dotted path; None if it does not exist."""
    for name in path.split("."):
        raw = raw.get(name) if isinstance(raw, Mapping) else None
        if raw is None:
            return None
    return raw


def _number(value: Any) -> int:
    """A count; a value that is not a number counts as 0, as in Hermes."""
    try:
        return int(value or 0)
    except (TypeError, ValueError, OverflowError):
        return 0


def count_of(text: str) -> int | None:
    """A whole number, with or without grouped digits; None for anything else."""
    if text.isdecimal() and len(text) <= _PLAIN:  # as most of hundreds of thousands are
        return int(text)
    digits = _SIGNS.sub("", text)
    if _GROUPED.fullmatch(digits):
        digits = re.sub("[.,]", "", digits)
    amount = amount_of(digits)
    return None if amount is None else int(amount)


def amount_of(text: str, *, comma: bool = False) -> Decimal | None:
    """An amount of money, perhaps grouped, perhaps with a currency; None for anything else.

    With `comma` a lone comma is the decimal sign; of comma and point together the last one is.
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
    """A time in UTC; one without a zone counts as UTC. None for anything else.

    Reads ISO dates and times, also with slashes, and seconds or milliseconds since 1970. Day-first and
    month-first dates cannot be told apart, so they are not read.
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
    """A slug comparable between exports: no vendor, host, variant or date; dashes for dots and blanks."""
    slug = name.lower().rsplit("/", 1)[-1].split(":", 1)[0].split(",", 1)[0].strip()
    return _DATED.sub("", re.sub(r"[.\s]+", "-", _HOST.sub("", slug)))


@lru_cache(maxsize=1_024)
def alias_of(model: str) -> tuple[str, ...]:
    """A key equal for `claude-4-5-opus` and `claude-opus-4-5`, but not for `gpt-4-5` and `gpt-5-4`."""
    version = "-".join(_NUMBER.findall(model))
    return (*sorted(word for word in model.split("-") if not word.isdigit()), version)
