"""Example: hermes-inspector trajectory runs.jsonl short.jsonl --target 16000.

INPUT is a .jsonl file (also .gz, .zst or .parquet), a folder of them, or a pattern in quotes. Entries with
`conversations` (ShareGPT), `messages` or `trajectory` (OpenAI) keep their form. An entry that cannot be
compressed stays as it was and is named on stderr. Run the same command again after a stop: finished shards
are kept.
"""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from inspector.cli import output
from inspector.cli.arguments import options
from inspector.cli.trajectory import job as jobs
from inspector.cli.trajectory import price as prices
from inspector.cli.trajectory import trajectory_options

if TYPE_CHECKING:
    from core.trajectory.engines.base import Engine
    from core.trajectory.input.sources import Input
    from core.trajectory.run import Outcome
    from core.trajectory.shards.job import Job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """INPUT, OUTPUT and how."""
    trajectory_options.add_arguments(parser)
    options.add_json_option(parser)


def run(args: argparse.Namespace) -> int:
    """Compress, or say what would be done."""
    from core.trajectory.input.sources import find_input

    if args.output is None and not (args.dry_run or args.browse):
        raise UsageError("OUTPUT is missing", where="trajectory", remedy="Or look first with --dry-run")
    found = find_input(args.input)
    if args.browse:
        from inspector.cli.trajectory import browse

        return browse.start(args, found)
    began, clock = datetime.now(UTC), time.monotonic()
    outcome, job = _outcome(args, found)
    document = _document(outcome, job, began, time.monotonic() - clock)
    if args.metrics:
        _write_metrics(args.metrics, document)
    if args.json:
        output.write_json(document)
    else:
        from inspector.cli.trajectory.trajectory_text import lines

        output.write_lines(lines(document, dry=args.dry_run))
    return 0


def _outcome(args: argparse.Namespace, found: Input) -> tuple[Outcome, Job]:
    from core.trajectory.run import foresee, run
    from inspector.cli.trajectory.progress import Progress

    job, target = jobs.job(args, found)
    engine = _engine(args)
    with Progress(job, engine_name=args.engine) as progress:
        if args.dry_run:
            return foresee(job, engine, progress.listener), job
        prices.agree(args, job, engine)
        return run(job, target, engine, progress.listener, restart=args.restart), job


def _engine(args: argparse.Namespace) -> Engine:
    if args.engine == "ray":
        from core.trajectory.engines.ray_cluster import RayEngine

        return RayEngine(args.address or "auto")
    from core.trajectory.engines.local import LocalEngine

    return LocalEngine(args.jobs)


def _document(outcome: Outcome, job: Job, began: datetime, seconds: float) -> dict[str, Any]:
    """The aggregate of the releases, and what only we know."""
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
        "price": prices.price(job, outcome),
        "kept_as_they_were": [
            {"file": file, "line": line, "what": what} for file, line, what in outcome.problems
        ],
    }


def _write_metrics(path: str, document: dict[str, Any]) -> None:
    from core.trajectory.input.files import replaced
    from core.trajectory.run import OutputFault
    from inspector.payloads.values import dumps

    try:
        with replaced(path) as stream:
            stream.write(f"{dumps(document, indent=2)}\n".encode())
    except OSError as error:
        raise OutputFault(f"cannot be written ({error.strerror or error})", where=path) from error
