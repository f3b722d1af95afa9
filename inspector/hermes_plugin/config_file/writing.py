"""Reading and writing config.yaml and what lies beside it, whole."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def read_if_there(path: Path) -> bytes | None:
    """The content of a file; None where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def write(path: Path, content: bytes) -> None:
    """Write for the user alone."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)


def replace_file(path: Path, content: bytes) -> None:
    """Write beside and rename, behind a link if it is one, with the rights the file had."""
    real = path.resolve()
    beside = real.with_name(f".{real.name}.hermes-inspector")
    write(beside, content)
    if real.exists():
        shutil.copymode(real, beside)
    os.replace(beside, real)
