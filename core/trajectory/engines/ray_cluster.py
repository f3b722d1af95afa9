"""Shards as tasks of a Ray cluster (extra `ray`): the driver holds no rows, and lost work is repeated.

Every machine must reach the input and the folder of the parts under the same names: a shared disk, or URLs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any

from core.errors import ConfigError, InspectorError
from core.trajectory.input.cut import Shard
from core.trajectory.shards.job import Job, Kept, ShardResult, kept_of
from core.trajectory.shards.part import compress_shard
from core.trajectory.shards.work import Report

_TRIES = 5
"""How often a shard is repeated if its worker or machine is lost."""

_WAITING = 2
"""Tasks submitted at once, as a multiple of the cluster's processors."""


class RayEngine:
    """Compresses shards on a Ray cluster; the address `auto` finds the one this machine belongs to."""

    def __init__(self, address: str) -> None:
        self._address = address

    def results(
        self, job: Job, shards: Sequence[Shard], kept: Kept | None, report: Report
    ) -> Iterator[ShardResult]:
        """The shards as they are finished; see `Engine.results`."""
        if not shards:
            return
        with connect(self._address) as ray:
            processors = max(1, int(ray.cluster_resources().get("CPU", 1)))
            shared = ray.put(job.for_worker(min(processors, len(shards))))
            work = ray.remote(max_retries=_TRIES, num_cpus=1)(compress_shard)
            left = list(reversed(shards))
            waiting: dict[Any, Shard] = {}
            while left or waiting:
                while left and len(waiting) < _WAITING * processors:
                    shard = left.pop()
                    waiting[work.remote(shared, shard, kept_of(kept, shard))] = shard
                (done, *_), _ = ray.wait(list(waiting), num_returns=1)
                shard = waiting.pop(done)
                result = _taken(ray, done)
                metrics = result.metrics
                report(metrics.total_trajectories, metrics.total_tokens_before, _size(job, shard))
                yield result


def _size(job: Job, shard: Shard) -> int:
    """Approximate bytes of a shard of a plain file."""
    end = job.sources[shard.source].size if shard.end is None else shard.end
    return max(0, end - shard.start)


def _taken(ray: Any, done: Any) -> ShardResult:
    try:
        result: ShardResult = ray.get(done)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, InspectorError | OSError):
            raise cause from error
        raise
    except ray.exceptions.RayError as error:
        line = str(error).strip().partition("\n")[0]
        raise InspectorError(
            f"the cluster lost a shard again and again ({line})",
            remedy="Finished shards are kept: run the same command again",
        ) from error
    return result


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Ray, connected to a cluster until the block ends.

    Raises:
        ConfigError: Ray is not installed, or no cluster answers.
    """
    try:
        import ray
    except ImportError:
        raise ConfigError(
            "work on a cluster needs Ray", remedy="pip install 'hermes-inspector[ray]'"
        ) from None
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", configure_logging=False)
    except (ConnectionError, ValueError) as error:
        line = str(error).strip().partition("\n")[0]
        raise ConfigError(
            f"no Ray cluster answers ({line})", where=address, remedy="Start one: ray start --head"
        ) from error
    with redirect_stdout(sys.stderr):  # Ray prints what becomes of workers, until it has ended
        try:
            yield ray
        finally:
            ray.shutdown()
