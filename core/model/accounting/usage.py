"""What was counted, recorded and what it cost, with the origin of every number."""

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
        counts: Tokens of each message: its text, and the names and arguments of its tool calls. What a
            provider adds around a message is not in it.
        reasoning: Tokens of each message's thinking, which only some routes send back.
        complete: False when counting was cancelled; `counts` then covers the first messages only.
    """

    encoding: EncodingChoice
    counts: tuple[int, ...]
    reasoning: tuple[int, ...]
    complete: bool = True

    @property
    def total(self) -> int:
        """All messages together, thinking left out; a tokenizer cannot weigh images."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a number comes from: what `=` shows.

    Attributes:
        formula: The sum in words.
        terms: Its addends.
        rows: The rows it was read from, in words.
        prices: Price entries, with source and date.
        notes: What is not in it, what was assumed.
    """

    figure: str
    value: Decimal | int | float | None
    formula: str
    terms: tuple[Term, ...] = ()
    rows: tuple[str, ...] = ()
    prices: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReconcileRow:
    """One day and model, in the books of both sides.

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
        """All tokens the provider's file tells of; None when it tells of money only."""
        return _sum_of_known(self.provider_tokens)

    @property
    def hermes_total(self) -> int:
        """All tokens Hermes recorded."""
        return _sum_of_known(self.hermes_tokens) or 0


def _sum_of_known(tokens: Buckets) -> int | None:
    """Buckets a file has no column for are left out, not taken for unknown totals."""
    known = [
        one for one in (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output) if one is not None
    ]
    return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """A provider's usage export beside what Hermes recorded.

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
    """Spending against a budget, and what to say of it."""

    passed: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class RecordedBreak:
    """A recorded request that does not go on where the one before it ended.

    Attributes:
        cause: `system`, `tools` or `messages`.
        at_message: The first message that differs; None when it is not a message.
        of: Messages of the request before.
        row: The row that message is stored in; None when it is not known.
    """

    at: datetime
    cause: str
    at_message: int | None
    of: int
    row: int | None = None


@dataclass(frozen=True, slots=True)
class RecordedUse:
    """What a recorder inside Hermes kept of a conversation's requests.

    Attributes:
        tokens: Of the main loop, as the provider counted them.
        auxiliary: Of summaries, titles and the like, by task.
        parts: Characters of the newest request: `tools`, roles, and `system` without `memory` and `skills`;
            without those that were not seen whole.
        tool_schemas: Characters of each tool's schema in it.
    """

    requests: int
    tokens: Buckets
    auxiliary: Mapping[str, Buckets]
    parts: Mapping[str, int]
    tool_schemas: Mapping[str, int]
    breaks: tuple[RecordedBreak, ...]
