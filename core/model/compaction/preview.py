"""What a compaction would leave, say and lose."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from core.model.accounting.amounts import Buckets
from core.model.compaction.plan import Plan
from core.model.transcript.message import Message

SUSPECTED = "suspected"
"""Category of a claim that the messages hardly support."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """How Hermes words the result of a manual compression (`/compress`)."""

    noop: bool
    aborted: bool
    fallback_used: bool
    headline: str
    token_line: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class FactCount:
    """How many facts of one category were kept."""

    kept: int
    paraphrased: int
    lost: int

    @property
    def of(self) -> int:
        """All facts of the category."""
        return self.kept + self.paraphrased + self.lost


@dataclass(frozen=True, slots=True)
class Fact:
    """One checkable fact of the middle.

    Attributes:
        category: `asks`, `constraints`, `open`, `decisions`, `state`, `errors`, `ids`, `paths`, `names`,
            `dates`, `numbers`, `urls`, `commands`, `hashes`.
        value: The text itself. Untrusted.
        messages: Indices (into the list before) of the messages that hold it.
        fate: `kept`, `paraphrased` or `lost`.
        in_focus: The focus topic covers it.
        weight: How much it matters to someone who continues the work, 0 to 1.
    """

    category: str
    value: str
    messages: tuple[int, ...]
    fate: str
    in_focus: bool = False
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A claim of a summary that no message before the cut supports.

    Attributes:
        value: What is claimed. Untrusted.
        category: `paths`, `ids`, `names`, `numbers`, `dates`, `urls`, `hashes`, `done`, `constraints` or
            `suspected`.
        nearest: The most similar words in the messages; "" where none are similar. Untrusted.
        message: Index of the message with these words, if it is one of those summarised.
    """

    value: str
    category: str
    where: str
    nearest: str = ""
    message: int | None = None


@dataclass(frozen=True, slots=True)
class Retention:
    """Which facts of the middle the summary keeps.

    Attributes:
        facts: Those that matter, in order of first appearance.
        score: Share of their weight kept or paraphrased, 0 to 1; None without facts.
        lost_by_message: For each message of the middle, the lost share of its facts' weight, or None.
        losses: For each message its loss as the score counts it, where the heaviest is 1; None without facts.
        stale: Facts the summary keeps although the middle later undid them.
        missing_asks: Unanswered user requests the summary does not mention.
        forgotten: Facts of the previous summary that the new one lost.
        unsupported: Claims of the summary that no message before the cut supports.
        noise: How many values of each category only tool output holds; they count for nothing.
        untranslated: How many requests, rules and the like are left out because the summary is in another
            language and they have no name or figure that shows whether it keeps them.
    """

    facts: tuple[Fact, ...]
    by_category: dict[str, FactCount] = field(default_factory=dict)
    focus: FactCount | None = None
    rest: FactCount | None = None
    score: float | None = None
    lost_by_message: tuple[float | None, ...] = ()
    losses: tuple[float | None, ...] = ()
    stale: tuple[str, ...] = ()
    missing_asks: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    unsupported: tuple[Unsupported, ...] = ()
    noise: dict[str, int] = field(default_factory=dict)
    untranslated: int = 0

    @property
    def total(self) -> FactCount:
        """The facts of all categories together."""
        counts = self.by_category.values()
        return FactCount(
            sum(one.kept for one in counts),
            sum(one.paraphrased for one in counts),
            sum(one.lost for one in counts),
        )

    @property
    def lost_share(self) -> float | None:
        """Share of what matters that the summary lost; None where there was nothing."""
        return None if self.score is None else 1 - self.score

    @property
    def unfounded(self) -> tuple[Unsupported, ...]:
        """The unsupported claims that are more than suspected."""
        return tuple(claim for claim in self.unsupported if claim.category != SUSPECTED)

    @property
    def lost(self) -> tuple[Fact, ...]:
        """The facts that were lost, heaviest first."""
        gone = (fact for fact in self.facts if fact.fate == "lost")
        return tuple(sorted(gone, key=lambda fact: -fact.weight))


@dataclass(frozen=True, slots=True)
class SummaryCall:
    """The model call that wrote a summary.

    Attributes:
        model: The model that answered, which may not be the one asked first.
        usage: What the provider counted; None when it reported nothing.
        provider, base_url: Its route, which determines the price.
        usd: What it cost on that day; None when unknown.
    """

    model: str
    usage: Buckets | None = None
    provider: str = ""
    base_url: str = ""
    usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """A compaction run as a dry run.

    Attributes:
        summary: The body of the summary, without markers; None without a summary.
        summary_index: Position of the summary in `after`; None without one.
        before_tokens, after_tokens: The release's estimates of the list given and of the list it would make.
        written_tokens: The same estimate of `after`, which has our words around the summary.
        notes: What a reader should know of `after` as the release leaves it, one sentence each.
        failure: Why the summariser failed; None if it did not.
        call: The model call and what the provider counted; None if no model was asked.
    """

    plan: Plan
    before: tuple[Message, ...]
    after: tuple[Message, ...]
    summariser: str
    focus: str | None
    summary: str | None
    summary_index: int | None
    before_tokens: int
    after_tokens: int
    feedback: Feedback
    retention: Retention | None = None
    notes: tuple[str, ...] = ()
    written_tokens: int | None = None
    failure: str | None = None
    call: SummaryCall | None = None
