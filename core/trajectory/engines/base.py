"""The interface of what compresses shards: this machine or a cluster."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from core.trajectory.input.cut import Shard
from core.trajectory.shards.job import Job, ShardResult
from core.trajectory.shards.work import Report

Kept = Mapping[int, Collection[int]]
"""Entries of a sample, by shard."""


def kept_of(kept: Kept | None, shard: Shard) -> Collection[int] | None:
    """Entries of a sample in one shard; None keeps all."""
    return None if kept is None else kept.get(shard.index, frozenset())


class Engine(Protocol):
    """Compresses shards, several at once, in any order."""

    def results(
        self, job: Job, shards: Sequence[Shard], kept: Kept | None, report: Report
    ) -> Iterator[ShardResult]:
        """Compress the shards; each result comes as soon as its part is written.

        Raises:
            InspectorError: The input cannot be read.
            OSError: A part cannot be written.
        """
        ...
