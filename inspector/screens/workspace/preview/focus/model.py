"""Several summaries of one middle made comparable: by section, by topic, by fact. No widget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.compress.facts.collect import collect, topic_of
from core.compress.facts.readable import View, views
from core.compress.facts.topic import Topic
from core.compress.summarise.base import sections
from core.model.compaction.preview import Fact, Retention
from core.model.transcript.message import Message

LOST = "lost"
COMPARED = 2
"""Topics the lab holds against each other, at most."""
SHORTEST_FACT = 4
"""Characters from which a fact tells by itself that a line is about it."""
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
        fates: `kept`, `paraphrased`, `lost`, or None where there is no summary yet.
    """

    category: str
    value: str
    messages: tuple[int, ...]
    fates: tuple[str | None, ...]

    @property
    def differs(self) -> bool:
        """The focus decides about this fact."""
        return len({fate for fate in self.fates if fate is not None}) > 1


def aligned(summaries: Sequence[str]) -> tuple[Section, ...]:
    """The sections of all summaries under each other's headings, in the order they first appear."""
    parts = [sections(summary) for summary in summaries]
    headings = dict.fromkeys(heading for part in parts for heading in part)
    return tuple(Section(heading, tuple(part.get(heading, "") for part in parts)) for heading in headings)


@dataclass(frozen=True, slots=True)
class Subject:
    """A topic and the facts of the middle that are about it.

    Attributes:
        facts: What they are told by in a summary, in lower case: the value, of a path the name.
    """

    topic: Topic
    facts: frozenset[str]

    def covers(self, line: str) -> bool:
        """Whether a line of a summary is about the topic: it says so, or tells one of its facts."""
        lower = line.lower()
        return self.topic.covers(line) or any(fact in lower for fact in self.facts)


def topics(middle: Sequence[Message], texts: Sequence[str]) -> tuple[Subject | None, ...]:
    """Topics weighed against the middle they are about, with its facts."""
    read = views(middle)
    return tuple(_subject(topic_of(text, read), read) for text in texts)


def _subject(topic: Topic | None, read: Sequence[View]) -> Subject | None:
    if topic is None:
        return None
    facts = (anchor for anchor in collect(read, topic) if anchor.in_focus)
    told = (SUBJECTS.get(anchor.category, str)(anchor.value).lower() for anchor in facts)
    return Subject(topic, frozenset(fact for fact in told if len(fact) >= SHORTEST_FACT))


def topic_share(summary: str, subject: Subject | None) -> float | None:
    """Share of a summary's words that stand in lines about a topic; None without words or a topic."""
    lines = [line for line in summary.splitlines() if line.strip() and not line.startswith("#")]
    words = sum(len(line.split()) for line in lines)
    if subject is None or not words:
        return None
    return sum(len(line.split()) for line in lines if subject.covers(line)) / words


def suggested(retention: Retention | None) -> tuple[str, ...]:
    """Two topics to compare: the files or programs most messages of the middle are about, each its own."""
    about: dict[str, set[int]] = {}
    for anchor in retention.anchors if retention else ():
        if anchor.category in SUBJECTS:
            about.setdefault(SUBJECTS[anchor.category](anchor.value), set()).update(anchor.messages)
    about.pop("", None)
    found: list[str] = []
    covered: set[int] = set()
    while about and len(found) < COMPARED:
        name = max(about, key=lambda one: len(about[one] - covered))
        covered |= about.pop(name)
        found.append(name)
    return tuple(found)


def fates(retentions: Sequence[Retention | None]) -> tuple[FateRow, ...]:
    """Every fact of the middle: those the focus decides about first, then those that are always lost."""
    found: dict[tuple[str, str], Fact] = {}
    fate_of: list[dict[tuple[str, str], str]] = []
    for retention in retentions:
        anchors = retention.anchors if retention else ()
        fate_of.append({(anchor.category, anchor.value): anchor.fate for anchor in anchors})
        found.update(((anchor.category, anchor.value), anchor) for anchor in anchors)
    rows = [FateRow(*key, found[key].messages, tuple(fate.get(key) for fate in fate_of)) for key in found]
    return tuple(sorted(rows, key=lambda row: (not row.differs, LOST not in row.fates)))
