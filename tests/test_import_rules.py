"""Who may import whom, and what a cheap command never loads.

The floors are contracts of import-linter, which the house rules run. A static graph cannot tell a deferred
import from one that costs two seconds at start-up, so the promises about weight are checked in a fresh
interpreter.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.store.database import SessionDatabase

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


def _modules_of(package: str) -> set[str]:
    """The modules in memory once a package and all its modules are imported."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, package], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return set(json.loads(done.stdout))


def _loaded_by(package: str) -> set[str]:
    """The same as top-level packages."""
    return {name.partition(".")[0] for name in _modules_of(package)}


@pytest.mark.parametrize("package", ["core.model", "core.errors", "core.hermes", "core.store"])
def test_the_lower_floors_are_light(package: str) -> None:
    assert not _loaded_by(package) & HEAVY


@pytest.mark.parametrize("package", ["core.compress", "core.account", "core.explain", "core.apply"])
def test_no_room_of_core_loads_an_sdk_or_a_terminal_until_it_is_used(package: str) -> None:
    assert not _loaded_by(package) & (HEAVY - {"sqlite_utils", "yaml"})


def test_the_command_line_starts_light() -> None:
    assert not _loaded_by("inspector.cli.main") & HEAVY


def test_the_first_screen_of_the_app_does_not_wait_for_what_only_workers_need() -> None:
    loaded = _modules_of("inspector.screens.sessions.screen")
    assert not [name for name in loaded if name.startswith(("core.explain.", "core.compress."))]
    assert not {"core.live.follow", "core.account.spending.budget", "genai_prices"} & loaded


def test_no_subcommand_loads_an_sdk_to_be_imported() -> None:
    assert not _loaded_by("inspector.cli") & (HEAVY - {"rich"})


HEAVY_FOR_A_LIST = HEAVY | {
    *("difflib", "shutil", "tempfile", "importlib.resources", "importlib.metadata"),
    *(() if sys.version_info >= (3, 12) else ("inspect",)),  # which `dataclasses` uses for every class since
    *("core.account", "core.apply", "core.explain", "core.redact.text", "core.compress.planning.plan"),
    *(
        "core.model.transcript.conversation",
        "core.model.transcript.message",
        "core.model.transcript.storage",
    ),
    *(
        "core.store.store",
        "core.store.conversations.conversation",
        "core.store.search",
        "inspector.screens",
        "inspector.terminal.text",
    ),
}
"""What a list of sessions that nobody compacted has no use for."""
HEAVY_FOR_WHAT_IS_KEPT = HEAVY_FOR_A_LIST | {
    *(
        "sqlite3",
        "core.model.transcript.session",
        "core.store.database.open_database",
        "core.store.conversations.session_lists",
        "core.hermes.log",
    ),
}

RUN = """
import contextlib, io, json, sys
from inspector.cli.main import run
with contextlib.redirect_stdout(io.StringIO()):
    code = run(sys.argv[1:])
print(json.dumps([code, sorted(name for name in sys.modules if vars(sys.modules[name]).get("__file__"))]))
"""


def _loaded_by_running(*words: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words], capture_output=True, text=True, cwd=ROOT, check=True
    )
    code, names = json.loads(done.stdout)
    assert code == 0
    return set(names)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A database of sessions without summaries, whose tables have been read before."""
    with SessionDatabase(tmp_path / "state.db") as database:
        for number in range(3):
            database.session(f"s{number}", title=f"Session {number}: claude-opus-4-5")
            database.turn(f"s{number}", "1")
    _loaded_by_running("sessions", "--json", "--db", str(tmp_path / "state.db"))
    return tmp_path / "state.db"


def test_a_list_of_sessions_loads_what_a_list_needs(plain: Path) -> None:
    assert not _loaded_by_running("sessions", "--json", "--limit", "2", "--db", str(plain)) & HEAVY_FOR_A_LIST


def test_a_list_of_compacted_sessions_loads_no_more_than_generations_are_reported_by(tmp_path: Path) -> None:
    with SessionDatabase(tmp_path / "state.db") as database:
        database.session("s")
        for turn in "abcd":
            database.turn("s", turn)
        database.compact("s", 2, 3, "summary")
    words = ("sessions", "--json", "--db", str(tmp_path / "state.db"))
    unwanted = {
        "core.model.transcript.storage",
        "core.store.rows.messages",
        "core.store.store",
        "core.store.conversations.conversation",
    }
    assert not _loaded_by_running(*words) & unwanted


def test_a_ledger_loads_what_adding_up_needs(plain: Path) -> None:
    words = ("usage", "--json", "--no-prices", "--db", str(plain))
    _loaded_by_running(*words)
    unwanted = HEAVY_FOR_A_LIST - {"core.account"} | {
        "core.account.spending.conversations",
        "core.store.lineage.lineage",
    }
    assert _loaded_by_running(*words) & unwanted == set()


EXTRAS = {"fsspec", "pyarrow", "ray", "tokenizers", "zstandard"}


def test_trajectories_are_cut_without_any_extra(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"conversations": [{"from": "human", "value": "hello"}]}\n', "utf-8")
    loaded = _loaded_by_running("trajectory", str(source), str(tmp_path / "out.jsonl"))
    assert not {name.partition(".")[0] for name in loaded} & (EXTRAS | {"anthropic", "openai", "textual"})


@pytest.mark.parametrize("words", [["sessions", "--json", "--limit", "50"], ["why", "latest", "--json"]])
def test_what_is_printed_again_loads_next_to_nothing(plain: Path, words: list[str]) -> None:
    _loaded_by_running(*words, "--db", str(plain))
    assert not _loaded_by_running(*words, "--db", str(plain)) & HEAVY_FOR_WHAT_IS_KEPT


def test_the_version_is_reported_by_the_parser_alone() -> None:
    loaded = _loaded_by_running("--version")
    assert not loaded & (HEAVY_FOR_WHAT_IS_KEPT | {"dataclasses", "core.store"})
