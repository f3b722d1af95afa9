"""Example: hermes-inspector trajectory runs.jsonl short.jsonl --target 16000.

INPUT is a .jsonl file (also .gz, .zst or .parquet), a folder of them, or a quoted pattern. Entries with
`conversations` (ShareGPT), `messages` or `trajectory` (OpenAI) keep their form. An entry that cannot be
compressed is left as it is and named on stderr. After a stop, run the same command again: finished shards
are kept.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from core.errors import UsageError
from core.trajectory.run import Listener
from core.trajectory.shards.job import Job, ShardResult
from inspector.cli import output
from inspector.cli.arguments import options
from inspector.cli.trajectory import job as jobs
from inspector.cli.trajectory import trajectory_options
from inspector.payloads.values import dumps

if TYPE_CHECKING:
    from core.trajectory.engines.local import Engine
    from core.trajectory.input.sources import Input
    from core.trajectory.run import Outcome

_REDRAWN, _PRINTED = 0.2, 10.0
"""Seconds between two progress lines, on a terminal and elsewhere."""

_ESTIMATE_AFTER = 0.01
"""Share of the input after which the remaining time is shown."""

NAMED = 20
"""Problems reported one by one; --json and --metrics have more."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add INPUT, OUTPUT and the options of `trajectory`."""
    trajectory_options.add_arguments(parser)
    options.add_json_option(parser)


def run(args: argparse.Namespace) -> int:
    """Compress trajectories, or report what would be done."""
    from core.trajectory.input.sources import find_input

    if args.output is None and not (args.dry_run or args.browse):
        raise UsageError(
            "OUTPUT is missing", where="trajectory", remedy="Name a file or folder, or try --dry-run first"
        )
    if not args.browse and (args.screenshot or args.size):
        raise UsageError(f"{'--screenshot' if args.screenshot else '--size'} goes with --browse")
    found = find_input(args.input)
    if args.browse:
        return browse(args, found)
    began, clock = datetime.now(UTC), time.monotonic()
    outcome, job = _outcome(args, found)
    document = _document(outcome, job, began, time.monotonic() - clock)
    if args.metrics:
        _write_metrics(args.metrics, document)
    return output.show(args, lambda: document, _lines(document, dry=args.dry_run))


def _outcome(args: argparse.Namespace, found: Input) -> tuple[Outcome, Job]:
    from core.trajectory.run import foresee, run

    job, target = jobs.job(args, found)
    engine = _engine(args)
    with Progress(job) as progress:
        if args.dry_run:
            return foresee(job, engine, progress.listener), job
        jobs.agree(args, job, engine)
        return run(job, target, engine, progress.listener, restart=args.restart), job


def _engine(args: argparse.Namespace) -> Engine:
    if args.engine == "ray":
        from core.trajectory.engines.ray_cluster import RayEngine

        return RayEngine(args.address or "auto")
    from core.trajectory.engines.local import LocalEngine

    return LocalEngine(args.jobs)


def _document(outcome: Outcome, job: Job, began: datetime, seconds: float) -> dict[str, Any]:
    """The totals in the form Hermes' own tool writes, and our additions."""
    return {
        **outcome.metrics.document(),
        "processing": {
            "start_time": began.isoformat(),
            "end_time": datetime.now(UTC).isoformat(),
            "duration_seconds": round(seconds, 2),
        },
        "release": job.settings.release,
        "dry_run": job.dry,
        "summariser": job.summary.kind,
        "shards": {"total": outcome.shards, "taken_up": outcome.taken_up},
        "price": jobs.price(job, outcome),
        "kept_as_they_were": [
            {"file": file, "line": line, "what": what} for file, line, what in outcome.problems
        ],
    }


def _write_metrics(path: str, document: dict[str, Any]) -> None:
    from core.trajectory.input.sources import replaced
    from core.trajectory.run import OutputFault

    try:
        with replaced(path) as stream:
            stream.write(f"{dumps(document, indent=2)}\n".encode())
    except OSError as error:
        raise OutputFault(f"cannot be written ({error.strerror or error})", where=path) from error


