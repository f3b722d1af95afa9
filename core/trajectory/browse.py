"""Lists a file of trajectories with the effect of compression on each, and shows one before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from core.compress.retention.score import retention_of
from core.model.compaction.plan import Span
from core.model.transcript.message import Message
from core.preview.comparison import Comparison
from core.redact.quick_check import masked_start
from core.trajectory.compress.metrics import TrajectoryMetrics
from core.trajectory.compress.plan import marked
from core.trajectory.entries.entry import METRICS, read_entry
from core.trajectory.input.cut import Shard, read_lines
from core.trajectory.input.sources import PLAIN
from core.trajectory.shards.compressor import Compressor, Done, Draft
from core.trajectory.shards.job import Job
from core.trajectory.summaries.base import SummarySpec
from core.trajectory.summaries.offline import messages, offline_writer
from core.trajectory.tokenizer import Deadline, open_tokenizer

_OPENING = 400
"""Characters kept of each trajectory's first request."""


class State(StrEnum):
    """The effect of compression on a trajectory."""

    FITS = "fits"
    SHORTENED = "shortened"
    OVER = "still over"
    FAILED = "failed"
    WITHOUT = "no turns"


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of the list.

    Attributes:
        source: Index of its file in the input.
        line: Its line in that file, from 1.
        start: Its first byte in a plain file; in other files it is found by its line.
        metrics: Before and after a summary of the requested size; None for an entry that failed.
        done: Whether it carries the metrics of an earlier run.
        problem: Why it failed.
        asked: The start of its first request, as written.
    """

    source: int
    line: int
    start: int
    state: State
    metrics: TrajectoryMetrics | None
    done: bool = False
    problem: str = ""
    asked: str = ""


@dataclass(slots=True)
class Sums:
    """Adds up a list as it grows.

    Attributes:
        counts: Entries by the effect of compression.
        over: Trajectories that are over the target before compression.
        tokens: Tokens of all trajectories before compression.
        saved: Tokens that summaries of the requested size would save.
    """

    counts: Counter[State] = field(default_factory=Counter)
    over: int = 0
    tokens: int = 0
    saved: int = 0

    def add(self, one: Listed) -> None:
        """Count an entry."""
        self.counts[one.state] += 1
        self.over += one.state in (State.SHORTENED, State.OVER)
        if one.metrics is not None:
            self.tokens += one.metrics.original_tokens
            self.saved += one.metrics.tokens_saved


def survey(job: Job) -> Iterator[Listed]:
    """Every entry in order, planned; blank lines are skipped.

    Raises:
        InspectorError: A file cannot be read.
    """
    deadline = Deadline(job.timeout)
    compressor = Compressor(job.settings, open_tokenizer(job.tokenizer, deadline.check))
    for place, source in enumerate(job.sources):
        start = 0
        for number, line in enumerate(read_lines(source, Shard(0, place, 0, None)), 1):
            if line.strip():
                deadline.begin()
                yield _listed(compressor, line, place, number, start)
            start += len(line)


def open_listed(job: Job, listed: Listed) -> Comparison | None:
    """An entry before and after, summarised offline; None for one that cannot be read.

    Raises:
        InspectorError: The file cannot be read.
    """
    deadline = Deadline(job.timeout)
    deadline.begin()
    compressor = Compressor(job.settings, open_tokenizer(job.tokenizer, deadline.check))
    line = _line(job, listed)
    begun = compressor.begin(line)
    if isinstance(begun, Done):
        return None if begun.metrics is None else _alone(compressor, line)
    return _both_sides(job, compressor, begun)


def _listed(compressor: Compressor, line: bytes, place: int, number: int, start: int) -> Listed:
    begun = compressor.begin(line)
    if isinstance(begun, Draft):
        metrics = compressor.foreseen(begun, 0)
        state = State.OVER if metrics.still_over_limit else State.SHORTENED
        return Listed(place, number, start, state, metrics, _carries_metrics(line), "", _first_request(line))
    if begun.metrics is None:
        return Listed(place, number, start, State.FAILED, None, problem=begun.problem)
    over = begun.metrics.still_over_limit
    state = State.OVER if over else State.FITS if begun.metrics.original_turns else State.WITHOUT
    return Listed(
        place, number, start, state, begun.metrics, _carries_metrics(line), "", _first_request(line)
    )


def _first_request(line: bytes) -> str:
    asked = (turn.text for turn in read_entry(line).turns if turn.role == "human")
    return masked_start(next(asked, ""), _OPENING)


def _carries_metrics(line: bytes) -> bool:
    return f'"{METRICS}"'.encode() in line


def _line(job: Job, listed: Listed) -> bytes:
    source = job.sources[listed.source]
    if source.kind == PLAIN:
        return next(read_lines(source, Shard(0, listed.source, listed.start, None)), b"")
    lines = read_lines(source, Shard(0, listed.source, 0, None))
    return next((line for number, line in enumerate(lines, 1) if number == listed.line), b"")


def _alone(compressor: Compressor, line: bytes) -> Comparison | None:
    """The comparison of a trajectory that is unchanged: all of it is head."""
    entry, tokens = compressor.counted(line)
    whole = tuple(messages(entry.turns, Span(0, len(entry.turns))))
    if not whole:
        return None
    count, nothing = len(whole), Span(len(whole), len(whole))
    return Comparison(
        before=whole,
        after=whole,
        head=Span(0, count),
        middle=nothing,
        tail=nothing,
        kept={at: at for at in range(count)},
        summary_index=None,
        summary="",
        before_tokens=sum(tokens),
        after_tokens=sum(tokens),
        made_by="",
        before_weights=tuple(tokens),
        after_weights=tuple(tokens),
    )


def _both_sides(job: Job, compressor: Compressor, draft: Draft) -> Comparison:
    turns, region, tokens = draft.entry.turns, draft.region, tuple(draft.plan.tokens)
    spec = job.summary if not job.summary.asks else SummarySpec()
    written = offline_writer(spec, job.settings)(turns, region)
    done = compressor.finish(draft, written)
    after = done.metrics
    before = tuple(messages(turns, Span(0, len(turns))))
    summary = marked(written.text)
    summary_message = Message({"role": "user", "content": summary})
    turns_after = range(region.end, len(turns))
    kept = {at: at for at in range(region.start)} | {at - region.size + 1: at for at in turns_after}
    weight = compressor.count(summary)
    return Comparison(
        before=before,
        after=(*before[: region.start], summary_message, *before[region.end :]),
        head=Span(0, region.start),
        middle=Span(region.start, region.end),
        tail=Span(region.end, len(turns)),
        kept=kept,
        summary_index=region.start,
        summary=written.text.strip(),
        before_tokens=draft.plan.total,
        after_tokens=after.compressed_tokens if after else draft.plan.total,
        made_by=spec.kind,
        retention=retention_of(before, Span(region.start, region.end), written.text, by_rule=True),
        before_weights=tokens,
        after_weights=(*tokens[: region.start], weight, *tokens[region.end :]),
    )
