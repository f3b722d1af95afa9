"""Reads a line of a set of trajectories, and writes it back with everything else unchanged."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from core.model.compaction.plan import Span
from core.trajectory.entries.forms import BadEntry, Form, Turn, form_of, read_turns
from core.trajectory.entries.spans import MARK, Place, elements, members, written

KEYS = ("conversations", "messages", "trajectory")
"""Keys that may hold an entry's turns; the first present one counts."""

METRICS = "compression_metrics"
_quick = msgspec.json.Decoder()


@dataclass(frozen=True, slots=True)
class Entry:
    """A line as in its file, and its turns.

    Attributes:
        line: Its bytes, including the line end.
        key: The key that holds the turns; None for an entry without turns.
        text: The text that encodes the list of turns; None if the line itself has the list.
        turns: The parsed turns.
    """

    line: bytes
    key: str | None
    text: str | None
    form: Form
    turns: Sequence[Turn]


def read_entry(line: bytes) -> Entry:
    """Parse a line as an entry.

    Raises:
        BadEntry: It is not UTF-8, JSON or an object, or its turns have another type.
    """
    found = _object(line)
    key = next((key for key in KEYS if key in found), None)
    value = [] if key is None else found[key]
    text = value if isinstance(value, str) else None
    turns = value if text is None else _within(text, key)
    if not isinstance(turns, list):
        raise BadEntry(f"`{key}` is not a list")
    form = form_of(turns)
    return Entry(line, key, text, form, read_turns(turns, form))


def rewritten(
    entry: Entry, region: Span, summary: str, notice: str, metrics: Mapping[str, Any] | None
) -> bytes:
    """The line with a summary in place of a region, byte for byte unchanged everywhere else.

    The notice is added to the system turns before the summary.

    Raises:
        BadEntry: A system turn has no text that the notice could be added to.
    """
    assert entry.key is not None
    found = members(entry.line)
    place = found[entry.key]
    if entry.text is None:
        edits = _cut(entry, entry.line, elements(entry.line, place, region.end), region, summary, notice)
    else:
        told = entry.text.encode("utf-8", "surrogatepass")
        inside = _cut(entry, told, elements(told, (0, len(told)), region.end), region, summary, notice)
        edits = [(*place, _bytes(_edited(told, inside).decode("utf-8", "surrogatepass")))]
    if metrics is not None:
        edits.append(_attached(found, metrics))
    return _edited(entry.line, edits)


def _object(line: bytes) -> Mapping[str, Any]:
    """The members of a line; if the fast reader refuses it, the standard one tells why."""
    try:
        found = _quick.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = _odd(line)
    if not isinstance(found, dict):
        raise BadEntry("not a JSON object")
    return found


def _odd(line: bytes) -> Any:
    try:
        return json.loads(line.decode().removeprefix(MARK))
    except UnicodeDecodeError as error:
        raise BadEntry(f"not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise BadEntry(f"not JSON: {error.msg} at column {error.colno}") from None
    except ValueError:
        raise BadEntry("not JSON: a number of thousands of digits") from None
    except RecursionError:
        raise BadEntry("nested too deeply") from None


def _within(text: str, key: str | None) -> Any:
    """The list encoded in a text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadEntry(f"`{key}` is a text that holds no JSON") from None


def _cut(
    entry: Entry, data: bytes, turns: Sequence[Place], region: Span, summary: str, notice: str
) -> list[tuple[int, int, bytes]]:
    """The edits that put the summary over the region, and the notice into the system turns before it."""
    edits = [(turns[region.start][0], turns[region.end - 1][1], _bytes(entry.form.summary(summary)))]
    for index in range(region.start):
        if notice and entry.turns[index].role == "system":
            start, end = turns[index]
            edits.append((start, end, _noted(entry, data[start:end], index, notice)))
    return edits


def _noted(entry: Entry, raw: bytes, index: int, notice: str) -> bytes:
    """A system turn with the notice added at the end of its text or list of parts."""
    turn = members(raw)
    start, end = turn.get(entry.form.text_key(turn), (0, 0))
    last = raw[end - 1 : end] if start else b""
    if last == b'"':
        new = _bytes(notice)[1:-1]
    elif last == b"]":
        empty = not raw[start + 1 : end - 1].strip()
        new = (b"" if empty else b", ") + _bytes({"type": "text", "text": notice.strip()})
    else:
        raise BadEntry(f"turn {index}: no text to add the notice to")
    return _edited(raw, [(end - 1, end - 1, new)])


def _attached(found: Mapping[str, Place], metrics: Mapping[str, Any]) -> tuple[int, int, bytes]:
    if METRICS in found:
        return (*found[METRICS], _bytes(metrics))
    end = max(stop for _, stop in found.values())
    return end, end, b", %b: %b" % (_bytes(METRICS), _bytes(metrics))


def _bytes(value: Any) -> bytes:
    return written(value).encode()


def _edited(data: bytes, edits: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Bytes with some ranges replaced."""
    pieces, at = [], 0
    for start, end, new in sorted(edits):
        pieces += [data[at:start], new]
        at = end
    return b"".join([*pieces, data[at:]])
