"""One line of a set of trajectories: read, and written again with everything else as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.trajectory.entries.forms import BadEntry, Form, Region, Turn, form_of, read_turns
from core.trajectory.entries.spans import Span, elements, members, skip_blank, written

KEYS = ("conversations", "messages", "trajectory")
"""Where the turns of an entry stand; the first that is there."""

METRICS = "compression_metrics"
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line as it stands in its file, and its turns.

    Attributes:
        text: The line, its end included.
        key: Where the turns stand; None for an entry without.
        wire: The turns as they are spelt.
    """

    text: str
    key: str | None
    form: Form
    wire: Sequence[Any]
    turns: Sequence[Turn]


def read_entry(line: bytes) -> Entry:
    """The entry of a line.

    Raises:
        BadEntry: It is not UTF-8, no JSON, no object, or its turns are of another kind.
    """
    try:
        text = line.decode("utf-8")
        value = json.loads(text[1:] if text.startswith(_MARK) else text)
    except UnicodeDecodeError as error:
        raise BadEntry(f"not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise BadEntry(f"no JSON: {error.msg} at column {error.colno}") from None
    except ValueError:
        raise BadEntry("no JSON: a number of thousands of digits") from None
    except RecursionError:
        raise BadEntry("nested too deeply") from None
    if not isinstance(value, dict):
        raise BadEntry("no JSON object")
    key = next((key for key in KEYS if key in value), None)
    wire = [] if key is None else _listed(value[key], key)
    form = form_of(wire)
    return Entry(text, key, form, wire, read_turns(wire, form))


def rewritten(
    entry: Entry, region: Region, summary: str, notice: str, metrics: Mapping[str, Any] | None
) -> str:
    """The line with a summary in place of a region, character by character what it was everywhere else.

    Args:
        entry: As it was read.
        region: The turns to replace.
        summary: The text of the summary turn.
        notice: Added to the system turns in front of it; "" adds nothing.
        metrics: What to attach; None attaches nothing.

    Raises:
        BadEntry: A system turn holds no text the notice could be added to.
    """
    assert entry.key is not None
    text = entry.text
    start = skip_blank(text, len(_MARK) if text.startswith(_MARK) else 0)
    found = members(text, start)
    place = found[entry.key]
    inner = isinstance(place.value, str)
    listed = place.value if inner else text[place.start : place.end]
    changed = _list(listed, entry, region, summary, notice)
    edits = [(place.start, place.end, written(changed) if inner else changed)]
    if metrics is not None:
        edits.append(_attached(text, found, metrics))
    return _edited(text, edits)


def _listed(value: Any, key: str) -> Sequence[Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise BadEntry(f"`{key}` is a text that holds no JSON") from None
    if not isinstance(value, list):
        raise BadEntry(f"`{key}` is no list")
    return value


def _list(text: str, entry: Entry, region: Region, summary: str, notice: str) -> str:
    spans = list(elements(text, skip_blank(text, 0)))
    head = [_noted(text, span, index, entry, notice) for index, span in enumerate(spans[: region.start])]
    tail = [text[span.start : span.end] for span in spans[region.end :]]
    return f"[{', '.join([*head, written(entry.form.summary(summary)), *tail])}]"


def _noted(text: str, span: Span, index: int, entry: Entry, notice: str) -> str:
    """A turn of the head; a system turn with the notice."""
    raw = text[span.start : span.end]
    if not notice or entry.turns[index].role != "system":
        return raw
    found = members(raw, 0)
    place = found.get(entry.form.text_key(found))
    if place is None or not isinstance(place.value, str | list):
        raise BadEntry(f"turn {index}: no text to add the notice to")
    value = place.value
    value = value + notice if isinstance(value, str) else [*value, {"type": "text", "text": notice.strip()}]
    return _edited(raw, [(place.start, place.end, written(value))])


def _attached(text: str, found: Mapping[str, Span], metrics: Mapping[str, Any]) -> tuple[int, int, str]:
    if METRICS in found:
        place = found[METRICS]
        return place.start, place.end, written(metrics)
    end = max(span.end for span in found.values())
    return end, end, f", {written(METRICS)}: {written(metrics)}"


def _edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = f"{text[:start]}{new}{text[end:]}"
    return text
