"""Compresses shards on this machine, in this process or in several that share the forked tokenizer."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from queue import Empty
from typing import Any, Protocol

from core.errors import InspectorError
from core.trajectory.input.cut import Shard
from core.trajectory.shards.job import Job, Kept, ShardResult, kept_of
from core.trajectory.shards.part import compress_shard
from core.trajectory.shards.work import Report
from core.trajectory.tokenizer import open_tokenizer

_TICK = 0.5
_TRIES = 3
"""How often worker processes may be lost before the run gives up."""


class Engine(Protocol):
    """Compresses shards concurrently, in any order."""

    def results(
        self, job: Job, shards: Sequence[Shard], kept: Kept | None, report: Report
    ) -> Iterator[ShardResult]:
        """Compress the shards; each result is yielded as soon as its part is written.

        Raises:
            InspectorError: The input cannot be read.
            OSError: A part cannot be written.
        """
        ...


class LocalEngine:
    """Compresses shards on this machine, in a number of processes."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def results(
        self, job: Job, shards: Sequence[Shard], kept: Kept | None, report: Report
    ) -> Iterator[ShardResult]:
        """The shards as they are finished; see `Engine.results`."""
        if job.summary.asks and not job.dry:
            from core.trajectory.shards.in_flight import compress_asking  # asyncio, which others do without

            yield from compress_asking(job, shards, kept, report)
            return
        workers = min(self._jobs, len(shards))
        if workers <= 1:
            for shard in shards:
                yield compress_shard(job, shard, kept_of(kept, shard), report)
            return
        left = {shard.index: shard for shard in shards}
        for attempt in range(1, _TRIES + 1):
            try:
                for result in _pooled(job, list(left.values()), kept, report, workers):
                    del left[result.index]
                    yield result
                return
            except BrokenProcessPool as error:
                if attempt == _TRIES:
                    raise InspectorError(
                        "a worker process was killed again and again",
                        remedy="Is there enough memory? Try fewer with --jobs; finished shards are kept",
                    ) from error


def _pooled(
    job: Job, shards: Sequence[Shard], kept: Kept | None, report: Report, workers: int
) -> Iterator[ShardResult]:
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    open_tokenizer(job.tokenizer, lambda: None)("warm")  # forked processes share it
    results: Any = context.Queue()
    pool = ProcessPoolExecutor(workers, context, initializer=_settle, initargs=(job, results))
    try:
        waiting = {pool.submit(_work, shard, kept_of(kept, shard)) for shard in shards}
        while waiting:
            done, waiting = wait(waiting, timeout=_TICK, return_when=FIRST_COMPLETED)
            _hear(results, report)
            for future in done:
                yield future.result()
        _hear(results, report)
    finally:
        _stop(pool, results)


def _stop(pool: ProcessPoolExecutor, results: Any) -> None:
    """Terminate the workers, even in the middle of a shard: its part file does not exist yet."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        with suppress(OSError, AttributeError):
            process.terminate()
    for process in processes:
        process.join()
    results.close()


_job: Job
_told: Any


def _settle(job: Job, results: Any) -> None:
    """Prepare a worker: the parent handles Ctrl-C, and the worker ends whenever the parent does."""
    global _job, _told
    _job, _told = job, results
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(shard: Shard, kept: Collection[int] | None) -> ShardResult:
    return compress_shard(_job, shard, kept, lambda *done: _told.put(done))


def _hear(results: Any, report: Report) -> None:
    with suppress(Empty):
        while True:
            report(*results.get_nowait())
