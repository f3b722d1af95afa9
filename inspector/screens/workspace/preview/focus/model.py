"""Compares several summaries of one middle by section, by topic and by fact. No widget."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias

from core.compress.summarise.answer_check import sections
from core.model.compaction.preview import Fact, Retention
from core.model.finding import NO_HEADLINE, Headline, Severity
from core.preview.words import headline_table

Key: TypeAlias = tuple[str, str]
"""Category and value of a fact; identifies it in every summary."""
LOST = "lost"
COMPARED = 2
"""Most topics that the lab compares."""
_SUBCOMMAND = re.compile(r"[a-z][a-z-]+")
_EVERYDAY = frozenset(
    ("awk", "cat", "cd", "cp", "echo", "export", "find", "grep", "ls", "mkdir", "mv", "rm", "sed")
)
"""Programs that are used whatever the work is about."""


def _program(command: str) -> str:
    """A program with what it was told to do, as `docker history`; "" where that is not a plain word."""
    program, _, rest = command.partition(" ")
    name, told = PurePosixPath(program).name, rest.split(maxsplit=1)[:1]
    named = told and _SUBCOMMAND.fullmatch(told[0]) and name not in _EVERYDAY
    return f"{name} {told[0]}" if named else ""


SUBJECTS: Mapping[str, Callable[[str], str]] = {
    "paths": lambda path: PurePosixPath(path).name,
    "commands": _program,
}
"""Turns a fact of a category into a topic."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of several summaries.

    Attributes:
        texts: The section in each summary; empty if the summary lacks it.
    """

    heading: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FateRow:
    """One fact, and its outcome in each summary.

    Attributes:
        messages: Indexes of the messages that contain it.
        in_focus: One of the compared topics covers it.
        fates: `kept`, `paraphrased`, `lost`, or None without a summary yet.
    """

    category: str
    value: str
    messages: tuple[int, ...]
    fates: tuple[str | None, ...]
    in_focus: bool = False

    @property
    def differs(self) -> bool:
        """Whether the summaries differ about this fact."""
        return len({fate for fate in self.fates if fate is not None}) > 1


def aligned(summaries: Sequence[str]) -> tuple[Section, ...]:
    """Match the sections of all summaries by heading, in order of first appearance."""
    parts = [sections(summary) for summary in summaries]
    headings = dict.fromkeys(heading for part in parts for heading in part)
    return tuple(Section(heading, tuple(part.get(heading, "") for part in parts)) for heading in headings)


def suggest_topics(retention: Retention | None) -> tuple[str, ...]:
    """Suggest two topics: the files or programs most messages are about, with little overlap."""
    about: dict[str, set[int]] = {}
    for fact in retention.facts if retention else ():
        if fact.category in SUBJECTS:
            about.setdefault(SUBJECTS[fact.category](fact.value), set()).update(fact.messages)
    about.pop("", None)
    found: list[str] = []
    covered: set[int] = set()
    while about and len(found) < COMPARED:
        name = max(about, key=lambda one: len(about[one] - covered))
        covered |= about.pop(name)
        found.append(name)
    return tuple(found)


def fates(retentions: Sequence[Retention | None]) -> tuple[FateRow, ...]:
    """Every fact of the middle: first those of the topics, then those the focus decides, then lost ones."""
    found: dict[Key, Fact] = {}
    fate_of: list[dict[Key, str]] = []
    for retention in retentions:
        facts = retention.facts if retention else ()
        fate_of.append({_key(fact): fact.fate for fact in facts})
        found.update((_key(fact), fact) for fact in facts)
    about = frozenset[Key]().union(*(facts_on_topic(retention) for retention in retentions))
    rows = [
        FateRow(*key, found[key].messages, tuple(fate.get(key) for fate in fate_of), key in about)
        for key in found
    ]
    return tuple(sorted(rows, key=lambda row: (not row.in_focus, not row.differs, LOST not in row.fates)))


def facts_on_topic(retention: Retention | None) -> frozenset[Key]:
    """The facts about the topic that a summary was focused on."""
    return frozenset(_key(fact) for fact in retention.facts if fact.in_focus) if retention else frozenset()


def kept_of(retention: Retention, keys: Container[Key]) -> tuple[int, int]:
    """How many of some facts a summary keeps, and how many there are; independent of its own focus."""
    facts = [fact for fact in retention.facts if _key(fact) in keys]
    return sum(fact.fate != LOST for fact in facts), len(facts)


def outcome(topics: Sequence[str], retentions: Sequence[Retention | None]) -> Headline:
    """Which focus gains most for its topic over no focus, and what that costs in other facts.

    The first retention is without a focus; there is no answer until all are made.
    """
    made = [retention for retention in retentions if retention is not None]
    if len(made) <= len(topics):
        return NO_HEADLINE
    plain = made[0]
    gains = []
    for topic, own in zip(topics, made[1:], strict=True):
        about = facts_on_topic(own)
        (kept, of), (without, _) = kept_of(own, about), kept_of(plain, about)
        gains.append((kept - without, topic, f"{kept:,} of {of:,}", f"{without:,}", own))
    gain, topic, kept_words, without_words, own = max(gains, key=lambda one: one[0])
    if gain <= 0:
        return _no_gain(topics, made[1:])
    all_own, all_plain = (sum(fact.fate != LOST for fact in one.facts) for one in (own, plain))
    rest = f"{all_own:,} of all {len(plain.facts):,} facts (no focus: {all_plain:,})"
    sentence = (
        f"Focus “{topic}” keeps {kept_words} facts of its topic (no focus: {without_words}), and {rest}."
    )
    return Headline(sentence, f"/compress {topic}", Severity.INFO if all_own < all_plain else None)


def _no_gain(topics: Sequence[str], retentions: Sequence[Retention]) -> Headline:
    """Why none of the topics is worth naming, and what is."""
    if not any(map(facts_on_topic, retentions)):
        about = " or ".join(f"“{topic}”" for topic in topics)
        sentence = f"No fact to summarise is about {about}: without a topic the summary keeps as much."
        return Headline(sentence, headline_table()["remedies"]["unmatched"], Severity.INFO)
    gained = "Neither topic gains anything" if len(topics) > 1 else f"Focus “{topics[0]}” gains nothing"
    sentence = f"{gained}: a summary without a focus keeps as much of it."
    return Headline(sentence, "/compress without a topic", Severity.INFO)


def _key(fact: Fact) -> Key:
    return fact.category, fact.value
