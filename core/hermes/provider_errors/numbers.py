"""The numbers each release reads out of an error's text: a window, a room for output, a refused cap."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from core.support.yaml_tables import shared_table, within

_TABLE = "core/hermes/provider_errors/numbers.yaml"


def parsed_limit(text: str, release: str) -> int | None:
    """The number a release takes for the model's window, in tokens; None where it finds none.

    Args:
        text: `str(exception)`.
        release: `0.13` ... `0.22`.
    """
    text, rules = text.lower(), shared_table(_TABLE)["window"]
    refusal = rules["not_window"]
    if (
        within(release, refusal)
        and refusal["lacks"] not in text
        and any(sign in text for sign in refusal["says"])
    ):
        return None
    for rule in _of(release, rules["patterns"]):
        found = re.search(rule["find"], text)
        if found and rules["least"] <= int(found[1]) <= rules["most"]:
            return int(found[1])
    return None


def parsed_available(text: str, release: str) -> int | None:
    """The tokens a release believes are left for output; None where it finds no such number."""
    text, table = text.lower(), shared_table(_TABLE)
    if not _says(text, _of(release, table["signs"])):
        return None
    rooms = (_room(rule, text) for rule in _of(release, table["room"]))
    return next((room for room in rooms if room is not None and room >= 1), None)


def is_output_cap(text: str, release: str) -> bool | None:
    """Whether a release takes a text for a refused output cap; None for one that asks no such thing."""
    text, rules = text.lower(), shared_table(_TABLE)["output_cap"]
    if not within(release, rules):
        return None
    splits = rules["splits"]
    if within(release, splits) and (_difference(splits, text) or 0) >= 1:
        return True
    if not (_says(text, _of(release, rules["names"])) and _says(text, _of(release, rules["signs"]))):
        return False
    return not any(sign in text for sign in rules["input"]) and not _is_full(rules["full"], text, release)


def _is_full(rule: Mapping[str, Any], text: str, release: str) -> bool:
    """The input alone fills the window, by both numbers in the text."""
    window, used = re.search(rule["window"], text), re.search(rule["input"], text)
    return within(release, rule) and bool(window and used) and int(used[1]) >= int(window[1])  # type: ignore[index]


def _of(release: str, rules: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [rule for rule in rules if within(release, rule)]


def _says(text: str, groups: Iterable[Mapping[str, Any]]) -> bool:
    return any(all(part in text for part in group["says"]) for group in groups)


def _room(rule: Mapping[str, Any], text: str) -> int | None:
    """What one way gives: the number found, or the window less what the input takes."""
    if "find" in rule:
        found = re.search(rule["find"], text)
        return int(found[1]) if found else None
    if "halves" not in rule:
        return _difference(rule, text)
    left, asked = _difference(rule, text), re.search(rule["halves"], text)
    if left is None or asked is None or rule["says"] not in text or left < int(asked[1]) - 1:
        return None
    return max(1, int(asked[1]) // 2)


def _difference(rule: Mapping[str, Any], text: str) -> int | None:
    window = re.search(rule["window"], text)
    parts = [re.search(pattern, text) for pattern in rule["less"]]
    if window is None or any(part is None for part in parts):
        return None
    per_token = int(rule.get("characters", 1))
    used = sum(-(-int(part[1]) // per_token) for part in parts if part)
    return int(window[1]) - used
