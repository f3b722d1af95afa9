"""Runs one command over many machines in parallel, and joins their output in one document."""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any


def examine(words: Sequence[str], place: str) -> dict[str, Any]:
    """Run a command on one machine, named by a home or a state.db, and return its JSON."""
    from inspector.cli.main import run

    option = "--home" if Path(place).is_dir() else "--db"
    said, failed = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(failed):
        code = run([*words, option, place, "--json"])
    result = _document(said.getvalue())
    error = None if result is not None else _reason(failed.getvalue())
    return {"machine": place, "exit_code": code, "error": error, "result": result}


def on_this_machine(
    words: Sequence[str], places: Sequence[str], jobs: int, done: Callable[[], None]
) -> list[dict[str, Any]]:
    """Run the command for every machine in parallel processes; results keep the given order."""
    workers = min(jobs, len(places))
    if workers <= 1:
        return list(_counted((examine(words, place) for place in places), done))
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with ProcessPoolExecutor(workers, context) as pool:
        return list(_counted(pool.map(examine, [list(words)] * len(places), places), done))


def on_ray(
    words: Sequence[str], places: Sequence[str], address: str, done: Callable[[], None]
) -> list[dict[str, Any]]:
    """Run the command for every machine on a Ray cluster, which must reach the databases by the same paths.

    Raises:
        ConfigError: Ray is not installed, or no cluster answers.
    """
    from core.trajectory.engines.ray_cluster import connect

    with connect(address) as ray:
        work = ray.remote(max_retries=3)(examine)
        asked = [work.remote(list(words), place) for place in places]
        return list(_counted((ray.get(one) for one in asked), done))


def totals(command: str, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Sums over all machines; `partial` if a machine was unreadable or a figure is unknown."""
    read = [one["result"] for one in found if one["result"] is not None]
    document: dict[str, Any] = {"machines": len(found), "read": len(read), "failed": len(found) - len(read)}
    if command == "usage":
        sums = _Sums()
        for one in read:
            sums.add(one.get("totals") or {})
        document |= {**sums.values(), "partial": sums.partial or len(read) < len(found)}
    return document


class _Sums:
    """Adds up calls, tokens and money from totals."""

    def __init__(self) -> None:
        self._calls = 0
        self._tokens: dict[str, int] = {}
        self._cost: dict[str, Any] = {}
        self.partial = False

    def add(self, one: Mapping[str, Any]) -> None:
        """Add the totals of one machine."""
        from decimal import Decimal

        self._calls += one.get("calls") or 0
        self.partial |= bool(one.get("lower_bound"))
        for name, value in (one.get("tokens") or {}).items():
            self.partial |= value is None
            self._tokens[name] = self._tokens.get(name, 0) + (value or 0)
        for name in ("recorded_usd", "computed_usd"):
            value = (one.get("cost") or {}).get(name)
            self.partial |= value is None
            if value is not None:
                self._cost[name] = self._cost.get(name, Decimal(0)) + Decimal(value)

    def values(self) -> dict[str, Any]:
        """The sums; unknown money is null."""
        names = ("recorded_usd", "computed_usd")
        return {
            "calls": self._calls,
            "tokens": self._tokens,
            "cost": {name: self._cost.get(name) for name in names},
        }


def _counted(found: Any, done: Callable[[], None]) -> Iterator[dict[str, Any]]:
    for one in found:
        done()
        yield one


def _document(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _reason(text: str) -> str:
    """The error that a command printed, as one line."""
    line = text.strip().rpartition("\n")[2]
    document = _document(line)
    if isinstance(document, dict) and isinstance(document.get("error"), dict):
        return str(document["error"].get("message"))
    return line or "nothing was printed"
