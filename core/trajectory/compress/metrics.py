"""The effect of compression on one and on all trajectories, under the names that the releases document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from core.model.compaction.plan import Span


@dataclass(frozen=True, slots=True)
class TrajectoryMetrics:
    """A trajectory before and after.

    Attributes:
        region: The turns replaced by a summary; None if nothing was replaced.
    """

    original_tokens: int = 0
    compressed_tokens: int = 0
    original_turns: int = 0
    compressed_turns: int = 0
    region: Span | None = None
    still_over_limit: bool = False
    skipped_under_target: bool = False
    summarization_api_calls: int = 0
    summarization_errors: int = 0

    @property
    def was_compressed(self) -> bool:
        """Whether a summary replaced something."""
        return self.region is not None

    @property
    def tokens_saved(self) -> int:
        """Tokens saved; negative if the summary is larger than what it replaced."""
        return self.original_tokens - self.compressed_tokens

    @property
    def compression_ratio(self) -> float:
        """Tokens after divided by tokens before; 1 for an unchanged trajectory."""
        return self.compressed_tokens / max(self.original_tokens, 1) if self.was_compressed else 1.0

    def document(self) -> dict[str, Any]:
        """The metrics as in a compressed entry, with keys in the order of the releases."""
        region = self.region
        return {
            "original_tokens": self.original_tokens,
            "compressed_tokens": self.compressed_tokens,
            "tokens_saved": self.tokens_saved,
            "compression_ratio": round(self.compression_ratio, 4),
            "original_turns": self.original_turns,
            "compressed_turns": self.compressed_turns,
            "turns_removed": self.original_turns - self.compressed_turns,
            "compression_region": {
                "start_idx": -1 if region is None else region.start,
                "end_idx": -1 if region is None else region.end,
                "turns_count": 0 if region is None else region.size,
            },
            "was_compressed": self.was_compressed,
            "still_over_limit": self.still_over_limit,
            "skipped_under_target": self.skipped_under_target,
            "summarization_api_calls": self.summarization_api_calls,
            "summarization_errors": self.summarization_errors,
        }


_COUNTS = (
    *("total_trajectories", "trajectories_compressed", "trajectories_skipped_under_target"),
    *("trajectories_still_over_limit", "trajectories_failed"),
)


@dataclass(slots=True)
class AggregateMetrics:
    """Sums over trajectories; those of shards are added in input order.

    Attributes:
        total_trajectories: Entries of the output, including failed ones and those without turns.
        trajectories_failed: Entries kept unchanged because they could not be read or compressed.
        ratio_sum: Sum of the ratios of the compressed ones.
        saved_sum: Sum of the tokens saved in the compressed ones.
        removed_sum: Sum of the turns removed from the compressed ones.
    """

    total_trajectories: int = 0
    trajectories_compressed: int = 0
    trajectories_skipped_under_target: int = 0
    trajectories_still_over_limit: int = 0
    trajectories_failed: int = 0
    total_tokens_before: int = 0
    total_tokens_after: int = 0
    total_turns_before: int = 0
    total_turns_after: int = 0
    total_summarization_calls: int = 0
    total_summarization_errors: int = 0
    ratio_sum: float = 0.0
    saved_sum: int = 0
    removed_sum: int = 0

    def add(self, one: TrajectoryMetrics) -> None:
        """Count a trajectory."""
        self.total_trajectories += 1
        self.total_tokens_before += one.original_tokens
        self.total_tokens_after += one.compressed_tokens
        self.total_turns_before += one.original_turns
        self.total_turns_after += one.compressed_turns
        self.total_summarization_calls += one.summarization_api_calls
        self.total_summarization_errors += one.summarization_errors
        self.trajectories_skipped_under_target += one.skipped_under_target
        self.trajectories_still_over_limit += one.still_over_limit
        if one.was_compressed:
            self.trajectories_compressed += 1
            self.ratio_sum += one.compression_ratio
            self.saved_sum += one.tokens_saved
            self.removed_sum += one.original_turns - one.compressed_turns

    def fail(self, calls: int = 0, errors: int = 0) -> None:
        """Count an entry kept unchanged because something went wrong."""
        self.total_trajectories += 1
        self.trajectories_failed += 1
        self.total_summarization_calls += calls
        self.total_summarization_errors += errors

    def merge(self, other: AggregateMetrics) -> None:
        """Add the sums of another shard."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Restore sums from their values.

        Raises:
            KeyError: A value is missing.
        """
        return cls(**{field.name: values[field.name] for field in fields(cls)})

    def document(self) -> dict[str, Any]:
        """The sums as the releases write them, without the times of the run."""
        total, compressed = max(self.total_trajectories, 1), max(self.trajectories_compressed, 1)
        saved = self.total_tokens_before - self.total_tokens_after
        mean_ratio = self.ratio_sum / compressed if self.trajectories_compressed else 1.0
        failed_share = self.total_summarization_errors / max(self.total_summarization_calls, 1)
        return {
            "summary": {
                **{name: getattr(self, name) for name in _COUNTS},
                "compression_rate": round(self.trajectories_compressed / total, 4),
            },
            "tokens": {
                "total_before": self.total_tokens_before,
                "total_after": self.total_tokens_after,
                "total_saved": saved,
                "overall_compression_ratio": round(
                    self.total_tokens_after / max(self.total_tokens_before, 1), 4
                ),
            },
            "turns": {
                "total_before": self.total_turns_before,
                "total_after": self.total_turns_after,
                "total_removed": self.total_turns_before - self.total_turns_after,
            },
            "averages": {
                "avg_compression_ratio": round(mean_ratio, 4),
                "avg_tokens_saved_per_compressed": round(self.saved_sum / compressed, 1),
                "avg_turns_removed_per_compressed": round(self.removed_sum / compressed, 2),
            },
            "summarization": {
                "total_api_calls": self.total_summarization_calls,
                "total_errors": self.total_summarization_errors,
                "success_rate": round(1 - failed_share, 4),
            },
        }
