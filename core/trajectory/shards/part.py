"""Compresses a shard into its part file, and joins part files in order."""

from __future__ import annotations

import gc
import gzip
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from core.errors import ConfigError
from core.trajectory.input.cut import Shard
from core.trajectory.input.sources import (
    GZIP,
    PARQUET,
    ZSTD,
    joined,
    kind_of,
    make_folder,
    opened,
    replaced,
    size_of,
)
from core.trajectory.shards.compressor import Done, Draft
from core.trajectory.shards.job import Job, ShardResult
from core.trajectory.shards.work import Report, ShardWork
from core.trajectory.summaries.base import SummaryMissing, prompt_tokens
from core.trajectory.summaries.offline import offline_writer

_BUFFER = 2**20


def compress_shard(
    job: Job, shard: Shard, kept: Collection[int] | None = None, report: Report | None = None
) -> ShardResult:
    """Read, compress and write a shard, or the `kept` entries of it; the same input gives the same bytes.

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
    """Disable cycle collection: parsed JSON has no cycles, and looking for them takes a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _foresee(work: ShardWork) -> None:
    """Plan every entry without writing anything."""
    settings, found = work.job.settings, work.found
    calls = 1 if work.job.summary.asks else 0
    for number, begun in work.begun():
        if isinstance(begun, Done):
            work.take(number, begun)
            continue
        found.metrics.add(work.compressor.foreseen(begun, calls))
        if calls:
            found.sent += prompt_tokens(begun.entry.turns, begun.region, settings, work.compressor.count)
            found.received += settings.summary_target


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


def outputs(job: Job, output: str, *, folder: bool) -> dict[str, list[Shard]]:
    """The files a run writes, each with its shards; in a folder one for each input file."""
    if not folder:
        return {output: list(job.shards)}
    found: dict[str, list[Shard]] = {
        joined(output, _own_name(source.name, source.kind)): [] for source in job.sources
    }
    names = list(found)
    for shard in job.shards:
        found[names[shard.source]].append(shard)
    return found


def join(job: Job, path: str, shards: Sequence[Shard]) -> int:
    """Join the parts of an output; returns its size in bytes.

    Raises:
        OSError: A part cannot be read or the output cannot be written.
    """
    make_folder(path.rpartition("/")[0] or ".")
    with replaced(path) as raw, _packed(raw, kind_of(path)) as stream:
        for shard in shards:
            with opened(joined(job.parts, shard.name)) as part:
                shutil.copyfileobj(part, stream, _BUFFER)
    return size_of(path) or 0


def _own_name(name: str, kind: str) -> str:
    return f"{name}.jsonl" if kind == PARQUET else name


@contextmanager
def _packed(raw: IO[bytes], kind: str) -> Iterator[Any]:
    """A stream that compresses as the file's name says."""
    if kind == GZIP:
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0) as stream:
            yield stream
    elif kind == ZSTD:
        try:
            import zstandard
        except ImportError:
            raise ConfigError(
                "writing .zst needs the library zstandard", remedy="pip install 'hermes-inspector[zstd]'"
            ) from None
        with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as stream:
            yield stream
    else:
        yield raw