def browse(args: argparse.Namespace, found: Input) -> int:
    """Open the list of trajectories in the app, or draw one frame of it."""
    from core.support.own_files import OWN_KEYS, config_directory
    from inspector.app import InspectorApp
    from inspector.cli.app import open as app
    from inspector.screens.trajectories.screen import TrajectoriesScreen

    job, _ = jobs.job(args, found)
    keys = config_directory() / OWN_KEYS
    shown = None if args.screenshot else app.colours()
    running = InspectorApp(
        (), keys=keys, colours=shown, home=lambda: TrajectoriesScreen(replace(job, dry=True))
    )
    return app.show(running, args.screenshot, args.size)


def _lines(document: Mapping[str, Any], *, dry: bool) -> Iterator[str]:
    """A few lines: how many trajectories, how many tokens, what is still too long."""
    summary, tokens, turns = document["summary"], document["tokens"], document["turns"]
    would, are = ("would be ", "would still be") if dry else ("", "are still")
    failed = f", {summary['trajectories_failed']:,} left unchanged because of an error"
    yield (
        f"{summary['total_trajectories']:,} trajectories: "
        f"{summary['trajectories_compressed']:,} {would}compressed, "
        f"{summary['trajectories_skipped_under_target']:,} fit already; "
        f"{summary['trajectories_still_over_limit']:,} {are} over the target"
        f"{failed if summary['trajectories_failed'] else ''}"
    )
    mark = "~" if dry else ""
    yield (
        f"tokens {tokens['total_before']:,} → {mark}{tokens['total_after']:,} "
        f"({mark}{tokens['overall_compression_ratio']:.1%} of them), "
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


class Progress:
    """Reports the progress of a run; a context manager."""

    def __init__(self, job: Job) -> None:
        self._bytes = sum(source.size for source in job.sources) or 1
        self._shards = len(job.shards)
        self._asks = job.summary.asks
        self._entries = self._tokens = self._read = self._calls = self._done = self._problems = 0
        self._began = time.monotonic()
        self._shown = self._began
        self._drawn = sys.stderr is not None and sys.stderr.isatty()
        self.listener = Listener(self._report, self._problem, self._result)

    def __enter__(self) -> Self:
        """Start; the clock runs since construction."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Clear the line on a terminal, and report how many problems were not named."""
        self._clear()
        if self._problems > NAMED:
            output.write_note(f"{self._problems - NAMED:,} more entries were left unchanged")

    def _report(self, entries: int, tokens: int, read: int) -> None:
        self._entries += entries
        self._tokens += tokens
        self._read += read
        self._show()

    def _result(self, result: ShardResult) -> None:
        self._done += 1
        self._calls += result.metrics.total_summarization_calls
        self._show()

    def _problem(self, file: str, line: int, what: str) -> None:
        self._problems += 1
        if self._problems <= NAMED:
            self._clear()
            output.write_note(f"{file}:{line}: left unchanged: {what}")

    def _show(self) -> None:
        now = time.monotonic()
        if now - self._shown < (_REDRAWN if self._drawn else _PRINTED):
            return
        self._shown = now
        line = self._line(now - self._began)
        if self._drawn:
            sys.stderr.write(f"\r{line}\x1b[K")
            sys.stderr.flush()
        else:
            output.write_note(line)

    def _line(self, seconds: float) -> str:
        share = self._read / self._bytes
        left = seconds * (1 - share) / share if _ESTIMATE_AFTER < share < 1 else 0.0
        parts = [
            f"{self._entries:,} entries",
            f"{self._tokens:,} tokens",
            f"{self._tokens / max(seconds, 0.001):,.0f} tokens/s",
            f"shard {self._done:,} of {self._shards:,}",
        ]
        parts += [f"{self._calls:,} requests"] if self._asks else []
        parts += [f"{left:,.0f} s left"] if left else []
        return ", ".join(parts)

    def _clear(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
