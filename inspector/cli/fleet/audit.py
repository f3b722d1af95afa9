"""Runs one command over many machines in parallel, and joins their output in one document."""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
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
        sums = _added([one.get("totals") or {} for one in read])
        document |= {**sums, "partial": sums["partial"] or len(read) < len(found)}
    return document


def _added(totals: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Calls, tokens and money of all totals; unknown money is null."""
    tokens, costs = ([one.get(name) or {} for one in totals] for name in ("tokens", "cost"))
    names = dict.fromkeys(name for one in tokens for name in one)
    usd = {name: [one.get(name) for one in costs] for name in ("recorded_usd", "computed_usd")}
    known = {name: [Decimal(one) for one in amounts if one is not None] for name, amounts in usd.items()}
    return {
        "calls": sum(one.get("calls") or 0 for one in totals),
        "tokens": {name: sum(one.get(name) or 0 for one in tokens) for name in names},
        "cost": {name: sum(amounts, Decimal(0)) if amounts else None for name, amounts in known.items()},
        "partial": any(one.get("lower_bound") for one in totals)
        or any(value is None for one in tokens for value in one.values())
        or any(None in amounts for amounts in usd.values()),
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
