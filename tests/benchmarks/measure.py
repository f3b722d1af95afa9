"""How time and memory are measured: whole processes, the best of several, compared as ratios."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

RUNS = 5
_BYTE_CODE = tempfile.TemporaryDirectory(prefix="hermes-inspector-byte-code-")
"""An installed program has its byte code, whatever the environment of the benchmarks says of writing it."""

_PEAK = """
import os, resource, sys
from inspector.cli.main import main
from tests.benchmarks import measure
told, sys.stdout = sys.stdout, open(os.devnull, "w")
assert main() == 0
workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(max(measure.peak(), workers), file=told)
"""


@dataclass(frozen=True, slots=True)
class Result:
    """One figure and the bound it is held to.

    Attributes:
        value: Milliseconds, MiB or a ratio, as `unit` says.
        target: The most it may be.
    """

    name: str
    value: float
    unit: str
    target: float

    @property
    def met(self) -> bool:
        """Whether the figure is within its bound."""
        return self.value <= self.target


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took: wall-clock seconds, and seconds of a processor."""

    seconds: float
    busy: float


def process(command: Sequence[str], *, runs: int = RUNS, **env: str) -> Cost:
    """The best time of a command over several runs.

    The best time is the least disturbed one; a machine doing other work only ever adds to it.
    """
    return _best([_once(command, env) for _ in range(runs)])


def in_turn(*commands: Sequence[str], runs: int = 2 * RUNS, anew: bool = False) -> list[Cost]:
    """The same for several commands, run in turn because a machine's speed changes from minute to minute.

    Args:
        commands: To compare.
        runs: Of each.
        anew: Each run finds an empty cache, and no journal.
    """
    run = _once_anew if anew else _once
    costs = [[run(command, {}) for command in commands] for _ in range(runs)]
    return [_best(found) for found in zip(*costs, strict=True)]


def beside(
    command: Sequence[str], baseline: Sequence[str], *, runs: int = 2 * RUNS, anew: bool = False
) -> float:
    """How many times as long a processor takes for a command as for another, each at its best."""
    ours, theirs = in_turn(command, baseline, runs=runs, anew=anew)
    return ours.busy / theirs.busy


def user_of(folder: str) -> dict[str, str]:
    """The environment of a user whose cache and journal lie in a folder."""
    return {"XDG_CACHE_HOME": folder, "XDG_STATE_HOME": folder}


def python_command(code: str, *arguments: str) -> list[str]:
    """A piece of Python for an interpreter of its own."""
    return [sys.executable, "-c", code, *arguments]


def inspector_command(*words: str) -> list[str]:
    """A command line of the inspector."""
    return [sys.executable, "-m", "inspector", *words]


def figures(code: str, *arguments: str, **env: str) -> list[float]:
    """The numbers a piece of Python prints, one a line, run in an interpreter of its own."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, env={**os.environ, **env}, check=True)
    return [float(line) for line in done.stdout.split()]


def inspector(*words: str, runs: int = RUNS) -> Cost:
    """What a command line of the inspector costs."""
    return process(inspector_command(*words), runs=runs)


def peak() -> float:
    """The peak resident memory of this process in MiB.

    What the system says of a child that has ended also holds what its parent held when it started it.
    """
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def inspector_peak(*words: str) -> float:
    """The peak resident memory in MiB of a command line of the inspector, with a cache that is empty.

    The largest of its processes counts, not their sum.
    """
    with tempfile.TemporaryDirectory() as empty:
        (most,) = figures(_PEAK, *words, **user_of(empty))
    return most


def call(action: Callable[[], object], *, runs: int = RUNS) -> float:
    """The best time of a call in this process, in seconds."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def _best(costs: Sequence[Cost]) -> Cost:
    return Cost(min(cost.seconds for cost in costs), min(cost.busy for cost in costs))


def _once_anew(command: Sequence[str], env: dict[str, str]) -> Cost:
    with tempfile.TemporaryDirectory() as empty:
        return _once(command, {**user_of(empty), **env})


def _once(command: Sequence[str], env: dict[str, str]) -> Cost:
    own = {"PYTHONPYCACHEPREFIX": _BYTE_CODE.name, "PYTHONDONTWRITEBYTECODE": ""}
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **own, **env})
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise subprocess.CalledProcessError(child.returncode, command)
    return Cost(seconds, usage.ru_utime + usage.ru_stime)
