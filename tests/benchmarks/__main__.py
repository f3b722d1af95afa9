"""`python -m tests.benchmarks`: every figure next to its limit.

Exits 1 when a figure misses its bound. Figures are the best of several runs, but a machine busy with other
work still shows; ratios are steadier than milliseconds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks import keys, opening, paint, planning, startup, stores, trajectories
from tests.benchmarks.measure import Result

SUITES: dict[str, Callable[[stores.Stores], Iterator[Result]]] = {
    "startup": startup.results,
    "paint": paint.results,
    "opening": opening.results,
    "planning": planning.results,
    "keys": keys.results,
    "trajectories": trajectories.results,
}


def main() -> int:
    """Run the suites asked for and print a table; 1 when a bound is missed."""
    args = _arguments()
    with tempfile.TemporaryDirectory(prefix="hermes-inspector-bench-") as scratch:
        made = stores.prepare(args.keep or Path(scratch), sessions=args.sessions, messages=args.messages)
        missed = 0
        for name in args.only or SUITES:
            for result in SUITES[name](made):
                missed += not result.met
                _show(result)
    return 1 if missed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--sessions", type=int, default=20_000, help="sessions of the large store")
    parser.add_argument("--messages", type=int, default=1_000_000, help="messages of the large store")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="make the stores here, or use those from before"
    )
    parser.add_argument("--only", action="append", choices=sorted(SUITES), help="one suite; may be repeated")
    return parser.parse_args()


def _show(result: Result) -> None:
    mark = "ok    " if result.met else "MISSED"
    sys.stdout.write(f"{mark} {result.value:>9.2f} {result.unit:<4} <= {result.target:<7g} {result.name}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
