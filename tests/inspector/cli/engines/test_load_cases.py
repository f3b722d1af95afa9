"""On which engine an installed Hermes runs, however a plugin loads, is what `engines` says.

HERMES_VENVS names a folder of virtual environments, as `0.19.0`.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.inspector.cli.conftest import Cli

VENVS = Path(os.environ.get("HERMES_VENVS") or "/nowhere")
TABLE = yaml.safe_load(Path(__file__).with_name("load_cases.yaml").read_text())
PROBE = Path(__file__).with_name("real_engine.py")
NOT_ITS = ("compressor", "none")
"""What it says where Hermes does not run on the engine selected."""
LATE = "#" * 9000
"""More than a release reads of a file to see whether it speaks of engines."""


@pytest.mark.parametrize("case", TABLE["cases"])
@pytest.mark.parametrize("release", ["0.13.0", "0.16.0", "0.18.2", "0.19.0", "0.22.2"])
def test_the_engine_in_force_is_the_one_hermes_runs_on(
    release: str, case: str, tmp_path: Path, cli: Cli
) -> None:
    python = VENVS / release / "bin" / "python"
    if not python.exists():
        pytest.skip("HERMES_VENVS names no such release")
    home = laid_out(tmp_path / "home", TABLE["cases"][case])
    told = cli("engines", "--home", home, "--hermes-python", python, "--json").json
    really = running(python, home)
    assert (told["in_force"] or "none") == (told["selected"] if really not in NOT_ITS else really)
    assert (told["why"] is None) == (told["in_force"] == told["selected"])
    assert really in (*NOT_ITS, *(one["name"] for one in told["engines"]))


def running(python: Path, home: Path) -> str:
    environment = {"PATH": os.environ["PATH"], "HERMES_HOME": str(home), "HOME": str(home.parent)}
    done = subprocess.run(
        [python, PROBE],
        env=environment,
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout.rstrip().splitlines()[-1]


def laid_out(home: Path, case: dict[str, Any]) -> Path:
    folder = case.get("folder", "mine")
    begin = LATE if case.get("late") else ""
    write(home, f"{folder}/__init__.py", begin + source(case["source"]))
    if "inner" in case:
        write(home, f"{folder}/inner.py", source(case["inner"]))
    for other, text in case.get("more", {}).items():
        write(home, f"{other}/__init__.py", source(text))
        write(home, f"{other}/plugin.yaml", manifest(other))
    name = case.get("manifest", folder)
    if name != "none":
        write(home, f"{folder}/{case.get('file', 'plugin.yaml')}", manifest(name) + case.get("says", ""))
    enabled = case.get("enabled", folder).replace("none", "")
    (home / "config.yaml").write_text(
        "model: {default: m, provider: custom, base_url: 'http://127.0.0.1:9/v1', context_length: 64000}\n"
        f"context: {{engine: {case.get('selected', 'mine')}}}\nplugins: {{enabled: [{enabled}]}}\n"
    )
    return home


def source(pieces: list[str]) -> str:
    return "".join(f"{TABLE['pieces'].get(piece, piece).rstrip()}\n" for piece in pieces)


def manifest(name: str) -> str:
    return f"name: {name}\nversion: 1.0.0\ndescription: a test\n"


def write(home: Path, name: str, text: str) -> None:
    (home / "plugins" / name).parent.mkdir(parents=True, exist_ok=True)
    (home / "plugins" / name).write_text(text)
