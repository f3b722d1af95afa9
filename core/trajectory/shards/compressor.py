"""Compresses one line at a time: reads it, plans it, and writes it with its summary."""

from __future__ import annotations

from dataclasses import dataclass

from core.model.compaction.plan import Span
from core.trajectory.compress.metrics import TrajectoryMetrics
from core.trajectory.compress.plan import Count, Counter, Plan, Settings, after_summary, marked, plan_turns
from core.trajectory.entries.entry import Entry, read_entry, rewritten
from core.trajectory.entries.forms import BadEntry
from core.trajectory.summaries.base import SummaryMissing, Written


@dataclass(frozen=True, slots=True)
class Done:
    """A line of the output.

    Attributes:
        data: Its bytes, including the line end.
        metrics: Metrics of its trajectory; None for a blank line and for one that failed.
        problem: Why it was kept unchanged; "" if nothing went wrong.
        calls: For one that failed, requests sent in vain.
    """

    data: bytes
    metrics: TrajectoryMetrics | None = None
    problem: str = ""
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A trajectory that waits for its summary."""

    line: bytes
    entry: Entry
    plan: Plan

    @property
    def region(self) -> Span:
        """The turns the summary replaces."""
        assert self.plan.region is not None
        return self.plan.region


class Compressor:
    """Compresses lines; one that fails is kept unchanged."""

    def __init__(self, settings: Settings, count: Count) -> None:
        self.settings = settings
        self._rules = settings.rules
        self.count = count
        self._counter = Counter(count)

    def begin(self, line: bytes) -> Draft | Done:
        """Read and plan a line; one that needs no summary is done."""
        if not line.strip():
            return Done(line)
        try:
            entry = read_entry(line)
            plan = plan_turns(entry.turns, self.settings, self._rules, self._counter)
        except BadEntry as fault:
            return Done(ended(line), problem=str(fault))
        if entry.key is None:
            return Done(ended(line), TrajectoryMetrics())
        if plan.region is None:
            return Done(ended(line), plan.unchanged())
        return Draft(line, entry, plan)

    def counted(self, line: bytes) -> tuple[Entry, list[int]]:
        """An entry, and the tokens of each of its turns.

        Raises:
            BadEntry: It cannot be read.
        """
        entry = read_entry(line)
        plan = plan_turns(entry.turns, self.settings, self._rules, self._counter)
        return entry, list(plan.tokens)

    def finish(self, draft: Draft, written: Written) -> Done:
        """The line with its summary."""
        entry, plan = draft.entry, draft.plan
        summary = marked(written.text)
        try:
            metrics = after_summary(
                plan,
                entry.turns,
                self.settings.notice,
                self._counter,
                summary_tokens=self.count(summary),
                calls=written.calls,
                errors=written.errors,
            )
            attached = metrics.document() if self.settings.attach_metrics else None
            text = rewritten(entry, draft.region, summary, self.settings.notice, attached)
        except BadEntry as fault:
            return Done(ended(draft.line), problem=str(fault), calls=written.calls)
        return Done(ended(text), metrics)

    def failed(self, draft: Draft, missing: SummaryMissing) -> Done:
        """The line unchanged, because nobody could summarise it."""
        problem = f"no summary: {missing.failure.line}"
        return Done(ended(draft.line), problem=problem, calls=missing.calls)

    def foreseen(self, draft: Draft, calls: int) -> TrajectoryMetrics:
        """The metrics of a draft, given a summary of the requested size."""
        return after_summary(
            draft.plan,
            draft.entry.turns,
            self.settings.notice,
            self._counter,
            summary_tokens=self.settings.summary_target,
            calls=calls,
        )


def ended(line: bytes) -> bytes:
    """A line with its newline, which the last line of a file may lack."""
    return line if line.endswith(b"\n") else line + b"\n"
