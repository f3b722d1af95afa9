"""The machines of a fleet: each a HERMES_HOME or a state.db, named by a pattern or by a list in a file."""

from __future__ import annotations

import glob
from pathlib import Path

from core.errors import NotFoundError, UsageError

STORE = "state.db"
_DATABASE = b"SQLite format 3\0"


def machines(named: str) -> tuple[Path, ...]:
    """Every home or database, in the order given; what a list names is not looked for yet.

    Each is named by a pattern, a folder of homes, one home or state.db, or a text file with one of those a
    line.

    Raises:
        NotFoundError: Nothing fits.
        UsageError: The file is no list.
    """
    path = Path(named).expanduser()
    if path.is_dir():
        found = [path] if (path / STORE).exists() else sorted(one.parent for one in path.glob(f"*/{STORE}"))
    elif path.is_file():
        found = [path] if _is_database(path) else _listed(path)
    else:
        found = [Path(one) for one in sorted(glob.glob(str(path), recursive=True))]
    if not found:
        raise NotFoundError("no home and no state.db here", where=named, remedy="Check --fleet")
    return tuple(found)


def _is_database(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_DATABASE)) == _DATABASE


def _listed(path: Path) -> list[Path]:
    """The lines of a list, blank ones and comments left out; relative ones start at the list."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("is no list of homes", where=str(path), remedy="One path a line") from error
    names = (line.strip() for line in lines)
    return [path.parent / Path(name).expanduser() for name in names if name and not name.startswith("#")]
