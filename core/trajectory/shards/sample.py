"""A sample of the entries: the same ones a release takes with the same share and seed, in their own order."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from core.trajectory.input.cut import Shard
from core.trajectory.input.lines import LONGEST, read_lines
from core.trajectory.shards.job import Job


def chosen(job: Job) -> Mapping[int, frozenset[int]]:
    """Places of the sampled entries in their shard, by shard.

    The releases draw with `random.sample` from all entries of a file, the files in the order of their names
    and with one generator for all; only how many there are counts, so no entry is held.

    Args:
        job: With a sample.
    """
    assert job.sample is not None
    drawn = random.Random(job.seed)
    found: dict[int, frozenset[int]] = {}
    for place in range(len(job.sources)):
        shards = [shard for shard in job.shards if shard.source == place]
        counts = [_entries(job, shard) for shard in shards]
        total = sum(counts)
        wanted = min(total, max(1, int(total * job.sample / 100)))
        found |= _by_shard(shards, counts, sorted(drawn.sample(range(total), wanted)))
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
        within = len(line) == LONGEST and not line.endswith(b"\n")
    return count
