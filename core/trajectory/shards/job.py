"""A run: what is to be done with which input, as it is carried to every process that works on it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

from core.trajectory.compress.metrics import AggregateMetrics
from core.trajectory.compress.settings import Settings
from core.trajectory.input.cut import Shard, cut, shard_size
from core.trajectory.input.sources import Source
from core.trajectory.summaries.base import SummarySpec
from core.trajectory.tokenizer import DEFAULT, fingerprint


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that decides the bytes of the output, and how long one entry may take.

    Attributes:
        parts: Folder of the part files.
        timeout: Seconds an entry may take.
        sample: Per cent of the entries; None takes all.
        dry: Nothing is written and nobody asked.
    """

    sources: tuple[Source, ...]
    settings: Settings
    summary: SummarySpec
    parts: str
    tokenizer: str = DEFAULT
    timeout: float = 300.0
    sample: float | None = None
    seed: int = 42
    dry: bool = False
    size: int = 0

    @property
    def shards(self) -> tuple[Shard, ...]:
        """The pieces of the input."""
        return cut(self.sources, self.size or shard_size(self.sources))

    def options(self) -> dict[str, Any]:
        """What the output depends on besides the input, under the names of the command line."""
        settings, summary = self.settings, self.summary
        choice = summary.choice
        return {
            "release": settings.release,
            "target": settings.target,
            "summary-target": settings.summary_target,
            "protect-last": settings.protect_last,
            "protected roles": list(settings.protected_roles),
            "notice": settings.notice,
            "metrics in entries": settings.attach_metrics,
            "tokenizer": fingerprint(self.tokenizer),
            "summariser": summary.kind,
            "summary-file": hashlib.sha256(summary.text.encode("utf-8", "replace")).hexdigest()[:16],
            "model": None if choice is None else f"{choice.model} at {choice.endpoint.host}",
            "sample": self.sample,
            "seed": self.seed if self.sample is not None else None,
        }

    def for_worker(self, workers: int) -> Job:
        """The same with its share of the requests that may be under way."""
        share = max(1, self.summary.concurrency // max(1, workers))
        return replace(self, summary=replace(self.summary, concurrency=share))


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry kept as it was.

    Attributes:
        line: From 1, in its shard.
        what: One clause.
    """

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class ShardResult:
    """What became of one shard.

    Attributes:
        lines: It has, blank ones too.
        written: Bytes of its part.
        problems: The first of them.
        sent: Tokens of all requests, as the provider counted or as they would be sent.
        received: Tokens of all answers.
    """

    index: int
    lines: int
    written: int
    metrics: AggregateMetrics
    problems: tuple[Problem, ...] = ()
    sent: int = 0
    received: int = 0


@dataclass(slots=True)
class Tally:
    """What a shard adds up while it is worked on."""

    metrics: AggregateMetrics = field(default_factory=AggregateMetrics)
    problems: list[Problem] = field(default_factory=list)
    lines: int = 0
    written: int = 0
    sent: int = 0
    received: int = 0
