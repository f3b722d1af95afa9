"""One line of a set of trajectories: read, and written again with everything else as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.trajectory.entries.forms import BadEntry, Form, Region, Turn, form_of, read_turns
from core.trajectory.entries.spans import Object, Span, read_list, read_object, skip_blank, written

KEYS = ("conversations", "messages", "trajectory")
"""Where the turns of an entry stand; the first that is there."""

METRICS = "compression_metrics"
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line as it stands in its file, and its turns.

    Attributes:
        text: The line, its end included.
        parts: Where its members stand.
        key: Where the turns stand; None for an entry without.
        listed: The text of the list of turns: the line itself, or the text it holds them in.
        spans: Where each turn stands in that.
        turns: What the turns say.
    """

    text: str
    parts: Object
    key: str | None
    listed: str
    spans: Sequence[Span]
    form: Form
    turns: Sequence[Turn]


def read_entry(line: bytes) -> Entry:
    """The entry of a line.

    Raises:
        BadEntry: It is not UTF-8, no JSON, no object, or its turns are of another kind.
    """
    try:
        text = line.decode("utf-8")
        parts = read_object(text, len(_MARK) if text.startswith(_MARK) else 0, KEYS)
    except UnicodeDecodeError as error:
        raise BadEntry(f"not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise BadEntry(f"no JSON: {error.msg} at column {error.colno}") from None
    except TypeError:
        raise BadEntry("no JSON object") from None
    except ValueError:
        raise BadEntry("no JSON: a number of thousands of digits") from None
    except RecursionError:
        raise BadEntry("nested too deeply") from None
    key = next((key for key in KEYS if key in parts.members), None)
    listed, spans = (text, ()) if key is None else _listed(text, parts, key)
    wire = [span.value for span in spans]
    form = form_of(wire)
    return Entry(text, parts, key, listed, spans, form, read_turns(wire, form))


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
    place = entry.parts.members[entry.key]
    changed = _list(entry, region, summary, notice)
    edits = [(place.start, place.end, written(changed) if isinstance(place.value, str) else changed)]
    if metrics is not None:
        edits.append(_attached(entry.parts.members, metrics))
    return _edited(entry.text, edits)


def _listed(text: str, parts: Object, key: str) -> tuple[str, Sequence[Span]]:
    """The text the list of turns stands in, and its elements."""
    if key in parts.elements:
        return text, parts.elements[key]
    value = parts.members[key].value
    if not isinstance(value, str):
        raise BadEntry(f"`{key}` is no list")
    start = skip_blank(value, 0)
    try:
        if value[start : start + 1] != "[":
            json.loads(value)
            raise BadEntry(f"`{key}` is no list")
        spans, end = read_list(value, start)
    except (json.JSONDecodeError, RecursionError):
        raise BadEntry(f"`{key}` is a text that holds no JSON") from None
    if value[end:].strip():
        raise BadEntry(f"`{key}` is a text that holds no JSON")
    return value, spans


def _list(entry: Entry, region: Region, summary: str, notice: str) -> str:
    text, spans = entry.listed, entry.spans
    head = [_noted(entry, index, notice) for index in range(region.start)]
    tail = [text[span.start : span.end] for span in spans[region.end :]]
    return f"[{', '.join([*head, written(entry.form.summary(summary)), *tail])}]"


def _noted(entry: Entry, index: int, notice: str) -> str:
    """A turn of the head; a system turn with the notice."""
    span = entry.spans[index]
    raw = entry.listed[span.start : span.end]
    if not notice or entry.turns[index].role != "system":
        return raw
    found = read_object(raw).members
    place = found.get(entry.form.text_key(found))
    if place is None or not isinstance(place.value, str | list):
        raise BadEntry(f"turn {index}: no text to add the notice to")
    value = place.value
    value = value + notice if isinstance(value, str) else [*value, {"type": "text", "text": notice.strip()}]
    return _edited(raw, [(place.start, place.end, written(value))])


def _attached(found: Mapping[str, Span], metrics: Mapping[str, Any]) -> tuple[int, int, str]:
    if METRICS in found:
        place = found[METRICS]
        return place.start, place.end, written(metrics)
    end = max(span.end for span in found.values())
    return end, end, f", {written(METRICS)}: {written(metrics)}"


def _edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = f"{text[:start]}{new}{text[end:]}"
    return text
