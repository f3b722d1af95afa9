"""Only `core.apply` opens a session database for writing; the journal and the caches are files of our own."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.core.apply.material import conversation

ROOT = Path(__file__).parents[3]
ROOMS = ("core", "inspector", "themes", "sample_sessions")

_BROWSE = """
import sys
opened = []
def hook(event, arguments):
    if event == "sqlite3.connect":
        opened.append(str(arguments[0]))
    if event == "open" and str(arguments[0]).endswith("state.db") and set(str(arguments[1])) & set("wax+"):
        opened.append("a plain open of state.db")
sys.addaudithook(hook)
from pathlib import Path
from core.store.store import Store
from core.apply.rehearse import rehearse
from core.apply.checks.guards import check_guards
from tests.core.apply.material import preview
with Store(Path(sys.argv[1])) as store:
    store.conversations(), store.sessions(), store.chain("s"), store.search("answer")
    store.health(integrity=True)
    for generation in store.conversation("s").generations:
        store.generation_messages(generation)
    rehearsal = rehearse(store, "s", preview(store))
    check_guards(store, rehearsal)
touching = [one for one in opened if sys.argv[1] in one]
assert touching or ":memory:" in opened, opened  # a database nobody has open is read from a copy in memory
assert all("mode=ro" in one for one in touching), touching
assert "a plain open of state.db" not in opened
"""


def _calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "sqlite3"
        ):
            yield node.attr


def test_session_databases_are_opened_in_two_places_only() -> None:
    makers = {
        path.relative_to(ROOT).as_posix()
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        if "connect" in _calls(path)
    }
    own_files = {
        "core/account/tokenizers/count.py",
        "core/recordings/read.py",
        "inspector/hermes_plugin/stub/recording/recording_file.py",
        "sample_sessions/database.py",
    }
    in_memory = {"core/store/database/closed_copy.py"}
    outside = {one for one in makers - own_files - in_memory if not one.startswith("core/apply/")}
    assert outside == {"core/store/database/connect.py"}


def test_reading_rehearsing_and_guarding_open_read_only(tmp_path: Path) -> None:
    path = conversation(tmp_path / "state.db", "0.22")
    command = [sys.executable, "-c", _BROWSE, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
