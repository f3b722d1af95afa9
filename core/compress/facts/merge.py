"""Values written in several forms as one fact: a file by its path and by its name, a day, an amount."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from core.compress.facts.collect import ACTED, ASSISTANT, USER, Found
from core.compress.facts.prose import day_of

_FIGURE = re.compile(r"[$€£¥]?(\d[\d,]*(?:\.\d+)?)")


def merged(found: Iterable[Found]) -> list[Found]:
    """The values, those that are one thing in several forms once, under the form that tells most."""
    values = list(found)
    paths = _owners([entry.value for entry in values if entry.category == "paths"], values)
    groups: dict[Hashable, list[Found]] = defaultdict(list)
    for entry in values:
        groups[_identity(entry, paths)].append(entry)
    return [group[0] if len(group) == 1 else _one(group) for group in groups.values()]


def endings(path: str) -> list[str]:
    """A path and what is left of it when leading folders go, longest first."""
    clean = path.replace("\\", "/").split("://", 1)[-1].lstrip("~./").rstrip("/")
    parts = [part for part in clean.split("/") if part]
    return ["/".join(parts[start:]) for start in range(len(parts))]


def _identity(entry: Found, paths: dict[str, str]) -> Hashable:
    if entry.category == "paths":
        return "paths", paths.get(entry.value, entry.value)
    if entry.category == "dates":
        return "dates", day_of(entry.value) or entry.value
    if entry.category == "numbers":
        figure = _FIGURE.fullmatch(entry.value)
        if figure is not None:
            return "numbers", float(figure[1].replace(",", ""))
    return entry.category, entry.value.lower()


def _owners(paths: Sequence[str], values: Sequence[Found]) -> dict[str, str]:
    """For each path the longest one it is an ending of; of several the one that most is done with."""
    rank = {entry.value: _rank(entry) for entry in values if entry.category == "paths"}
    by_ending: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for ending in endings(path)[1:]:
            by_ending[ending].append(path)
    owners: dict[str, str] = {}
    for path in sorted(paths, key=len, reverse=True):
        own = endings(path)
        longer = by_ending.get(own[0], ()) if own and not path.startswith(("/", "~")) else ()
        if longer:
            best = max(longer, key=lambda one: (rank[one], len(one)))
            owners[path] = owners.get(best, best)
    return owners


def _rank(entry: Found) -> tuple[bool, bool, int]:
    return bool(entry.said_by & ACTED), bool(entry.said_by & (ASSISTANT | USER)), len(entry.messages)


def _one(group: Sequence[Found]) -> Found:
    best = max(group, key=lambda entry: (entry.category == "paths" and len(entry.value), _rank(entry)))
    said_by = 0
    for entry in group:
        said_by |= entry.said_by
    return Found(
        best.category,
        best.value,
        sorted({at for entry in group for at in entry.messages}),
        any(entry.in_focus for entry in group),
        said_by,
        told=sum(entry.told for entry in group),
    )
