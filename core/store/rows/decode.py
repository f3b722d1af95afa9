"""Decodes stored values, or their beginnings; what cannot be decoded is noted, never raised."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from core.hermes.markers.markers import PREFILTERS, find_summary, typed
from core.model.transcript.session import NAME_CHARS
from core.redact.known_values import KNOWN
from core.redact.quick_check import masked_start
from core.store.database.connect import BrokenText
from core.store.database.open_database import Schema

HOLDS_SUMMARY = " OR ".join("instr(content, ?) > 0" for _ in PREFILTERS)
"""SQL for content that may hold a summary; takes `PREFILTERS` as parameters."""

JSON_PREFIX = "\x00json:"
"""Lists and dicts are stored as this prefix and their JSON."""

MAX_MONEY = 10**15
"""A stored amount above this many US dollars is damage; sums of spending ignore the same ones."""

_MAX_DEPTH, _MAX_CHECKED = 200, 1_000_000
"""The deepest JSON accepted (Python parses much deeper); texts longer than `_MAX_CHECKED` are not checked."""

_MEMORY_BLOCK = re.compile(r"<\s*memory-context\s*>.*?</\s*memory-context\s*>", re.IGNORECASE | re.DOTALL)
_MEMORY_NOTE = re.compile(
    r"\[System note:\s*The following is recalled memory context,\s*NOT new user input\.\s*"
    r"Treat as (?:informational background data|authoritative reference data[^\]]*)\.\]\s*",
    re.IGNORECASE,
)
_MEMORY_TAG = re.compile(r"</?\s*memory-context\s*>", re.IGNORECASE)
_NAME = re.compile(r'"function"\s*:\s*\{\s*"name"\s*:\s*"((?:[^"\\]|\\.)*)"')
_TEXT = re.compile(r'"text"\s*:\s*"((?:[^"\\]|\\.)*)')
_JSON_SLACK = 4
"""Stored characters read for each shown character, as an encoded list needs more than plain text."""

_READ_AFTER = 1_000
"""Characters read beyond those shown, as a credential cut in half is not recognised."""

_AROUND = 100_000
"""Characters read of a message that begins like one to which Hermes added a note or a skill."""

_LOOKED_AT = 3
"""How many user messages are checked for one that is not a summary, with which a continuation begins."""


def moment(value: Any) -> datetime | None:
    """Epoch seconds as an aware UTC time; None for other values, and outside the calendar."""
    if not isinstance(value, int | float):
        return None
    try:
        found = datetime.fromtimestamp(value, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return found if MINYEAR < found.year < MAXYEAR else None


class Cells:
    """The decoded values of one row by column, with a record of what was wrong.

    Attributes:
        damage: One phrase for each value that could not be decoded properly.
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
        """A number or text as stored; bytes as text."""
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
        if amount.is_finite() and abs(amount) <= MAX_MONEY:
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
            if (
                text.count("[") + text.count("{") <= _MAX_DEPTH
                or len(text) > _MAX_CHECKED
                or _within(found, _MAX_DEPTH)
            ):
                return found
        except (ValueError, RecursionError):
            pass
        self.damage.append(f"{column} is not valid JSON")
        return otherwise


def _within(value: Any, levels: int) -> bool:
    """Whether lists and mappings are nested at most so many levels deep."""
    if not isinstance(value, dict | list):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_within(part, levels - 1) for part in parts)


def is_plain(content: object) -> bool:
    """Whether a stored content is its own text: no encoded list, number or bytes."""
    return type(content) is str and not content.startswith(JSON_PREFIX)


def loaded_text(text: str) -> str:
    """What Hermes loads of a user's or assistant's text: without recalled-memory blocks, and trimmed."""
    if "memory" in text.lower():
        for pattern in (_MEMORY_BLOCK, _MEMORY_NOTE, _MEMORY_TAG):
            text = pattern.sub("", text)
    return text.strip()


def start_of_content(chars: int) -> str:
    """SQL for enough bytes of a message's content to show `chars` characters of it."""
    # `substr` of text stops at a NUL, which is how encoded lists begin: cut bytes.
    most = (chars + _READ_AFTER) * _JSON_SLACK + len(JSON_PREFIX)
    return f"CAST(substr(CAST(content AS BLOB), 1, {most}) AS BLOB)"


def shown_start(start: bytes, chars: int) -> str:
    """The first characters of a content, masked before they are cut; `start` is what SQL read of it."""
    return _masked(_decoded(start), chars)


def _decoded(start: bytes) -> str:
    text = start.decode(errors="ignore")
    return encoded_text(text[len(JSON_PREFIX) :]) if text.startswith(JSON_PREFIX) else text


def _masked(text: str, chars: int) -> str:
    return text[:chars] if KNOWN.is_clean(text) else masked_start(text, chars)


def call_names(calls: str) -> list[str]:
    """Names of the tools called, even if the JSON was cut short."""
    return [_unquote(found[1]) for found in _NAME.finditer(calls)]


def encoded_text(json_text: str) -> str:
    """The text parts of an encoded list, even if it was cut short."""
    return "\n".join(_unquote(found[1]) for found in _TEXT.finditer(json_text))


def _unquote(inside: str) -> str:
    try:
        return str(json.loads(f'"{inside}"'))
    except ValueError:
        return inside


def read_first_words(
    connection: sqlite3.Connection, schema: Schema, session_ids: Iterable[str], chars: int = NAME_CHARS
) -> dict[str, str]:
    """The first `chars` characters each of these users typed, on one line; sessions without any are left out.

    Costs a step into an index and one row a session, whatever the session's length.
    """
    order = "timestamp, id" if schema.has("messages", "timestamp") else "id"
    whole = f"CAST(substr(content, 1, {_AROUND}) AS BLOB)"
    query = (
        f"SELECT CASE substr(content, 1, 1) WHEN '[' THEN {whole} "  # noqa: S608 - names of this room
        f"ELSE {start_of_content(chars)} END AS start FROM messages "
        f"WHERE session_id = ? AND role = 'user' ORDER BY {order} LIMIT {_LOOKED_AT}"
    )
    found: dict[str, str] = {}
    for one in session_ids:
        starts = (row["start"] for row in connection.execute(query, (one,)).fetchall())
        texts = (_masked(typed(_decoded(start or b"")), chars) for start in starts)
        words = next(
            (" ".join(text.split()) for text in texts if text.strip() and not find_summary(text)), ""
        )
        if words:
            found[one] = words
    return found
