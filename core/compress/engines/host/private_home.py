"""A private copy of a HERMES_HOME for an engine to write in: no keys and no conversations are in it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LEFT_OUT = frozenset({".env", "auth.json", "state.db", "state.db-wal", "state.db-shm"})
_MOST_BYTES = 64 << 20
"""Of what is copied in all; an engine that keeps more begins without it."""


@contextmanager
def private_home(home: Path | None) -> Iterator[Path]:
    """A folder for one engine, which goes when it is done."""
    folder = Path(tempfile.mkdtemp(prefix="hermes-inspector-engine-"))
    try:
        copy = folder / "home"
        copy.mkdir()
        if home is not None and home.is_dir():
            _fill(home, copy)
        yield copy
    finally:
        _remove(folder)


def _fill(home: Path, copy: Path) -> None:
    room = _MOST_BYTES
    for source in sorted(home.iterdir()):
        if source.is_file() and not source.is_symlink() and source.name not in _LEFT_OUT:
            room = _copied(source, copy / source.name, room)
    for source in sorted((home / "plugins").rglob("*")) if (home / "plugins").is_dir() else ():
        if source.is_file() and not {"__pycache__", ".git", "node_modules"} & set(source.parts):
            room = _copied(source, copy / source.relative_to(home), room)


def _copied(source: Path, target: Path, room: int) -> int:
    with suppress(OSError):
        size = source.stat().st_size
        if size <= room:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            return room - size
    return room


def _remove(folder: Path) -> None:
    """An engine may have closed folders of its own to everybody."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for path in (folder, *folder.rglob("*")):
            with suppress(OSError):
                if path.is_dir() and not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
