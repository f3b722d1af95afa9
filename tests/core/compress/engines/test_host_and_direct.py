"""Through the host an engine gives the lists it gives in Hermes' own environment.

HERMES_VENVS names a folder of virtual environments, as `0.19.0`; HERMES_ENGINES, where set, one of engines.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from core.compress.engines.host.discovery import discover, find_install, from_path
from core.compress.engines.host.found_engine import FoundEngine
from core.compress.engines.host.hosted import hosted
from core.compress.engines.host.process import EngineFailed
from core.model.compaction.settings import Settings
from tests.core.compress.engines.builders import conversation, uneven

VENVS = Path(os.environ.get("HERMES_VENVS") or "/nowhere")
ENGINES = Path(os.environ.get("HERMES_ENGINES") or "/nowhere")
FOLDERS = sorted(path.parent for path in ENGINES.glob("*/__init__.py"))
CASES = [make(steps) for steps in range(5, 105, 10) for make in (conversation, uneven)]


@pytest.mark.parametrize("release", ["0.13.0", "0.16.0", "0.18.2", "0.19.0", "0.22.2"])
@pytest.mark.parametrize("folder", [None, *FOLDERS], ids=lambda folder: folder.name if folder else "builtin")
def test_the_host_changes_nothing(release: str, folder: Path | None, tmp_path: Path) -> None:
    python = VENVS / release / "bin" / "python"
    if not python.exists():
        pytest.skip("HERMES_VENVS names no such release")
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps(CASES))
    script = Path(__file__).with_name("direct_engine.py")
    words = [str(python), str(script), "builtin" if folder is None else "folder", str(folder), str(cases)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True, cwd=tmp_path)
    found = discover(None, find_install(python))[0] if folder is None else from_path(folder)
    assert [through_host(found, python, case) for case in CASES] == [
        seen(one) for one in json.loads(done.stdout)
    ]


def through_host(found: FoundEngine, python: Path, case: list[dict[str, Any]]) -> Any:
    settings = Settings(window=64_000, model="m")
    try:
        with hosted(
            found, home=None, python=python, settings=settings, answer=lambda call: "## Goal\nG"
        ) as engine:
            return seen(list(engine.compact(case, 70_000, None).messages))
    except EngineFailed:
        return "failed"


def seen(answer: Any) -> Any:
    """What a provider would see of a list, the times an engine wrote into it aside."""
    if isinstance(answer, dict):
        return "failed"
    return [(row.get("role"), row.get("tool_call_id"), len(str(row.get("content")))) for row in answer]
