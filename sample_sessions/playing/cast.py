"""The parts of a played session: models, rows, calls, log lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from core.compress.sizing.estimate import Size
from sample_sessions.scenario import Script


@dataclass(frozen=True, slots=True)
class Model:
    """A model of `models.yaml`."""

    name: str
    provider: str
    url: str
    window: int
    caching: str
    chars: float
    prices: tuple[Decimal, ...] = ()


@dataclass(slots=True)
class Row:
    """A row of `messages`; `tokens` is the provider's count, `size` that of Hermes."""

    role: str
    content: Any
    at: datetime
    uid: str
    tokens: int
    tool_call_id: str | None = None
    tool_name: str | None = None
    tool_calls: list[dict[str, Any]] | None = None
    finish_reason: str | None = None
    reasoning: str | None = None
    active: bool = True
    compacted: bool = False
    summary: bool = False
    size: Size | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """The token buckets of one call."""

    at: datetime
    model: Model
    input: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int
    task: str = ""

    @property
    def prompt(self) -> int:
        """Tokens of the request."""
        return self.input + self.cache_read + self.cache_write

    @property
    def usd(self) -> Decimal | None:
        """The cost Hermes records for it; None without a price."""
        if not self.model.prices:
            return None
        amounts = (self.input, self.output, self.cache_read, self.cache_write)
        return sum((a * p for a, p in zip(amounts, self.model.prices, strict=True)), Decimal()) / 1_000_000


@dataclass(frozen=True, slots=True)
class Line:
    """A line of agent.log."""

    at: datetime
    level: str
    session: str | None
    logger: str
    text: str


@dataclass(slots=True)
class Played:
    """A session as it will be stored; `opened` is the first row of its open turn.

    Attributes:
        added_tools: Tools that were enabled later.
    """

    id: str
    script: Script
    model: Model
    system: str
    began: datetime
    parent: str | None = None
    marker: str | None = None
    title: str | None = None
    rows: list[Row] = field(default_factory=list)
    usages: list[Usage] = field(default_factory=list)
    ended: datetime | None = None
    end_reason: str | None = None
    rewinds: int = 0
    guards: dict[str, Any] = field(default_factory=dict)
    opened: int = 0
    added_tools: tuple[str, ...] = ()

    @property
    def live(self) -> list[Row]:
        """The rows that the next call sends."""
        return [row for row in self.rows if row.active]

    @property
    def asked(self) -> list[Usage]:
        """The calls of its own model, without those of auxiliary tasks."""
        return [usage for usage in self.usages if not usage.task]


@dataclass(slots=True)
class PromptCache:
    """The part of the last request in the provider's prompt cache."""

    size: int = 0
    model: str = ""
    until: datetime | None = None

    def use(self, now: datetime, model: Model, prompt: int, output: int, reasoning: int) -> Usage:
        """The buckets of a request of `prompt` tokens, and the cache it leaves."""
        warm = self.model == model.name and self.until is not None and now <= self.until
        read = min(self.size, prompt - 3) if warm else 0
        fresh, write = prompt - read, 0
        if model.caching == "explicit":
            fresh, write = 3, prompt - read - 3
        elif model.caching == "automatic":
            read -= read % 128
            fresh = prompt - read
        else:
            read, fresh = 0, prompt
        self.size, self.model, self.until = prompt, model.name, now + timedelta(minutes=5)
        return Usage(now, model, fresh, read, write, output, reasoning)
