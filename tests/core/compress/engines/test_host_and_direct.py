"""Through the host an engine gives the lists it gives in Hermes' own environment.

HERMES_VENVS names a folder of virtual environments, as `0.19.0`, in which other engines may be installed;
HERMES_ENGINES, where set, a folder of engines.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

from core.compress.engines.host.discovery import discover, from_path
from core.compress.engines.host.found_engine import FoundEngine, refusal
from core.compress.engines.host.hosted import hosted
from core.compress.engines.host.install import find_install
from core.compress.engines.host.process import EngineFailed
from core.hermes.policy.policy import load_policy, nearest_release
from core.model.compaction.plan import Settings
from tests.core.compress.engines.builders import conversation, uneven

VENVS = Path(os.environ.get("HERMES_VENVS") or "/nowhere")
ENGINES = Path(os.environ.get("HERMES_ENGINES") or "/nowhere")
FOLDERS = sorted(path.parent for path in ENGINES.glob("*/__init__.py"))
CASES = [make(steps) for steps in range(5, 105, 10) for make in (conversation, uneven)]
RELEASES = ["0.13.0", "0.16.0", "0.18.2", "0.19.0", "0.22.2"]


def installed() -> Iterator[tuple[str, str]]:
    """What other distributions offer each release."""
    for release in RELEASES:
        places = [str(place) for place in (VENVS / release).glob("lib/python*/site-packages")]
        points = [point for distribution in distributions(path=places) for point in distribution.entry_points]
        yield from ((release, point.name) for point in points if point.group == "hermes_agent.plugins")


@pytest.mark.parametrize(("release", "name"), installed())
def test_the_host_changes_nothing_of_an_installed_engine(release: str, name: str, tmp_path: Path) -> None:
    python = VENVS / release / "bin" / "python"
    [found] = [one for one in discover(None, find_install(python)) if one.name == name]
    through = hosted_lists(found, python)
    if refused(replace(found, enabled=True), python, release):
        through = ["failed"] * len(CASES)
    assert through == direct_lists(python, "entry_point", name, tmp_path)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("folder", [None, *FOLDERS], ids=lambda folder: folder.name if folder else "builtin")
def test_the_host_changes_nothing(release: str, folder: Path | None, tmp_path: Path) -> None:
    python = VENVS / release / "bin" / "python"
    if not python.exists():
        pytest.skip("HERMES_VENVS names no such release")
    found = discover(None, find_install(python))[0] if folder is None else from_path(folder)
    kind = "builtin" if folder is None else "folder"
    assert hosted_lists(found, python) == direct_lists(python, kind, str(folder), tmp_path)


def direct_lists(python: Path, kind: str, name: str, folder: Path) -> list[Any]:
    cases = folder / "cases.json"
    cases.write_text(json.dumps(CASES))
    script = Path(__file__).with_name("direct_engine.py")
    words = [str(python), str(script), kind, name, str(cases)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True, cwd=folder)
    return [seen(load) for load in json.loads(done.stdout)]


def hosted_lists(found: FoundEngine, python: Path) -> list[Any]:
    return [through_host(found, python, case) for case in CASES]


def refused(found: FoundEngine, python: Path, release: str) -> bool:
    """Whether a release uses its own instead, which it also does if it loads no engine."""
    try:
        with hosted(found, home=None, python=python, settings=Settings(), answer=lambda call: "") as engine:
            return refusal(found, engine.loaded, load_policy(nearest_release(release))) is not None
    except EngineFailed:
        return True


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
