"""Material outside the repository: tests that use it are marked `shared` and skip where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_ROOT = Path(os.environ.get("HERMES_INSPECTOR_SHARED") or Path(__file__).parent.parent.parent / "shared")


def shared(path: str) -> Path:
    """A file or folder of the shared material; skips the test when there is none."""
    found = _ROOT / path
    if not found.exists():
        pytest.skip(f"{found} is not on this machine")
    return found
