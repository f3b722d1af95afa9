"""How much each fact of a middle matters to someone who continues the work.

A fact weighs 0 to 1. What a person asked, forbade or left open weighs most; then ids, amounts, dates, names
and paths, depending on who says them: a person, an answer, the arguments of a call that changes something,
prose. Independent witnesses combine as 1 - (1 - a)(1 - b)...; each further message adds a little. What only
tool output says, and figures nobody mentioned, are noise: counted separately, not weighed. Where people and
agents say little, places and ids that calls look at count too, lightly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.compress.facts.collect import (
    ACTED,
    ANSWER,
    ASSISTANT,
    CALLED,
    DOCUMENT,
    MADE,
    RESULT,
    USER,
    WRITTEN,
    Found,
    collect,
    merged,
)
from core.compress.facts.history import Outcome, is_acting, outcomes
from core.compress.facts.lexicon import lexicon
from core.compress.facts.readable import View
from core.compress.facts.sentence_facts import sentence_facts
from core.compress.facts.topic import Topic

CATEGORIES = (
    *("asks", "constraints", "open", "decisions", "state", "errors"),
    *("ids", "paths", "names", "dates", "numbers", "urls", "commands", "hashes"),
)
"""Every category; those whose loss hurts most come first."""

_WITNESS = {USER: 0.6, ANSWER: 0.2, ASSISTANT: 0.2, ACTED: 0.45, CALLED: 0.12, DOCUMENT: 0.2, MADE: 0.4}
_MADE = frozenset(("ids", "urls", "hashes"))
"""Kinds of value that a call gives to what it makes: a commit, a ticket, a merge request."""

_LOOKED_UP = 0.2
"""The weight of an id that a call only looks up."""

_ONLY_WRITTEN = 0.2
"""The weight of a name or a setting that calls write more than once, and nobody mentions."""

_ENOUGH, _ONLY_LOOKED_AT = 120, 0.1
"""With fewer facts in a middle, those that calls look at and nobody mentions count too; and their weight."""

_PLACES = frozenset(("paths", "urls", "ids"))
"""Their kinds: what is looked up again."""

_REPEAT_BONUS, _MAX_REPEAT_BONUS = 0.1, 0.5
_KIND_WEIGHTS = {
    "ids": 0.9,
    "paths": 0.85,
    "dates": 0.85,
    "names": 0.8,
    "numbers": 0.75,
    "urls": 0.8,
    "commands": 0.35,
    "hashes": 0.6,
}
_BARE_WEIGHT = 0.5
"""The same for a version or a number alone that no person mentions."""

_ASIDE = 0.4
"""Worth of a path that is not what the work is about, unless a person names it: a parent of other paths, a
scratch file, a third-party package.
"""

_FEW, _CROWD, _LAST_OF_CROWD = 1, 0.2, 0.3
_FEW_ANYWHERE, _CROWD_ANYWHERE = 4, 0.1
"""How many files of a folder keep their weight, what each further one loses, and the least that is left; how
many of all folders, and what each further one loses."""

_FEW_NAMES, _CROWD_OF_NAMES, _LAST_NAME = 10, 0.03, 0.2
"""The same for names that no person mentions."""

_ARGUMENT = re.compile(r"\$\d")
"""An argument of a shell script, which is far more frequent than an amount of money."""

_BARE = re.compile(r"v?\d+(?:\.\d+)*")
"""A version or a number alone, of which programs print many."""

_TELLING = 4
"""A name with fewer characters may be part of another word."""

_OLDEST = 0.75
"""What a value mentioned only at the beginning is worth beside one mentioned at the end."""

_NOISE_WEIGHT = 0.15
"""Up to this weight a value is noise."""


@dataclass(frozen=True, slots=True)
class WeighedFacts:
    """The facts of a middle, and what was left out.

    Attributes:
        facts: Each with its weight, in order of first appearance.
        noise: How many values of each category only tool output says.
        values: Every value found, including noise, in lower case.
        ended: Every call with its outcome.
    """

    facts: tuple[tuple[Found, float], ...]
    noise: Mapping[str, int]
    values: frozenset[str]
    ended: tuple[Outcome, ...]


def weigh(views: Sequence[View], topic: Topic | None = None) -> WeighedFacts:
    """Every fact of a middle with its weight.

    Args:
        views: The middle, as read.
        topic: If given, facts about it are marked.
    """
    ended = tuple(outcomes(views))
    collected = collect(views, topic, prose=True)
    values = [found for found in collected if found.category in _KIND_WEIGHTS]
    entries = merged(values)
    _mark_used(entries, ended)
    folders = _folders(entries)
    weights = [(entry, _weight_here(entry, folders, views)) for entry in entries]
    passed_over = [entry for entry, weight in weights if not weight]
    kept = [*sentence_facts(views, topic, ended), *(one for one in weights if one[1])]
    kept += _only_written(collected, entries)
    looked_at = _looked_at(passed_over)[: max(0, _ENOUGH - len(kept))]
    noise = Counter(entry.category for entry in passed_over) - Counter(entry.category for entry in looked_at)
    facts = _without_crowds([*kept, *((entry, _ONLY_LOOKED_AT) for entry in looked_at)])
    return WeighedFacts(tuple(facts), dict(noise), frozenset(found.value.lower() for found in values), ended)


def _weight_here(entry: Found, folders: frozenset[str], views: Sequence[View]) -> float:
    """The weight of a value in its middle; 0 for noise."""
    weight = value_weight(entry)
    if entry.category == "paths" and _is_aside(entry, folders):
        weight *= _ASIDE
    return 0.0 if weight <= _NOISE_WEIGHT else round(weight * _recency(entry, views), 3)


def _looked_at(passed_over: Sequence[Found]) -> list[Found]:
    """The places and ids that nobody mentions but calls name; the newest first."""
    named = (one for one in passed_over if one.category in _PLACES and one.speakers & (CALLED | ACTED))
    return sorted(named, key=lambda one: -one.messages[-1])


def _only_written(collected: Sequence[Found], entries: Sequence[Found]) -> Iterator[tuple[Found, float]]:
    """Names and settings that calls write more than once, and nobody mentions."""
    known = {entry.value.lower() for entry in entries}
    for found in collected:
        if found.category == WRITTEN and found.mention_count > 1 and found.value.lower() not in known:
            yield replace(found, category="names"), _ONLY_WRITTEN


def _without_crowds(facts: list[tuple[Found, float]]) -> list[tuple[Found, float]]:
    """Facts, each further file of a folder and each further name worth less: a summary names a few."""
    ranks: Counter[str] = Counter()
    factors: dict[int, float] = {}
    for entry, _ in sorted(facts, key=lambda fact: -fact[1]):
        if entry.category in ("paths", "urls") and not entry.speakers & USER:
            kind = _crowd_of(entry)
            many = max(_CROWD * (ranks[kind] - _FEW + 1), _CROWD_ANYWHERE * (ranks[""] - _FEW_ANYWHERE))
            factors[id(entry)] = max(_LAST_OF_CROWD, min(1.0, 1 - many))
            ranks.update((kind, ""))
        elif entry.category == "names" and not entry.speakers & USER:
            ranks["names"] += 1
            crowd = _CROWD_OF_NAMES * max(0, ranks["names"] - _FEW_NAMES)
            factors[id(entry)] = max(_LAST_NAME, 1 - crowd)
    return [(entry, round(weight * factors.get(id(entry), 1.0), 3)) for entry, weight in facts]


def _crowd_of(entry: Found) -> str:
    """The folder of a file with its ending, or the host of an address: of its crowd a summary names a few."""
    if entry.category == "urls":
        return entry.value.split("://", 1)[-1].partition("/")[0]
    folder, _, name = entry.value.rpartition("/")
    return f"{folder}/*.{name.rpartition('.')[2]}"


def _mark_used(entries: Sequence[Found], ended: Sequence[Outcome]) -> None:
    """Add to names that somebody mentions that a call which changes something uses them too."""
    used = "\n".join(one.call.strings for one in ended if is_acting(one.call))
    for entry in entries:
        if entry.category == "names" and len(entry.value) >= _TELLING and entry.value in used:
            entry.speakers |= ACTED


def _recency(entry: Found, views: Sequence[View]) -> float:
    """`_OLDEST` to 1: the later a value is mentioned, the likelier what follows needs it."""
    first, last = views[0].index, views[-1].index
    return _OLDEST + (1 - _OLDEST) * (entry.messages[-1] - first) / max(1, last - first)


def _is_aside(entry: Found, folders: frozenset[str]) -> bool:
    if entry.speakers & USER:
        return False
    scratch = not entry.speakers & ANSWER and lexicon().passing.search(entry.value)
    return bool(scratch) or _is_enumeration(entry) or entry.value.rstrip("/") in folders


def _is_enumeration(entry: Found) -> bool:
    """Whether slashes only separate words: no call and no result has `add/commit/push`, or all are names."""
    named = lexicon().file_name.search(entry.value) or not entry.value[:1].isalpha()
    listed = all(part[:1].isupper() for part in entry.value.split("/"))
    return not named and (listed or not entry.speakers & (ACTED | CALLED | RESULT))


def _folders(entries: Sequence[Found]) -> frozenset[str]:
    """Every path that is a parent of another path."""
    paths = (entry.value.rstrip("/") for entry in entries if entry.category == "paths")
    return frozenset(path[:at] for path in paths for at, letter in enumerate(path) if letter == "/" and at)


def value_weight(entry: Found) -> float:
    """The weight of a value, by who says it and how often; 0 when only a tool does."""
    made = entry.category in _MADE and not _BARE.fullmatch(entry.value)
    speakers = entry.speakers if made else entry.speakers & ~MADE
    if not speakers & ~RESULT or (_is_dull(entry) and not speakers & USER):
        return 0.0
    doubt = 1.0
    for witness, strength in _WITNESS.items():
        if speakers & witness:
            looked_up = witness == CALLED and entry.category == "ids"
            doubt *= 1 - (_LOOKED_UP if looked_up else strength)
    again = min(_MAX_REPEAT_BONUS, _REPEAT_BONUS * max(0, entry.mention_count - 1))
    bare = entry.category == "ids" and not speakers & USER and _BARE.fullmatch(entry.value) is not None
    return round(min(1.0, (1 - doubt) + again) * (_BARE_WEIGHT if bare else _KIND_WEIGHTS[entry.category]), 3)


def _is_dull(entry: Found) -> bool:
    """Whether a value of this kind tells little unless a person mentions it."""
    if entry.category == "hashes":
        return not entry.speakers & (ACTED | ASSISTANT | MADE)
    if entry.category == "ids" and _BARE.fullmatch(entry.value):
        return not entry.speakers & (ASSISTANT | ACTED | CALLED)
    if entry.category != "numbers":
        return False
    if not entry.speakers & ~(ACTED | RESULT) or _ARGUMENT.fullmatch(entry.value):
        return True
    unit = entry.value.lstrip("0123456789.,").strip()
    return unit in lexicon().dull_units or unit.lower() in lexicon().dull_units
