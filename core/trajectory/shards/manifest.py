"""The manifest beside an OUTPUT: what the run was asked for, and a line for every shard that is finished."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.errors import UsageError
from core.trajectory.compress.metrics import AggregateMetrics
from core.trajectory.input.sources import is_remote, joined, opened, replaced, size_of
from core.trajectory.shards.job import Job, Problem, ShardResult

FORMAT = 1
_PAUSE = 5.0
"""Seconds between two writings of a manifest at a URL, which is written whole each time."""
_RESTART = "Use the same command line, or start over with --restart"


class Manifest:
    """The file, append-only: what is lost with a crash is at most the line being written."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._kept: list[bytes] = []  # of a remote manifest, which cannot be appended to
        self._sent = 0.0

    def finished(self, job: Job) -> dict[int, ShardResult]:
        """The shards that earlier runs finished and whose parts are there.

        Raises:
            UsageError: The manifest belongs to another input or to other options.
        """
        lines = self._lines()
        if not lines:
            return {}
        _compare(lines[0], header(job), self.path)
        results = (_result(line) for line in lines[1:] if "shard" in line)
        names = {shard.index: shard.name for shard in job.shards}
        return {
            found.index: found
            for found in results
            if found is not None
            and found.index in names
            and size_of(joined(job.parts, names[found.index])) == found.written
        }

    def exists(self) -> bool:
        """Whether an earlier run left one."""
        return bool(self._lines())

    def outputs(self) -> dict[str, int] | None:
        """The outputs that were joined, with their sizes; None before that."""
        return next((line["joined"] for line in reversed(self._lines()) if "joined" in line), None)

    def results(self) -> list[ShardResult]:
        """Every shard it tells of, in the order of the input."""
        found = [_result(line) for line in self._lines() if "shard" in line]
        return sorted(
            {one.index: one for one in found if one is not None}.values(), key=lambda one: one.index
        )

    def begin(self, job: Job, done: Mapping[int, ShardResult]) -> None:
        """Write it anew, with what is known: a torn last line goes with that."""
        self._kept = [_encoded(header(job)), *(_encoded(_line(done[index])) for index in sorted(done))]
        self._write_all()

    def add(self, result: ShardResult) -> None:
        """A shard is finished: its part lies under its name already."""
        self._append(_line(result), now=False)

    def finish(self, outputs: Mapping[str, int]) -> None:
        """The outputs are whole."""
        self._append({"joined": dict(outputs)}, now=True)

    def _append(self, line: Mapping[str, Any], *, now: bool) -> None:
        if is_remote(self.path):
            self._kept.append(_encoded(line))
            if now or time.monotonic() - self._sent > _PAUSE:
                self._write_all()
            return
        with open(self.path, "ab") as stream:
            stream.write(_encoded(line))
            stream.flush()
            os.fsync(stream.fileno())

    def _write_all(self) -> None:
        self._sent = time.monotonic()
        with replaced(self.path) as stream:
            stream.write(b"".join(self._kept))

    def _lines(self) -> list[dict[str, Any]]:
        """Every whole line."""
        if size_of(self.path) is None:
            return []
        with opened(self.path) as stream:
            data = stream.read()
        found = []
        for raw in data.split(b"\n")[:-1]:
            try:
                line = json.loads(raw)
            except ValueError:
                break
            if not isinstance(line, dict):
                break
            found.append(line)
        return found


def header(job: Job) -> dict[str, Any]:
    """What a run must have in common with the one before to go on with its parts."""
    shards = job.shards
    return {
        "hermes-inspector trajectory": FORMAT,
        "input": [source.identity for source in job.sources],
        "shards": len(shards),
        "shard_bytes": shards[0].end if len(shards) > 1 else None,
        "options": job.options(),
    }


def _compare(before: Mapping[str, Any], now: Mapping[str, Any], where: str) -> None:
    now = json.loads(json.dumps(now))
    if before == now:
        return
    raise UsageError(f"an earlier run {_difference(before, now)}", where=where, remedy=_RESTART)


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    if before.get("input") != now["input"]:
        old, new = before.get("input"), now["input"]
        if isinstance(old, list) and [one[:1] for one in old] == [one[:1] for one in new]:
            changed = next(one for was, one in zip(old, new, strict=True) if was != one)
            return f"read {changed[0]} before it changed"
        return "had another INPUT"
    was, asked = before.get("options") or {}, now["options"]
    for name, value in asked.items():
        if was.get(name) != value:
            return f"had other options: {name} was {was.get(name)} and is {value}"
    return "was cut or written by another version of hermes-inspector"


def _line(result: ShardResult) -> dict[str, Any]:
    return {
        "shard": result.index,
        "lines": result.lines,
        "bytes": result.written,
        "metrics": asdict(result.metrics),
        "problems": [[problem.line, problem.what] for problem in result.problems],
        "sent": result.sent,
        "received": result.received,
    }


def _result(line: Mapping[str, Any]) -> ShardResult | None:
    try:
        return ShardResult(
            index=int(line["shard"]),
            lines=int(line["lines"]),
            written=int(line["bytes"]),
            metrics=AggregateMetrics.from_values(line["metrics"]),
            problems=[Problem(at, what) for at, what in line["problems"]],
            sent=int(line["sent"]),
            received=int(line["received"]),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _encoded(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line).encode() + b"\n"
