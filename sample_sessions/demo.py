"""This user's sample home, built on first use and kept in the cache directory."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from datetime import UTC, datetime
from importlib.resources.abc import Traversable
from pathlib import Path

from core.support.own_files import APPLICATION, SAMPLES_PREFIX, cache_directory
from sample_sessions.builder import build
from sample_sessions.data import FOLDER

DAY = 86_400
KEPT = 14 * DAY
"""Seconds after its creation until the previous sample home is removed; older ones are kept for a day."""


def demo_home(cache: Path | None = None) -> Path:
    """Return the sample sessions as a HERMES_HOME, built if needed.

    The folder is named after the content of the scenarios and the week, so that a new release or a new week
    builds a fresh one, and several processes may ask at once.

    Args:
        cache: Where to keep it; the user's cache directory by default, a temporary one if that cannot be
            written.
    """
    folder = cache or cache_directory()
    home = folder / f"{SAMPLES_PREFIX}{_fingerprint()}"
    if (home / "state.db").exists():
        return home
    try:
        folder.mkdir(parents=True, exist_ok=True)
        workshop = Path(tempfile.mkdtemp(prefix=".demo-", dir=folder))
    except OSError:
        return build(Path(tempfile.mkdtemp(prefix=f"{APPLICATION}-demo-")))
    build(workshop)
    return _publish(workshop, home)


def _publish(workshop: Path, home: Path) -> Path:
    """Give the finished folder its name; if another process was faster, use its folder."""
    try:
        os.replace(workshop, home)
    except OSError:
        shutil.rmtree(workshop, ignore_errors=True)
    _sweep(home)
    return home


def _sweep(home: Path) -> None:
    """Remove homes of earlier weeks and releases, unless one may still be open."""
    now = time.time()
    others = (other for other in home.parent.glob(f"{SAMPLES_PREFIX}*") if other != home)
    ages = {other: now - other.stat().st_mtime for other in others}
    unfinished = {other: now - other.stat().st_mtime for other in home.parent.glob(".demo-*")}
    newest = min(ages, key=lambda other: ages[other], default=None)
    for other, age in (ages | unfinished).items():
        if age > (KEPT if other == newest else DAY):
            shutil.rmtree(other, ignore_errors=True)


def _fingerprint() -> str:
    year, week, _ = datetime.now(UTC).isocalendar()
    digest = hashlib.blake2b(f"{year}-{week}".encode(), digest_size=6)
    for entry in _files(FOLDER):
        digest.update(entry.read_bytes())
    return digest.hexdigest()


def _files(folder: Traversable) -> list[Traversable]:
    """Every file that shapes the samples, in a fixed order."""
    found: list[Traversable] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found += _files(entry) if not entry.name.startswith(("_", ".")) else []
        elif entry.name.endswith((".py", ".yaml", ".sql")):
            found.append(entry)
    return found
