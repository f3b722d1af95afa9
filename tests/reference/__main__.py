"""Writes what the program can say of itself into `docs`: `python -m tests.reference`.

Options, keys, settings, findings and screens come from the tables the program runs on, and the output that
README and pages show from a run on the samples; a test holds that what is committed is what would be written.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from core.support.program_files import SHIPPED, shipped_copy
from sample_sessions.builder import build
from tests import examples
from tests.conftest import NOW
from tests.reference.all_pages import DOCS, pages
from tests.shipped import ROOT, SHARE, shared_files


def main() -> None:
    """Write every page, what the wheel ships, the copies of tables, and the figures of the samples."""
    written = {DOCS / name: content for name, content in pages().items()}
    written |= {SHARE / name: content for name, content in shared_files().items()}
    written |= {(ROOT / name).with_suffix(".json"): shipped_copy(ROOT / name) for name in SHIPPED}
    for path, content in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({f"XDG_{one}_HOME": f"{folder}/{one}" for one in ("CACHE", "CONFIG", "STATE")})
        examples.refresh(build(Path(folder) / "home", now=NOW))


if __name__ == "__main__":
    main()
