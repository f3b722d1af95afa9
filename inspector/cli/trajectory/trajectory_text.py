"""The aggregate of a run for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def lines(document: Mapping[str, Any], *, dry: bool) -> Iterator[str]:
    """A few lines: how many, how much, what is still too long."""
    summary, tokens, turns = document["summary"], document["tokens"], document["turns"]
    would = "would be " if dry else ""
    yield (
        f"{summary['total_trajectories']:,} trajectories: "
        f"{summary['trajectories_compressed']:,} {would}compressed, "
        f"{summary['trajectories_skipped_under_target']:,} under the target, "
        f"{summary['trajectories_still_over_limit']:,} still over it, "
        f"{summary['trajectories_failed']:,} kept as they were because of a fault"
    )
    mark = "~" if dry else ""
    yield (
        f"tokens {tokens['total_before']:,} → {mark}{tokens['total_after']:,} "
        f"({mark}{tokens['overall_compression_ratio']:.1%}), "
        f"turns {turns['total_before']:,} → {turns['total_after']:,}"
    )
    price = document["price"]
    if price["calls"]:
        usd = "at an unknown price" if price["usd"] is None else f"for ~${price['usd']}"
        yield (
            f"{price['calls']:,} requests to {price['model']}, {mark}{price['prompt_tokens']:,} tokens sent, "
            f"{mark}{price['summary_tokens']:,} received, {usd}"
        )
    shards = document["shards"]
    if shards["taken_up"]:
        yield f"{shards['taken_up']:,} of {shards['total']:,} shards were finished before"
    yield f"{document['processing']['duration_seconds']:.1f} s"
