"""Our own reading of a provider error: what it really means, and the limit and room it states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any

from core.hermes.provider_errors.failure import ProviderFailure, count, error_object
from core.model.transcript.message import json_object
from core.support.program_files import shared_table

_TABLE = "core/hermes/provider_errors/meaning.yaml"
_CHARACTERS_PER_TOKEN = 3
_STATUS = re.compile(
    r"^([45]\d\d)\b|\b(?:api error|http|status(?: code)?|error code|failed)[: (]{1,3}([45]\d\d)\b"
)


_STATUSES = {status.value for status in HTTPStatus if status >= 400} | {529}
_COUNT = re.compile(r"(?<![\d.-])\d{3,8}(?![\d.]*\d)")


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a provider error.

    Attributes:
        kind: `input_overflow`, `output_cap`, `billing`, ... (contracts: `explain-error`).
        limit: The window the text states, in tokens; None if it states none.
        available: Output tokens that would fit, as stated or as the difference of stated numbers.
        used: Input tokens the text states.
        asked: Output tokens that were requested, as the text states.
        why: A clause that says what is wrong.
    """

    kind: str
    limit: int | None
    available: int | None
    used: int | None
    asked: int | None
    why: str


def meaning_of(failure: ProviderFailure) -> Meaning:
    """What a failure means, whatever Hermes takes it for."""
    text = readable(failure)
    for reading in shared_table(_TABLE)["readings"]:
        found = _found(reading, text, failure)
        if found is not None:
            return _meaning_of(reading, found, text)
    raise AssertionError("the last reading fits everything")


def readable(failure: ProviderFailure) -> str:
    """All of a failure's texts as one: lower case, no thousands separators, bodies flattened."""
    parts = [failure.text, *_texts(failure.body)]
    for nested in (error_object(failure.body).get("message"), (failure.body or {}).get("message")):
        parts += list(_texts(json_object(nested)))
    text = " | ".join(dict.fromkeys(part for part in map(_plain, parts) if part))
    return re.sub(r"(?<=\d)[,_](?=\d{3}(?!\d))", "", text)


def _plain(part: str) -> str:
    """Lower case, single spaces, escapes decoded, names of the output limit spelt one way."""
    part = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), part.lower())
    part = re.sub(r"(\s|\\n)+", " ", part.replace('\\"', '"').replace("’", "'")).strip()
    return re.sub(r"\bmax(output|completion|new)?tokens\b", _spelt_out, part)


def _spelt_out(found: re.Match[str]) -> str:
    return "_".join(part for part in ("max", found[1], "tokens") if part)


def _texts(value: Any, name: str = "") -> Iterator[str]:
    """The texts and numbers of a body, each number with its name."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _texts(entry, str(key))
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry, name)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield f"{name}: {value}"


def _found(reading: Mapping[str, Any], text: str, failure: ProviderFailure) -> dict[str, int] | None:
    """The numbers of a reading if it matches; else None."""
    if "status" in reading and not _has_status(reading["status"], failure.status or _stated_status(text)):
        return None
    if "provider" in reading and failure.provider.lower() not in reading["provider"]:
        return None
    if any(re.search(pattern, text) for pattern in _patterns(tuple(reading.get("without", ())))):
        return None
    if "parts" in reading:
        return _parts(reading["parts"], text)
    if "find" not in reading:
        return {}
    for pattern in _patterns(tuple(reading["find"])):
        found = pattern.search(text)
        if found:
            return {name: count(value) for name, value in found.groupdict().items() if value is not None}
    return None


def _parts(names: list[str], text: str) -> dict[str, int] | None:
    """Numbers identified by the words beside them; None unless all occur and their sum exceeds the limit."""
    known = shared_table(_TABLE)["parts"]
    found: dict[str, int] = {}
    for name in names:
        hits = (pattern.search(text) for pattern in _patterns(tuple(known[name])))
        hit = next((hit for hit in hits if hit), None)
        if hit is None:
            return None
        found[name] = count(hit[1])
    return found if found["input"] + found.get("output", 0) > found["limit"] > 0 else None


def _stated_status(text: str) -> int | None:
    """The HTTP status a text states before a message; None if it states none."""
    found = _STATUS.search(text)
    return int(found[1] or found[2]) if found else None


def _has_status(statuses: list[Any], status: int | None) -> bool:
    return status is not None and (status in statuses or f"{status // 100}xx" in statuses)


@cache
def _patterns(sources: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(re.sub(r"(?<![A-Za-z\\])N(?![A-Za-z])", r"(?<!\\d)\\d+(?!\\d)", source))
        for source in sources
    )


def _meaning_of(reading: Mapping[str, Any], numbers: dict[str, int], text: str) -> Meaning:
    """The meaning of a matching reading with its numbers."""
    limit = None if reading.get("no_limit") else numbers.get("limit", reading.get("limit"))
    used = _used(numbers)
    available = numbers.get("cap") or (numbers["past"] - 1 if "past" in numbers else None)
    kind, why = str(reading["class"]), str(reading["why"])
    if kind == "by_sum":
        kind, available = _by_sum(numbers, used)
        if kind == "input_overflow":
            why = "the conversation alone is longer than the model's window"
    if kind == "input_overflow" and used is None and (limit is not None or reading.get("pair")):
        limit, used = _smaller_first(text) or (limit, used)
    if kind == "input_overflow" and limit is not None and used is not None and used < limit:
        why = "input and output together passed the window; the text states only the input"
    return Meaning(kind, limit, available, used, numbers.get("output"), why)


def _smaller_first(text: str) -> tuple[int, int] | None:
    """The two numbers of a text that can be tokens, if there are just two: the larger one is too long."""
    found = {int(number) for number in _COUNT.findall(text)} - _STATUSES
    return (min(found), max(found)) if len(found) == 2 else None


def _used(numbers: Mapping[str, int]) -> int | None:
    """Input tokens as stated, plus a second part; a number of characters is converted to tokens."""
    if "characters" in numbers:
        return -(-numbers["characters"] // _CHARACTERS_PER_TOKEN)
    return numbers["input"] + numbers.get("input2", 0) if "input" in numbers else None


def _by_sum(numbers: Mapping[str, int], used: int | None) -> tuple[str, int | None]:
    """Whether input or output exceeded the sum, and the room left for output."""
    if used is None:  # "at least": the provider derived the input from the requested output
        return ("input_overflow" if numbers.get("least", 0) >= numbers["limit"] else "output_cap"), None
    left = numbers["limit"] - used
    return ("output_cap", left) if left > 0 else ("input_overflow", None)
