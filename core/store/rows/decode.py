"""Values as Hermes stores them, made usable; what cannot be is noted, never raised."""

from __future__ import annotations

import json
import re
import sqlite3
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from core.store.database.connect import BrokenText

JSON_PREFIX = "\x00json:"
"""Lists and dicts are stored as this prefix and their JSON."""

MOST_MONEY = 10**15
"""US dollars beyond which a stored amount is damage; sums of what was spent leave out the same ones."""

_DEEPEST, _LONG = 200, 1_000_000
"""Levels of JSON that are still walked: Python parses deeper ones. In longer texts nobody looks for them."""

_MEMORY_BLOCK = re.compile(r"<\s*memory-context\s*>.*?</\s*memory-context\s*>", re.IGNORECASE | re.DOTALL)
_MEMORY_NOTE = re.compile(
    r"\[System note:\s*The following is recalled memory context,\s*NOT new user input\.\s*"
    r"Treat as (?:informational background data|authoritative reference data[^\]]*)\.\]\s*",
    re.IGNORECASE,
)
_MEMORY_TAG = re.compile(r"</?\s*memory-context\s*>", re.IGNORECASE)


def moment(value: Any) -> datetime | None:
    """Epoch seconds as an aware UTC time; None for no number, and where the calendar ends."""
    if not isinstance(value, int | float):
        return None
    try:
        found = datetime.fromtimestamp(value, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return found if MINYEAR < found.year < MAXYEAR else None


class Cells:
    """The values of one row by column, decoded; remembers what was wrong with them.

    Attributes:
        damage: One phrase for each value that could not be taken as it should be.
    """

    __slots__ = ("_row", "damage")

    def __init__(self, row: sqlite3.Row) -> None:
        self._row = row
        self.damage: list[str] = []

    def __getitem__(self, column: str) -> Any:
        return self._row[column]

    def text(self, column: str) -> str | None:
        """Text, or None for NULL."""
        value = self._row[column]
        if value is None:
            return None
        if isinstance(value, str):
            if isinstance(value, BrokenText):
                self.damage.append(f"{column} is not UTF-8")
            return value
        if isinstance(value, bytes):
            self.damage.append(f"{column} is stored as bytes")
            return value.decode(errors="replace")
        return str(value)

    def scalar(self, column: str) -> Any:
        """A number or text as it is stored, whichever it is; bytes as text."""
        value = self._row[column]
        return self.text(column) if isinstance(value, bytes) else value

    def integer(self, column: str) -> int | None:
        """A whole number, or None when there is none."""
        value = self._row[column]
        if isinstance(value, int) or value is None:
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
        self.damage.append(f"{column} is not a whole number")
        return None

    def time(self, column: str) -> datetime | None:
        """Epoch seconds as an aware UTC time."""
        value = self._row[column]
        if value is None:
            return None
        found = moment(value)
        if found is None:
            self.damage.append(f"{column} is not a time")
        return found

    def money(self, column: str) -> Decimal | None:
        """US dollars, exactly as the stored number prints."""
        value = self._row[column]
        if value is None:
            return None
        try:
            amount = Decimal(str(value))
        except InvalidOperation:
            amount = Decimal("NaN")
        if amount.is_finite() and abs(amount) <= MOST_MONEY:
            return amount
        self.damage.append(f"{column} is not an amount")
        return None

    def json(self, column: str, otherwise: Any) -> Any:
        """Parsed JSON; `otherwise` when it does not parse."""
        return self._parsed(self.text(column) or "", column, otherwise)

    def content(self, column: str = "content") -> Any:
        """Message content: a string, or what stands behind the JSON prefix; numbers stay numbers."""
        value = self._row[column]
        if isinstance(value, int | float):
            return value
        text = self.text(column)
        if text is None or not text.startswith(JSON_PREFIX):
            return text
        return self._parsed(text[len(JSON_PREFIX) :], column, text)

    def _parsed(self, text: str, column: str, otherwise: Any) -> Any:
        try:
            found = json.loads(text)
            if text.count("[") + text.count("{") <= _DEEPEST or len(text) > _LONG or _within(found, _DEEPEST):
                return found
        except (ValueError, RecursionError):
            pass
        self.damage.append(f"{column} is not valid JSON")
        return otherwise


def _within(value: Any, levels: int) -> bool:
    """Whether lists and mappings stand so deep in one another, and no deeper."""
    if not isinstance(value, dict | list):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_within(part, levels - 1) for part in parts)


def spoken(text: str) -> str:
    """What Hermes loads of a user's or assistant's text: recalled-memory blocks taken out, ends trimmed."""
    if "memory" in text.lower():
        for pattern in (_MEMORY_BLOCK, _MEMORY_NOTE, _MEMORY_TAG):
            text = pattern.sub("", text)
    return text.strip()
