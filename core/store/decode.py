"""Values as Hermes stores them, made usable; what cannot be is noted, never raised."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from core.store.connect import BrokenText

JSON_PREFIX = "\x00json:"
"""Lists and dicts are stored as this prefix and their JSON."""

_MEMORY_BLOCK = re.compile(r"<\s*memory-context\s*>.*?</\s*memory-context\s*>", re.IGNORECASE | re.DOTALL)
_MEMORY_NOTE = re.compile(
    r"\[System note:\s*The following is recalled memory context,\s*NOT new user input\.\s*"
    r"Treat as (?:informational background data|authoritative reference data[^\]]*)\.\]\s*",
    re.IGNORECASE,
)
_MEMORY_TAG = re.compile(r"</?\s*memory-context\s*>", re.IGNORECASE)


def moment(value: Any) -> datetime | None:
    """Epoch seconds as an aware UTC time; None for what is no number, or lies outside the calendar."""
    if not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)
    except (OverflowError, OSError, ValueError):
        return None


class Decoder:
    """Decodes the values of one row and remembers what was wrong with them.

    Attributes:
        damage: One phrase for each value that could not be taken as it should be.
    """

    __slots__ = ("damage",)

    def __init__(self) -> None:
        self.damage: list[str] = []

    def text(self, value: Any, name: str) -> str | None:
        """Text, or None for NULL."""
        if value is None:
            return None
        if isinstance(value, str):
            if isinstance(value, BrokenText):
                self.damage.append(f"{name} is not UTF-8")
            return value
        if isinstance(value, bytes):
            self.damage.append(f"{name} is stored as bytes")
            return value.decode(errors="replace")
        return str(value)

    def scalar(self, value: Any, name: str) -> Any:
        """A number or text as it is stored, whichever it is; bytes as text."""
        return self.text(value, name) if isinstance(value, bytes) else value

    def integer(self, value: Any, name: str) -> int | None:
        """A whole number, or None when there is none."""
        if isinstance(value, int) or value is None:
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
        self.damage.append(f"{name} is not a whole number")
        return None

    def time(self, value: Any, name: str) -> datetime | None:
        """Epoch seconds as an aware UTC time."""
        if value is None:
            return None
        found = moment(value)
        if found is not None:
            return found
        self.damage.append(f"{name} is not a time")
        return None

    def money(self, value: Any, name: str) -> Decimal | None:
        """US dollars, exactly as the stored number prints."""
        if value is None:
            return None
        try:
            amount = Decimal(str(value))
        except InvalidOperation:
            amount = Decimal("NaN")
        if amount.is_finite():
            return amount
        self.damage.append(f"{name} is not an amount")
        return None

    def flag(self, value: Any, name: str) -> bool | None:
        """0 or 1 as a truth value."""
        number = self.integer(value, name)
        return None if number is None else bool(number)

    def json(self, value: Any, name: str, otherwise: Any) -> Any:
        """Parsed JSON; `otherwise` when it does not parse."""
        text = self.text(value, name)
        try:
            return json.loads(text or "")
        except (ValueError, RecursionError):
            self.damage.append(f"{name} is not valid JSON")
            return otherwise

    def content(self, value: Any) -> Any:
        """Message content: a string, or what stands behind the JSON prefix; numbers stay numbers."""
        if isinstance(value, int | float):
            return value
        text = self.text(value, "content")
        if text is None or not text.startswith(JSON_PREFIX):
            return text
        return self.json(text[len(JSON_PREFIX) :], "content", text)


def spoken(text: str) -> str:
    """What Hermes loads of a user's or assistant's text: recalled-memory blocks taken out, ends trimmed."""
    if "memory" in text.lower():
        for pattern in (_MEMORY_BLOCK, _MEMORY_NOTE, _MEMORY_TAG):
            text = pattern.sub("", text)
    return text.strip()
