"""What was counted and what it cost, with the origin of every number."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal

from core.model.evidence import Evidence
from core.model.tokens import Buckets


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
        images: Images in each message; a tokenizer cannot weigh them.
        complete: False when counting was cancelled; `counts` then covers the first messages only.
    """

    encoding: EncodingChoice
    counts: tuple[int, ...]
    reasoning: tuple[int, ...]
    images: tuple[int, ...]
    complete: bool = True

    @property
    def total(self) -> int:
        """All messages together, thinking and images left out."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Rates:
    """USD per million tokens; None where the list has no such price."""

    input: Decimal | None = None
    output: Decimal | None = None
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    cache_write_1h: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Tier:
    """Rates of a request whose prompt is longer than `above` tokens; they hold for the whole request."""

    above: int
    rates: Rates


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One entry of a price list.

    Attributes:
        model: The entry's own name of the model.
        source: `genai-prices 0.2.3`, or the file of the user's overrides.
        since: First day (UTC) these rates hold; None from the beginning.
        hours: Time of day (UTC) they hold, from and up to; None for all day.
        billing: `api`, `included` (a subscription pays) or `local` (nobody is paid).
        note: What was assumed in choosing this entry.
    """

    provider: str
    model: str
    rates: Rates
    source: str
    tiers: tuple[Tier, ...] = ()
    since: date | None = None
    hours: tuple[time, time] | None = None
    billing: str = "api"
    note: str = ""

    @property
    def label(self) -> str:
        """The entry in one line: source, provider, model and date."""
        dated = f" from {self.since}" if self.since else ""
        return f"{self.source}: {self.provider}/{self.model}{dated}"


