"""One command over many machines, at once: what each would have printed, in one document."""

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
    """What a command says of one machine.

    Args:
        words: The command and its options, without a store.
        place: A home or a state.db.
    """
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
    """Every machine of the fleet, several at once, in the order given."""
    workers = min(jobs, len(places))
    if workers <= 1:
        return list(_counted((examine(words, place) for place in places), done))
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with ProcessPoolExecutor(workers, context) as pool:
        return list(_counted(pool.map(examine, [list(words)] * len(places), places), done))


def on_ray(
    words: Sequence[str], places: Sequence[str], address: str, done: Callable[[], None]
) -> list[dict[str, Any]]:
    """The same as tasks of a Ray cluster, whose machines must reach the databases under the same names.

    Raises:
        ConfigError: Ray is not installed, or no cluster answers.
    """
    from core.trajectory.engines.ray_cluster import connected

    with connected(address) as ray:
        work = ray.remote(max_retries=3)(examine)
        asked = [work.remote(list(words), place) for place in places]
        return list(_counted((ray.get(one) for one in asked), done))


def totals(command: str, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Sums over machines; `partial` when one could not be read or did not know a figure."""
    read = [one["result"] for one in found if one["result"] is not None]
    document: dict[str, Any] = {"machines": len(found), "read": len(read), "failed": len(found) - len(read)}
    if command == "usage":
        sums = _Sums()
        for one in read:
            sums.add(one.get("totals") or {})
        document |= {**sums.values(), "partial": sums.partial or len(read) < len(found)}
    return document


class _Sums:
    """Adds up calls, tokens and money of totals."""

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
        """The sums; money nobody knows is null."""
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
    """The error a command told, as one line."""
    line = text.strip().rpartition("\n")[2]
    told = _document(line)
    if isinstance(told, dict) and isinstance(told.get("error"), dict):
        return str(told["error"].get("message"))
    return line or "nothing was printed"
