"""The prompt cache: breakpoints, calls, breaks and what they cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from core.model.accounting.amounts import Buckets, share_of
from core.model.accounting.usage import Origin, RecordedUse
from core.model.finding import Evidence


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A place where a request carries `cache_control`.

    Attributes:
        index: Position in the message list; -1 for the system prompt of a list without one, -2 for the tools.
        where: `top`, or `part N` for a part of its content.
        honoured: False when the provider ignores a marker in this place.
        prefix_tokens: Tokens from the start of the prompt to the end of this message; None if not counted.
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
        tool_schemas: The last tool schema carries a marker (0.22, directly to Anthropic).
    """

    layout: str
    why: str
    tool_parts: bool = True
    tool_schemas: bool = False


@dataclass(frozen=True, slots=True)
class CallLine:
    """What a log line says of a model call; None where it does not say.

    Attributes:
        where: `agent.log:812`.
        session: The session that made the call.
        input: Tokens of the whole prompt, `cached` of them read from the cache and `written` to it.
        number: Of the call, since the agent was started.
    """

    where: str
    session: str | None
    model: str | None = None
    provider: str | None = None
    input: int | None = None
    output: int | None = None
    cached: int | None = None
    written: int | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class CacheCall:
    """One model call, as the log reports it; refers to the line, as there may be thousands.

    Attributes:
        at: In UTC.
    """

    at: datetime
    line: CallLine

    @property
    def session(self) -> str:
        """The session that made the call."""
        return self.line.session or ""

    @property
    def model(self) -> str:
        """The model that answered."""
        return self.line.model or ""

    @property
    def provider(self) -> str:
        """The provider it was sent to."""
        return self.line.provider or ""

    @property
    def prompt(self) -> int | None:
        """Prompt tokens; None when the provider reported no usage."""
        return self.line.input

    @property
    def cache_read(self) -> int | None:
        """Tokens read from the cache; None when the provider reported no usage."""
        return None if self.line.input is None else self.line.cached or 0

    @property
    def cache_write(self) -> int | None:
        """Tokens written to the cache; None also where the log does not say, as before Hermes 0.22."""
        return self.line.written

    @property
    def output(self) -> int | None:
        """Tokens of the answer."""
        return self.line.output

    @property
    def number(self) -> int:
        """Its number since the agent was started."""
        return self.line.number or 0

    @property
    def where(self) -> str:
        """Its line in the log."""
        return self.line.where

    @property
    def route(self) -> tuple[str, str]:
        """Provider and model."""
        return self.provider, self.model

    @property
    def hit_rate(self) -> float | None:
        """Share of the prompt that came from the cache."""
        return share_of(self.cache_read, self.prompt)

    def since(self, before: CacheCall) -> float:
        """Seconds since an earlier call."""
        return (self.at - before.at).total_seconds()


@dataclass(frozen=True, slots=True)
class CacheBreak:
    """A call that found less in the cache than the previous call had left there.

    Attributes:
        call: Position in `CacheReport.calls`.
        cause: `compaction`, `model_changed`, `system_prompt_changed`, `tools_changed`,
            `messages_rewritten`, `ttl_expired`, `resume` or `unknown`.
        tokens_lost: Tokens that were re-read at the full rate.
        usd: What that cost above the cached rate; None without a price.
        origin: How that was computed.
    """

    at: datetime
    call: int
    cause: str
    tokens_lost: int
    usd: Decimal | None = None
    before: float | None = None
    after: float | None = None
    evidence: tuple[Evidence, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class TtlAdvice:
    """What the same calls would have cost with each cache lifetime.

    Attributes:
        current: The configured lifetime.
        better: `5m`, `1h`, or None when neither is better.
        usd_5m, usd_1h: Cost of the input side; None without prices.
        gaps: How many pauses were below 5 minutes, up to an hour, and longer.
    """

    current: str
    better: str | None
    reason: str
    usd_5m: Decimal | None = None
    usd_1h: Decimal | None = None
    gaps: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Payback:
    """What one compaction cost and saved.

    Attributes:
        saved_per_call: How many prompt tokens fewer each later call carried.
        price_usd: The summariser's call plus the one re-read of the new prefix; None without prices.
        calls_after: Calls until the next compaction or the end.
        paid_back_after: Calls until it had paid for itself; None while it has not.
        origins: How re-read and saving were computed.
        local: The model is on the user's own server, which no provider bills.
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
    origins: tuple[Origin, ...] = ()
    local: bool = False

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
        usd: Written to the cache once, read from it afterwards; None without prices.
        carried: Tokens over all these calls; a pruned copy weighs less than the original.
    """

    row: int
    session: str
    tool: str
    tokens: int
    calls: int
    usd: Decimal | None
    carried: int = 0


@dataclass(frozen=True, slots=True)
class CacheReport:
    """The prompt cache over one conversation.

    Attributes:
        strategy: `system_and_3`, or `none`.
        layout: `native`, `envelope` or `none`.
        log: False when no log line of its calls is left; hits are then only known as a sum.
        recorded: None without a recording.
        results: The most expensive first.
        local: The model is on the user's own server, which no provider bills.
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
    recorded: RecordedUse | None = None
    local: bool = False

    @property
    def costliest(self) -> int | None:
        """The break that cost most, else lost most, by its place; None without breaks."""
        costs = [(one.usd or Decimal(0), one.tokens_lost) for one in self.breaks]
        return costs.index(max(costs)) if costs else None

    @property
    def honoured(self) -> tuple[Breakpoint, ...]:
        """The breakpoints that the provider does not ignore."""
        return tuple(point for point in self.breakpoints if point.honoured)

    @property
    def marking(self) -> str:
        """How requests are marked, in words."""
        if self.layout == "none":
            return "no cache markers"
        kept = "an hour" if self.ttl == "1h" else "5 minutes"
        return f"cache markers on the system prompt and the newest messages, kept {kept}"
