"""A whole run: input to shards, shards to parts, parts to output; resumes an earlier one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import InspectorError, UsageError
from core.trajectory.compress.metrics import AggregateMetrics
from core.trajectory.engines.local import Engine
from core.trajectory.input.cut import Shard
from core.trajectory.input.sources import drop_unfinished, is_remote, make_folder, remove_folder, size_of
from core.trajectory.shards.job import Job, Kept, ShardResult, sampled_entries
from core.trajectory.shards.manifest import Manifest
from core.trajectory.shards.part import join, outputs
from core.trajectory.shards.work import Report

OnProblem = Callable[[str, int, str], None]
"""Called with the file, the line from 1 and the problem, in input order."""
_ANOTHER = "Name another file to write to"
_RESTART = "Name another OUTPUT, or write over it with --restart"


@dataclass(frozen=True, slots=True)
class Listener:
    """Callbacks that follow a run.

    Attributes:
        report: Called with entries, tokens and bytes of input done since the last call.
        problem: Called for entries that were kept unchanged.
        result: Called for every shard, also for those that an earlier run finished.
    """

    report: Report
    problem: OnProblem
    result: Callable[[ShardResult], None]


class OutputFault(InspectorError):  # noqa: N818 - the output could not be written
    """The output cannot be written."""

    exit_code = 5


@dataclass(frozen=True, slots=True)
class Target:
    """Where a run writes.

    Attributes:
        output: OUTPUT, a file or a folder.
        folder: Whether it gets one file for each input file.
        keep_parts: Whether the parts are the output and are not joined.
    """

    output: str
    folder: bool
    keep_parts: bool

    @property
    def manifest(self) -> str:
        """Path of the manifest, beside the output."""
        return f"{self.output.rstrip('/')}.manifest.jsonl"

    @property
    def parts(self) -> str:
        """The folder of the parts."""
        output = self.output.rstrip("/")
        return output if self.keep_parts else f"{output}.parts"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run.

    Attributes:
        taken_up: Shards that an earlier run had finished.
        problems: Entries that were kept unchanged, the first ones of each shard.
    """

    metrics: AggregateMetrics
    shards: int
    taken_up: int
    sent: int
    received: int
    problems: tuple[tuple[str, int, str], ...]


def foresee(job: Job, engine: Engine, listener: Listener) -> Outcome:
    """Plan a run without writing or asking a model."""
    tally = _Results(job, listener)
    for result in engine.results(job, job.shards, _kept(job), listener.report):
        tally.add(result, earlier=False)
    return tally.outcome()


def run(job: Job, target: Target, engine: Engine, listener: Listener, *, restart: bool) -> Outcome:
    """Compress an input into an output; `restart` discards what an earlier run left.

    Raises:
        UsageError: The output is part of the input, or belongs to another run.
        OutputFault: Something cannot be written.
        InspectorError: The input cannot be read.
    """
    planned = {} if target.keep_parts else outputs(job, target.output, folder=target.folder)
    _check_apart(job, [*planned, target.output])
    try:
        return _run(job, target, planned, engine, listener, restart=restart)
    except OSError as error:
        raise OutputFault(
            f"cannot be written ({error.strerror or error})",
            where=str(error.filename or target.output),
            remedy="Finished shards are kept: run the same command again once that is fixed",
        ) from error


def _run(
    job: Job,
    target: Target,
    planned: Mapping[str, Sequence[Shard]],
    engine: Engine,
    listener: Listener,
    *,
    restart: bool,
) -> Outcome:
    for path in (*planned, target.manifest):
        drop_unfinished(path)
    manifest = Manifest(target.manifest)
    tally = _Results(job, listener)
    done = {} if restart else manifest.finished(job)
    if not restart and _is_whole(manifest, planned):
        return _told_again(job, manifest, tally, in_parts=bool(planned))
    if not restart and not manifest.exists():
        _check_free(planned or [target.parts])
    if not done:
        remove_folder(job.parts)
    make_folder(job.parts)
    manifest.begin(job, done)
    for result in done.values():
        tally.add(result, earlier=True)
    left = [shard for shard in job.shards if shard.index not in done]
    for result in engine.results(job, left, _kept(job) if left else None, listener.report):
        manifest.add(result)
        tally.add(result, earlier=False)
    manifest.finish({path: join(job, path, shards) for path, shards in planned.items()})
    if planned:
        remove_folder(job.parts)
    return tally.outcome()


def _told_again(job: Job, manifest: Manifest, tally: _Results, *, in_parts: bool) -> Outcome:
    """The outcome of a run that was finished earlier."""
    for result in manifest.results():
        tally.add(result, earlier=True)
    if in_parts:
        remove_folder(job.parts)  # of a run that was stopped while it did so
    return tally.outcome()


class _Results:
    """Adds up shards in input order, whatever order they are finished in."""

    def __init__(self, job: Job, listener: Listener) -> None:
        self._job = job
        self._shards = job.shards
        self._listener = listener
        self._found: dict[int, ShardResult] = {}
        self._earlier = 0
        self._next = 0
        self._lines: dict[int, int] = {}
        self._problems: list[tuple[str, int, str]] = []

    def add(self, result: ShardResult, *, earlier: bool) -> None:
        """Take a finished shard; problems are reported once all lines before them are counted."""
        self._found[result.index] = result
        self._earlier += earlier
        self._listener.result(result)
        while (found := self._found.get(self._next)) is not None:
            self._name(found)
            self._next += 1

    def outcome(self) -> Outcome:
        """The sum of all shards."""
        metrics = AggregateMetrics()
        found = [self._found[index] for index in sorted(self._found)]
        for one in found:
            metrics.merge(one.metrics)
        sent, received = sum(one.sent for one in found), sum(one.received for one in found)
        return Outcome(metrics, len(self._shards), self._earlier, sent, received, tuple(self._problems))

    def _name(self, found: ShardResult) -> None:
        source = self._shards[found.index].source
        before = self._lines.get(source, 0)
        for problem in found.problems:
            one = (self._job.sources[source].path, before + problem.line, problem.what)
            self._problems.append(one)
            self._listener.problem(*one)
        self._lines[source] = before + found.lines


def _kept(job: Job) -> Kept | None:
    return None if job.sample is None else sampled_entries(job)


def _is_whole(manifest: Manifest, planned: Mapping[str, Any]) -> bool:
    """Whether an earlier run finished and its outputs are unchanged."""
    sizes = manifest.outputs()
    return sizes is not None and all(size_of(path) == sizes.get(path) for path in planned)


def _check_apart(job: Job, paths: Sequence[str]) -> None:
    inputs = {os.path.realpath(source.path) for source in job.sources}
    for path in paths:
        if is_remote(path):
            continue
        if os.path.realpath(path) in inputs:
            raise UsageError("OUTPUT is the INPUT", where=path, remedy=_ANOTHER)
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise UsageError("OUTPUT is a device or a pipe", where=path, remedy=_ANOTHER)


def _check_free(paths: Iterable[str]) -> None:
    for path in paths:
        if os.path.isdir(path):
            if os.listdir(path):
                raise UsageError("there is something in this folder", where=path, remedy=_RESTART)
        elif size_of(path):
            raise UsageError("there is a file of this name", where=path, remedy=_RESTART)