@dataclass(frozen=True, slots=True)
class Term:
    """One addend of a sum.

    Attributes:
        amount: Tokens or dollars.
        rate: USD per million tokens, when dollars are computed from tokens.
    """

    label: str
    amount: Decimal | int
    rate: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Priced:
    """What some tokens cost at a price list.

    Attributes:
        usd: None when any non-empty bucket has no price.
        row: The entry used; None when there is none.
        terms: Tokens and rate of each bucket.
        notes: What was assumed.
    """

    usd: Decimal | None
    row: PriceRow | None = None
    terms: tuple[Term, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Money:
    """A sum of costs in which some may be unknown.

    Attributes:
        usd: The known ones; None when none is.
        missing: How many sessions or tasks with tokens had no price: with any, the sum is a lower bound.
    """

    usd: Decimal | None = None
    missing: int = 0

    def __add__(self, other: Money) -> Money:
        """Unknown costs do not turn into nothing: they are counted."""
        known = [value for value in (self.usd, other.usd) if value is not None]
        return Money(sum(known, Decimal(0)) if known else None, self.missing + other.missing)


@dataclass(frozen=True, slots=True)
class LedgerPart:
    """The share of a ledger row that one route and one task made.

    Attributes:
        sessions: How many sessions it comes from.
        actual: What the provider billed, where Hermes recorded that.
        estimated: What Hermes estimated.
        recorded: The actual amount where there is one, else the estimate.
        computed: What the tokens cost at the price list; for `included` routes what they would cost.
        billing: `api`, `included`, `local` or `unknown`.
    """

    model: str
    provider: str
    task: str
    sessions: int
    calls: int
    tokens: Buckets
    actual: Money = field(default_factory=Money)
    estimated: Money = field(default_factory=Money)
    recorded: Money = field(default_factory=Money)
    computed: Money = field(default_factory=Money)
    billing: str = "unknown"
    price: PriceRow | None = None


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One line of a ledger.

    Attributes:
        key: What the ledger is by: a session id, a conversation's root, a model, a day, ...
        label: What a person calls it, when that differs from the key.
        task: Empty for the main loop; `compression`, `vision`, ... have rows of their own.
        recorded: What Hermes recorded: the actual amount where there is one, else the estimate.
        computed: Recomputed from the price list; None-valued when no prices were asked for.
        included: List price of what a subscription covers; never part of `computed`.
        status: `actual`, `estimated`, `included`, `local`, `unknown`, `mixed`.
        subtree: A conversation's own tokens and those of its delegates; None when it has none.
        lower_bound: Something is known to be missing.
    """

    key: str
    label: str = ""
    task: str = ""
    sessions: int = 0
    calls: int = 0
    tokens: Buckets = field(default_factory=Buckets)
    recorded: Money = field(default_factory=Money)
    computed: Money = field(default_factory=Money)
    included: Money = field(default_factory=Money)
    status: str = "unknown"
    price_source: str | None = None
    parts: tuple[LedgerPart, ...] = ()
    subtree: Buckets | None = None
    subtree_recorded: Money | None = None
    lower_bound: bool = False


@dataclass(frozen=True, slots=True)
class Ledger:
    """Buckets and cost, by one dimension.

    Attributes:
        by: `session`, `conversation`, `model`, `provider`, `source`, `profile`, `task`, `day` or `hour`.
        rows: Largest first; days and hours in order.
        totals: The sum of all rows, each call once.
        lower_bound: The true total is at least this.
        notes: Why, and what was assumed.
    """

    by: str
    rows: tuple[LedgerRow, ...]
    totals: LedgerRow
    lower_bound: bool = False
    notes: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a number comes from: what `=` shows.

    Attributes:
        figure: Its name.
        value: The number.
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
class Breakpoint:
    """A place where a request carries `cache_control`.

    Attributes:
        index: Position in the message list; -1 for the system prompt of a list without one, -2 for the tools.
        role: Role of the message.
        where: `top`, or `part N` for a part of its content.
        honoured: False when the provider ignores a marker in this place.
        prefix_tokens: Tokens from the start of the prompt to the end of this message; None when not counted.
    """

    index: int
    role: str
    where: str
    ttl: str = "5m"
    honoured: bool = True
    prefix_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class CacheRoute:
    """Whether a route gets explicit caching, and in which form.

    Attributes:
        layout: `native`, `envelope` or `none`.
        why: The rule that decided, in words.
        tool_parts: Tool results may carry a marker inside their content.
        tool_schemas: The last tool schema carries a marker (0.22, straight to Anthropic).
    """

    layout: str
    why: str
    tool_parts: bool = True
    tool_schemas: bool = False


@dataclass(frozen=True, slots=True)
class CacheCall:
    """One model call, as the log reports it.

    Attributes:
        prompt, cache_read: None when the provider reported no usage.
        number: Its number within the turn.
        gap: Seconds since the previous call of the same conversation; None for the first.
    """

    at: datetime
    session: str
    model: str
    provider: str
    prompt: int | None
    cache_read: int | None
    output: int | None
    number: int
    where: str
    gap: float | None = None

    @property
    def hit_rate(self) -> float | None:
        """Share of the prompt that came from the cache."""
        return None if not self.prompt or self.cache_read is None else self.cache_read / self.prompt


@dataclass(frozen=True, slots=True)
class CacheBreak:
    """A call that found less in the cache than the call before it had left there.

    Attributes:
        call: Position in `CacheReport.calls`.
        cause: `compaction`, `model_changed`, `system_prompt_changed`, `tools_changed`,
            `messages_rewritten`, `ttl_expired`, `resume` or `unknown`.
        tokens_lost: Tokens that had to be read again at the full rate.
        usd: What that cost above the cached rate; None without a price.
    """

    at: datetime
    call: int
    cause: str
    tokens_lost: int
    usd: Decimal | None = None
    before: float | None = None
    after: float | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class TtlAdvice:
    """What the same calls would have cost with each lifetime.

    Attributes:
        current: The configured lifetime.
        better: `5m`, `1h`, or None when nothing speaks for either.
        usd_5m, usd_1h: Cost of the input side; None without prices.
        gaps: How many pauses lay below 5 minutes, up to an hour, and above.
    """

    current: str
    better: str | None
    reason: str
    usd_5m: Decimal | None = None
    usd_1h: Decimal | None = None
    gaps: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Payback:
    """What one compaction cost and brought.

    Attributes:
        at: When it was done.
        saved_per_call: Prompt tokens each later call carried less.
        price_usd: The summariser's call and the one re-read of the new prefix; None without prices.
        calls_after: Calls until the next compaction or the end.
        paid_back_after: Calls it took to earn its price; None while it has not.
    """

    at: datetime
    session: str
    saved_per_call: int
    summariser_usd: Decimal | None
    reread_usd: Decimal | None
    saving_per_call_usd: Decimal | None
    calls_after: int
    paid_back_after: int | None
    notes: tuple[str, ...] = ()

    @property
    def price_usd(self) -> Decimal | None:
        """Summariser plus re-read; None when either is unknown."""
        if self.summariser_usd is None or self.reread_usd is None:
            return None
        return self.summariser_usd + self.reread_usd


@dataclass(frozen=True, slots=True)
class ResultCost:
    """What one tool result cost over its life in the context.

    Attributes:
        row: Its row id.
        calls: Calls that carried it.
        usd: Written once, read from the cache afterwards; None without prices.
    """

    row: int
    session: str
    tool: str
    tokens: int
    calls: int
    usd: Decimal | None


@dataclass(frozen=True, slots=True)
class CacheReport:
    """The prompt cache over one conversation.

    Attributes:
        strategy: `system_and_3`, or `none`.
        layout: `native`, `envelope` or `none`.
        log: False when no log line of its calls survives; hits are then known as a sum only.
    """

    strategy: str
    layout: str
    ttl: str
    route: CacheRoute
    breakpoints: tuple[Breakpoint, ...]
    calls: tuple[CacheCall, ...]
    breaks: tuple[CacheBreak, ...]
    advice: TtlAdvice | None
    paybacks: tuple[Payback, ...] = ()
    results: tuple[ResultCost, ...] = ()
    tokens: Buckets = field(default_factory=Buckets)
    log: bool = True
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


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """A provider's usage export beside what Hermes recorded.

    Attributes:
        mapping: The column mapping that fitted.
        covered: Share of the provider's tokens that Hermes recorded too; None without any.
        holes: What is missing where, in words.
        skipped: Lines of the file that could not be read.
    """

    mapping: str
    rows: tuple[ReconcileRow, ...]
    covered: float | None
    holes: tuple[str, ...] = ()
    skipped: int = 0


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
    """Spending against a budget.

    Attributes:
        spent: The recorded amount where there is one, else the computed.
        at_least: Some of the spending has no price: the true amount is higher.
    """

    budget: Decimal
    spent: Decimal
    passed: bool
    at_least: bool
    sentence: str
