"""Several summaries of one middle made comparable: by section, by topic, by fact. No widget."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias

from core.compress.summarise.answer_check import sections
from core.model.compaction.preview import Fact, Retention
from core.model.finding import NO_HEADLINE, Headline, Severity

Key: TypeAlias = tuple[str, str]
"""Category and value of a fact: the same fact in every summary."""
LOST = "lost"
COMPARED = 2
"""Topics the lab holds against each other, at most."""
SUBJECTS: Mapping[str, Callable[[str], str]] = {
    "paths": lambda path: PurePosixPath(path).name,
    "commands": lambda command: " ".join(command.split()[:2]),
}
"""What a fact of a category is about, as a topic: the file, the program with its first word."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of several summaries.

    Attributes:
        texts: What each summary says under the heading; empty where it lacks it.
    """

    heading: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FateRow:
    """One fact and what became of it in each summary.

    Attributes:
        messages: Indexes of the messages that hold it.
        in_focus: One of the topics compared covers it.
        fates: `kept`, `paraphrased`, `lost`, or None where there is no summary yet.
    """

    category: str
    value: str
    messages: tuple[int, ...]
    fates: tuple[str | None, ...]
    in_focus: bool = False

    @property
    def differs(self) -> bool:
        """The focus decides about this fact."""
        return len({fate for fate in self.fates if fate is not None}) > 1


def aligned(summaries: Sequence[str]) -> tuple[Section, ...]:
    """The sections of all summaries under each other's headings, in the order they first appear."""
    parts = [sections(summary) for summary in summaries]
    headings = dict.fromkeys(heading for part in parts for heading in part)
    return tuple(Section(heading, tuple(part.get(heading, "") for part in parts)) for heading in headings)


def suggested(retention: Retention | None) -> tuple[str, ...]:
    """Two topics to compare: the files or programs most messages of the middle are about, each its own."""
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
    """Every fact of the middle: of the topics first, then what the focus decides about, then what is lost."""
    found: dict[Key, Fact] = {}
    fate_of: list[dict[Key, str]] = []
    for retention in retentions:
        facts = retention.facts if retention else ()
        fate_of.append({_key(fact): fact.fate for fact in facts})
        found.update((_key(fact), fact) for fact in facts)
    about = frozenset[Key]().union(*(covered(retention) for retention in retentions))
    rows = [
        FateRow(*key, found[key].messages, tuple(fate.get(key) for fate in fate_of), key in about)
        for key in found
    ]
    return tuple(sorted(rows, key=lambda row: (not row.in_focus, not row.differs, LOST not in row.fates)))


def covered(retention: Retention | None) -> frozenset[Key]:
    """The facts of the topic a summary was focused on."""
    return frozenset(_key(fact) for fact in retention.facts if fact.in_focus) if retention else frozenset()


def kept_of(retention: Retention, keys: Container[Key]) -> tuple[int, int]:
    """How many of some facts a summary keeps, and of how many; the same facts whatever its own focus."""
    facts = [fact for fact in retention.facts if _key(fact) in keys]
    return sum(fact.fate != LOST for fact in facts), len(facts)


def outcome(topics: Sequence[str], retentions: Sequence[Retention | None]) -> Headline:
    """Which focus keeps most more of its topic than no focus does, and at what price in other facts.

    Args:
        topics: What was compared.
        retentions: Of no focus, then of each topic; nothing is said before all are there.
    """
    made = [one for one in retentions if one is not None]
    if len(made) <= len(topics):
        return NO_HEADLINE
    plain = made[0]
    gains = []
    for topic, own in zip(topics, made[1:], strict=True):
        about = covered(own)
        (kept, of), (without, _) = kept_of(own, about), kept_of(plain, about)
        gains.append((kept - without, topic, f"{kept:,} of {of:,}", f"{without:,}", own))
    gain, topic, kept_words, without_words, own = max(gains, key=lambda one: one[0])
    if gain <= 0:
        said = "No focus here keeps more of its topic than a summary without one."
        return Headline(said, "/compress without a topic", Severity.INFO)
    all_own, all_plain = (sum(fact.fate != LOST for fact in one.facts) for one in (own, plain))
    rest = f"of all {len(plain.facts):,} facts it keeps {all_own:,}, no focus {all_plain:,}"
    sentence = f"Focus “{topic}” keeps {kept_words} facts of its topic, no focus {without_words}; {rest}."
    return Headline(sentence, f"/compress {topic}", Severity.INFO if all_own < all_plain else None)


def _key(fact: Fact) -> Key:
    return fact.category, fact.value
