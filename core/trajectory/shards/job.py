"""A run's job: what to do with which input, as sent to every process that works on it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.trajectory.compress.metrics import AggregateMetrics
from core.trajectory.compress.plan import Settings
from core.trajectory.input.cut import MAX_LINE, Shard, cut, read_lines, shard_size
from core.trajectory.input.sources import Source
from core.trajectory.summaries.base import SummarySpec
from core.trajectory.tokenizer import DEFAULT, fingerprint


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that determines the output's bytes, and the time limit of an entry.

    Attributes:
        parts: Folder of the part files.
        timeout: Seconds an entry may take.
        sample: Percentage of the entries; None takes all.
        dry: Whether nothing is written and no model is asked.
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
        """The same job with one worker's share of the concurrent requests."""
        share = max(1, self.summary.concurrency // max(1, workers))
        return replace(self, summary=replace(self.summary, concurrency=share))


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry kept unchanged.

    Attributes:
        line: Its line in its shard, from 1.
        what: One clause.
    """

    line: int
    what: str


@dataclass(slots=True)
class ShardResult:
    """The result of a shard, added up while its lines are compressed.

    Attributes:
        lines: Its number of lines, including blank ones.
        written: Bytes of its part.
        problems: The first problems.
        sent: Tokens of all requests, as counted by the provider or as they would be sent.
        received: Tokens of all answers.
    """

    index: int
    lines: int = 0
    written: int = 0
    metrics: AggregateMetrics = field(default_factory=AggregateMetrics)
    problems: list[Problem] = field(default_factory=list)
    sent: int = 0
    received: int = 0


Kept = Mapping[int, Collection[int]]
"""Indexes of the sampled entries within their shard, by shard."""


def kept_of(kept: Kept | None, shard: Shard) -> Collection[int] | None:
    """The sampled entries of one shard; None keeps all."""
    return None if kept is None else kept.get(shard.index, frozenset())


def sampled_entries(job: Job) -> Kept:
    """The entries of a job with a sample.

    The releases draw with `random.sample` from all entries of a file, the files in name order and with one
    generator for all; only the number of entries matters, so none is held in memory.
    """
    assert job.sample is not None
    drawn = random.Random(job.seed)
    found: dict[int, frozenset[int]] = {}
    for place in range(len(job.sources)):
        shards = [shard for shard in job.shards if shard.source == place]
        counts = [_entries(job, shard) for shard in shards]
        total = sum(counts)
        count = min(total, max(1, int(total * job.sample / 100)))
        found |= _by_shard(shards, counts, sorted(drawn.sample(range(total), count)))
    return found


def _by_shard(
    shards: Sequence[Shard], counts: Sequence[int], places: Sequence[int]
) -> dict[int, frozenset[int]]:
    found = {}
    first = at = 0
    for shard, count in zip(shards, counts, strict=True):
        end = at
        while end < len(places) and places[end] < first + count:
            end += 1
        found[shard.index] = frozenset(place - first for place in places[at:end])
        first, at = first + count, end
    return found


def _entries(job: Job, shard: Shard) -> int:
    """Lines that are not blank; a line that is read in pieces counts once."""
    count = 0
    within = False
    for line in read_lines(job.sources[shard.source], shard):
        count += bool(line.strip()) and not within
        within = len(line) == MAX_LINE and not line.endswith(b"\n")
    return count
