"""Who may import whom, and what a cheap command never loads.

The floors are contracts of import-linter in pyproject.toml. A static graph cannot tell a deferred import from
one that costs two seconds at start-up, so the promises about weight are checked in a fresh interpreter.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SDKS = {"anthropic", "openai", "tiktoken"}
HEAVY = SDKS | {"genai_prices", "sqlite_utils", "yaml", "textual", "rich"}

LOADED = """
import importlib, json, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(getattr(package, "__path__", ()), package.__name__ + "."):
    importlib.import_module(module.name)
print(json.dumps(sorted(sys.modules)))
"""


def _loaded_by(package: str) -> set[str]:
    """The top-level packages in memory once a package and all its modules are imported."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, package], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


def test_the_floors_hold(tmp_path: Path) -> None:
    lint = "from importlinter.cli import lint_imports_command as lint; lint()"
    command = [sys.executable, "-c", lint, "--cache-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("package", ["core.model", "core.errors", "core.hermes", "core.store"])
def test_the_lower_floors_are_light(package: str) -> None:
    assert not _loaded_by(package) & HEAVY


@pytest.mark.parametrize("package", ["core.compress", "core.account", "core.explain", "core.apply"])
def test_no_room_of_core_loads_an_sdk_or_a_terminal_until_it_is_used(package: str) -> None:
    assert not _loaded_by(package) & (HEAVY - {"sqlite_utils", "yaml"})


def test_the_command_line_starts_light() -> None:
    assert not _loaded_by("inspector.cli.main") & HEAVY


def test_no_subcommand_loads_an_sdk_to_be_imported() -> None:
    assert not _loaded_by("inspector.cli") & (HEAVY - {"rich"})
