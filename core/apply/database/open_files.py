"""Which other processes have a file open for writing, where the system tells (Linux)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")


def having_open(path: Path) -> frozenset[int] | None:
    """Process ids that have the file open for writing, this one aside; None where nobody can say."""
    if not (_PROC / "self" / "fd").is_dir():
        return None
    target = path.resolve()
    return frozenset(pid for pid in _others() if _writes(pid, target))


def alive(pid: int) -> bool:
    """Whether a process with this id runs on this machine."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _others() -> Iterator[int]:
    own = os.getpid()
    yield from (
        int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit() and int(entry.name) != own
    )


def _writes(pid: int, target: Path) -> bool:
    folder = _PROC / str(pid) / "fd"
    try:
        for name in os.listdir(folder):
            if os.readlink(folder / name) == str(target) and _writable(pid, name):
                return True
    except OSError:
        # It ended meanwhile, or belongs to another user.
        return False
    return False


def _writable(pid: int, descriptor: str) -> bool:
    info = (_PROC / str(pid) / "fdinfo" / descriptor).read_text()
    flags = next((line.split()[1] for line in info.splitlines() if line.startswith("flags:")), "0")
    return int(flags, 8) & os.O_ACCMODE != os.O_RDONLY
