"""Findings about a conversation or a database: how bad, how certain, on what evidence; and headlines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

MAX_HEADLINE_CHARS = 170
"""The longest headline, in characters: two lines of a narrow terminal."""

_DISPENSABLE = (re.compile(r" \(\d\.\d\d of [^)]+\)"), re.compile(r"(?<=\. )[\d,]+ → [\d,]+ messages, "))

_MONEY = frozenset("FG")
"""Letters of the rules about tokens and prices, and about the prompt cache."""

COMPRESS_NOW = "Run /compress TOPIC now to decide what is kept."
"""The remedy near the limit."""


class Verdict(StrEnum):
    """How certain a claim is, the strongest first."""

    PROVED = "proved"
    """A line or row written at the time says so."""
    DERIVED = "derived"
    """Recomputed from rows with the release's own rules, and the result fits."""
    SUSPECTED = "suspected"
    """What is left when other causes are excluded."""
    UNKNOWN = "unknown"


class Source(StrEnum):
    """Where a piece of evidence is found."""

    LOG = "log"
    DATABASE = "database"
    CONFIG = "config"
    RECORDING = "recording"
    """What our recorder inside Hermes stored of the requests themselves."""
    JOURNAL = "journal"
    """What this program itself wrote to the database."""
    DERIVED = "derived"


_STATED = {
    Source.JOURNAL: "from our journal",
    Source.RECORDING: "from the recording",
    Source.LOG: "from the log",
    Source.DATABASE: "from the rows",
    Source.CONFIG: "from the config",
}
_SURE = {Verdict.PROVED: "checked", Verdict.DERIVED: "computed", Verdict.SUSPECTED: "likely"}


class Claim(Protocol):
    """Something that is more or less certain."""

    @property
    def verdict(self) -> Verdict: ...  # noqa: D102

    @property
    def evidence(self) -> Sequence[Evidence]: ...  # noqa: D102


def certainty(claim: Claim) -> str:
    """How certain a claim is, in words: what states it, or checked, computed, likely, not known."""
    return certainty_of(claim.verdict, (one.source for one in claim.evidence))


def certainty_of(verdict: Verdict, sources: Iterable[str]) -> str:
    """The same for a verdict and the sources of its evidence."""
    found = set(sources) if verdict is Verdict.PROVED else set()
    stated = (words for source, words in _STATED.items() if source in found)
    return next(stated, _SURE.get(verdict, "not known"))


@dataclass(frozen=True, slots=True)
class Evidence:
    """One located quotation or computation.

    Attributes:
        where: `agent.log:812`, `messages 71-139`, `config.yaml compression.threshold`, ...
        text: The quotation or the arithmetic, on one line. Untrusted.
    """

    source: Source
    where: str
    text: str

    @property
    def place(self) -> str:
        """Source and place, in words."""
        return f"{'computed from' if self.source is Source.DERIVED else self.source} {self.where}"


class Severity(StrEnum):
    """How bad a finding is, the worst first."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """Position from the worst: 0 is critical."""
        return list(Severity).index(self)


class FindingGroup(StrEnum):
    """What findings ask of their reader, the most urgent first."""

    FIX_NOW = "Fix now"
    COSTS = "Costs money"
    GOOD_TO_KNOW = "Good to know"


_GROUP_WORDS = {
    FindingGroup.FIX_NOW: "to fix now",
    FindingGroup.COSTS: "costing money",
    FindingGroup.GOOD_TO_KNOW: "good to know",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnosis: what is wrong, how we know, what helps.

    Attributes:
        rule: `A2`, `C6`, ... as in findings.yaml.
        name: The rule's slug, `threshold-unreachable`.
        numbers: The figures behind it, by name; values are ints, floats or strings.
        remedy: The config line or command that helps; empty when there is none.
        session: The session it is about; None for the whole database.
        database: The database file it is about as a whole; empty if it is about a session.
        billed: False about tokens that went only to servers of the user's own, which cost no money.
    """

    rule: str
    name: str
    severity: Severity
    sentence: str
    verdict: Verdict
    session: str | None = None
    numbers: dict[str, Any] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    remedy: str = ""
    billed: bool = True
    database: str = ""

    @property
    def group(self) -> FindingGroup:
        """What it asks of its reader; a finding without a remedy is never to be fixed, unless critical."""
        if self.severity is Severity.CRITICAL:
            return FindingGroup.FIX_NOW
        if self.rule[:1] in _MONEY and self.billed:
            return FindingGroup.COSTS
        helps = self.severity is Severity.WARNING and self.remedy
        return FindingGroup.FIX_NOW if helps else FindingGroup.GOOD_TO_KNOW

    @property
    def identity(self) -> tuple[str, str, str]:
        """What identifies it: two conversations that fork from one session both report the same finding."""
        return self.rule, self.session or self.database, self.sentence


@dataclass(frozen=True, slots=True)
class NotKnown:
    """A rule that lacks its evidence.

    Attributes:
        why: What is missing, as a clause.
        asks: What the rule examines, as a question within a sentence.
    """

    rule: str
    name: str
    why: str
    asks: str = ""

    @property
    def question(self) -> str:
        """What is not known."""
        return self.asks or f"whether the rule {self.name} applies"


@dataclass(frozen=True, slots=True)
class Headline:
    """One plain sentence about what happened, and what helps.

    Attributes:
        sentence: At most `MAX_HEADLINE_CHARS` characters; may quote a provider or a user, so it is untrusted.
        remedy: What to do, as a sentence; None when there is nothing to do.
        severity: How bad it is; None when nothing is wrong.
    """

    sentence: str
    remedy: str | None = None
    severity: Severity | None = None

    @property
    def helps(self) -> str:
        """The remedy with a word before it; empty without a remedy."""
        return f"{help_word(self.severity)}: {self.remedy}" if self.remedy else ""


def groups_headline(found: Collection[Finding], fix_now: str = "") -> Headline:
    """How many findings each group has, and how to fix what is to be fixed now; nothing without findings."""
    counts = Counter(one.group for one in found)
    parts = [f"{counts[group]:,} {_GROUP_WORDS[group]}" for group in FindingGroup if counts[group]]
    if not parts:
        return NO_HEADLINE
    sentence = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    helps = fix_now if counts[FindingGroup.FIX_NOW] else ""
    worst = min((one.severity for one in found), key=lambda severity: severity.rank)
    return Headline(f"{sentence}.", helps or None, worst)


def briefer(sentence: str) -> Iterator[str]:
    """A headline, then without the limit's share of the window, then also without the message counts.

    Both stand below it wherever it is shown.
    """
    yield sentence
    for figure in _DISPENSABLE:
        sentence = figure.sub("", sentence)
        yield sentence


def fitted(sentence: str) -> str:
    """A headline as short as it must be; one that is still too long is cut."""
    return next((one for one in briefer(sentence) if len(one) <= MAX_HEADLINE_CHARS), shortened(sentence))


def shortened(text: str, limit: int = MAX_HEADLINE_CHARS) -> str:
    """A text cut to so many characters, with an ellipsis if it was longer."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def help_word(severity: Severity | None) -> str:
    """The word before a remedy: "Fix" only if something is wrong."""
    return "Fix" if severity in (Severity.WARNING, Severity.CRITICAL) else "What helps"


NO_HEADLINE = Headline("")
