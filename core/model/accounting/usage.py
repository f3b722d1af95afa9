"""What was counted, what was recorded and what it cost, with the origin of every number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from core.model.accounting.amounts import Buckets
from core.model.accounting.ledger import Term
from core.model.finding import Evidence


@dataclass(frozen=True, slots=True)
class EncodingChoice:
    """The tokenizer used for a model.

    Attributes:
        name: A tiktoken encoding, `o200k_base` or `cl100k_base`.
        exact: It is the model's own tokenizer; False shows as "≈".
    """

    name: str
    exact: bool


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokenizer counts of a list of messages.

    Attributes:
        encoding: Which tokenizer counted, and whether it is the model's own.
        counts: Tokens of each message: its text, and the names and arguments of its tool calls, without what
            a provider adds around a message.
        reasoning: Tokens of each message's reasoning, which only some routes send back.
        complete: False when counting was cancelled; `counts` then covers only the first messages.
    """

    encoding: EncodingChoice
    counts: tuple[int, ...]
    reasoning: tuple[int, ...]
    complete: bool = True

    @property
    def total(self) -> int:
        """All messages together, without reasoning and without images, which a tokenizer cannot count."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a number comes from; shown by the key `=`.

    Attributes:
        formula: The calculation in words.
        terms: Its addends.
        rows: The rows it was read from, in words.
        prices: Price entries, with source and date.
        notes: What it leaves out, and what was assumed.
        lower_bound: The true value is at least this.
    """

    figure: str
    value: Decimal | int | float | None
    formula: str
    terms: tuple[Term, ...] = ()
    rows: tuple[str, ...] = ()
    prices: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    lower_bound: bool = False


@dataclass(frozen=True, slots=True)
class ReconcileRow:
    """One day and model, as recorded by both sides.

    Attributes:
        verdict: `match`, `differs`, `only_provider` or `only_hermes`.
    """

    day: date
    model: str
    provider_tokens: Buckets
    hermes_tokens: Buckets
    provider_usd: Decimal | None
    hermes_usd: Decimal | None
    provider_calls: int | None
    hermes_calls: int | None
    verdict: str

    @property
    def provider_total(self) -> int | None:
        """All tokens in the provider's file; None when it only has money."""
        return _sum_of_known(self.provider_tokens)

    @property
    def hermes_total(self) -> int:
        """All tokens Hermes recorded."""
        return _sum_of_known(self.hermes_tokens) or 0


def _sum_of_known(tokens: Buckets) -> int | None:
    """The sum of the known buckets; one that a file has no column for is left out."""
    known = [
        one for one in (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output) if one is not None
    ]
    return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """A provider's usage export compared with what Hermes recorded.

    Attributes:
        covered: Share of the provider's tokens that Hermes recorded too; None without any.
        holes: What is missing where, in words.
        skipped: Lines of the file that could not be read.
        notes: What may explain a hole.
    """

    mapping: str
    rows: tuple[ReconcileRow, ...]
    covered: float | None
    holes: tuple[str, ...] = ()
    skipped: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """Two places of a database that count the same thing differently."""

    session: str
    what: str
    left: str
    right: str
    difference: int
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class BudgetCheck:
    """Spending compared with a budget, and the sentence to show."""

    passed: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class RecordedBreak:
    """A recorded request that does not continue the previous one.

    Attributes:
        cause: `system`, `tools` or `messages`.
        at_message: The first message that differs; None when it is not a message.
        of: How many messages the previous request had.
        row: The row that stores this message; None when unknown.
    """

    at: datetime
    cause: str
    at_message: int | None
    of: int
    row: int | None = None


@dataclass(frozen=True, slots=True)
class RecordedUse:
    """What a recorder inside Hermes stored of a conversation's requests.

    Attributes:
        tokens: Tokens of the main loop, as the provider counted them.
        auxiliary: Tokens of summaries, titles and the like, by task.
        parts: Characters of the newest request: `tools`, roles, and `system` without `memory` and `skills`;
            parts that were not recorded whole are missing.
        tool_schemas: Characters of each tool's schema in it.
    """

    requests: int
    tokens: Buckets
    auxiliary: Mapping[str, Buckets]
    parts: Mapping[str, int]
    tool_schemas: Mapping[str, int]
    breaks: tuple[RecordedBreak, ...]
