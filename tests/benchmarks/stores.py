"""The databases that are measured, made once and reused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks import generate

CONVERSATION = 12_000
SMALL = generate.Size(sessions=400, messages=10_000)
"""About 20 MB."""


@dataclass(frozen=True, slots=True)
class Stores:
    """A large and a small store of many sessions, and one very long conversation."""

    large: Path
    small: Path
    long: Path


def prepare(folder: Path, *, sessions: int, messages: int) -> Stores:
    """Make what is missing in a folder; the large store takes minutes."""
    folder.mkdir(parents=True, exist_ok=True)
    stores = Stores(folder / f"large-{sessions}-{messages}.db", folder / "small.db", folder / "long.db")
    _make(stores.small, lambda path: generate.store(path, SMALL))
    _make(stores.long, lambda path: generate.conversation(path, CONVERSATION))
    _make(stores.large, lambda path: generate.store(path, generate.Size(sessions, messages)))
    return stores


def _make(path: Path, build: Callable[[Path], Path]) -> None:
    if path.exists():
        return
    sys.stderr.write(f"making {path.name} ...\n")
    unfinished = path.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    build(unfinished).rename(path)
