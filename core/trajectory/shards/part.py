"""Compressing one shard into its part file."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import IO

from core.trajectory.input.cut import Shard
from core.trajectory.shards.compressor import Done, Draft
from core.trajectory.shards.job import Job, ShardResult
from core.trajectory.shards.work import Report, ShardWork
from core.trajectory.summaries.base import SummaryMissing
from core.trajectory.summaries.offline import offline_writer
from core.trajectory.summaries.prompt import prompt_tokens


def compress_shard(
    job: Job, shard: Shard, kept: Collection[int] | None = None, report: Report | None = None
) -> ShardResult:
    """Read, compress and write one shard; the same input gives the same bytes.

    Args:
        job: The run.
        shard: The piece.
        kept: Entries of a sample by their place among those of the shard; None keeps all.
        report: Told of progress.

    Raises:
        ReadFault: The input cannot be read.
        OSError: The part cannot be written.
    """
    if job.summary.asks and not job.dry:
        from core.trajectory.shards.in_flight import compress_asking  # asyncio, which others do without

        return next(compress_asking(job, [shard], None if kept is None else {shard.index: kept}, report))
    work = ShardWork(job, shard, kept, report)
    with _without_collections():
        if job.dry:
            _foresee(work)
        else:
            with work.part() as stream:
                _write(work, stream)
    return work.result()


@contextmanager
def _without_collections() -> Iterator[None]:
    """Switch the search for cycles off: parsed JSON holds none, and looking takes a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _foresee(work: ShardWork) -> None:
    """Plan every entry and write nothing."""
    settings, tally = work.job.settings, work.tally
    calls = 1 if work.job.summary.asks else 0
    for number, begun in work.begun():
        if isinstance(begun, Done):
            work.take(number, begun)
            continue
        tally.metrics.add(work.compressor.foreseen(begun, calls))
        if calls:
            tally.sent += prompt_tokens(begun.entry.turns, begun.region, settings, work.compressor.count)
            tally.received += settings.summary_target


def _write(work: ShardWork, stream: IO[bytes]) -> None:
    """Compress every entry into a part."""
    writer = offline_writer(work.job.summary, work.job.settings)
    for number, begun in work.begun():
        done = begun
        if isinstance(begun, Draft):
            try:
                done = work.compressor.finish(begun, writer(begun.entry.turns, begun.region))
            except SummaryMissing as missing:
                done = work.compressor.failed(begun, missing)
        assert isinstance(done, Done)
        work.take(number, done)
        stream.write(done.data)
