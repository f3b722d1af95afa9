"""Rules of the house that a reader of one file cannot see broken: sizes, leftovers, who may write."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("core", "inspector", "themes", "sample_sessions")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MOST_LINES, MOST_FUNCTION_LINES, MOST_METHODS = 300, 50, 25
MOST_ENTRIES = 12
"""Modules and rooms of one folder that a reader takes in at a glance."""
WIDER = {"core": 15, "inspector": 13, "inspector/cli": 17}
"""The ground plan: its rooms, and the errors all of them raise; a room for each kind of command."""
TOP_LEVEL = {
    *PACKAGES,
    *("tests", "docs", "share", "pyproject.toml", "mkdocs.yml"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "SECURITY.md"),
}
MOST_INHERITED = 40
INHERITING = ("core.errors.", "core.store.")
"""Where classes may: an error is a kind of another, the store is built floor upon floor."""
LEFTOVER = re.compile(r"\b(TODO|FIXME|XXX|HACK|NotImplementedError|breakpoint\(\))\b")
ELSEWHERE = re.compile(r"[.][.]/shared|(?<!\w)/wor[k]/|§ ?[0-9]|hermes-fact[s]")
"""What only the people who began this project could look up."""
OPENERS = {"connect", "Database"}
WRITERS = (
    "core/apply/",
    "core/account/",
    "sample_sessions/",
    "inspector/hermes_plugin/stub/recording/recording_file.py",
)
"""Rooms that own a database file of their own, besides the one room that may write to a session's."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), name(path))


def _entries(folder: Path) -> int:
    """Modules and rooms in a folder; data next to them does not count."""
    modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    return len(modules) + sum(1 for path in folder.iterdir() if (path / "__init__.py").exists())


def _long_functions(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, Function):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MOST_FUNCTION_LINES:
                yield f"{name(path)}:{node.lineno} {node.name} has {length} lines"


def _crowded_classes(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ClassDef):
            methods = sum(isinstance(child, Function) for child in node.body)
            if methods > MOST_METHODS:
                yield f"{name(path)}:{node.lineno} {node.name} has {methods} methods"


def test_no_file_outgrows_a_reader() -> None:
    sizes = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {path: size for path, size in sizes.items() if size > MOST_LINES} == {}


def test_no_function_outgrows_a_screen() -> None:
    assert [line for path in SOURCES for line in _long_functions(path)] == []


def test_no_class_does_everything() -> None:
    assert [line for path in SOURCES for line in _crowded_classes(path)] == []


def _imported(path: Path) -> dict[str, str]:
    """What the names of a file mean: `RowList` -> `inspector.widgets.lists.row_list.RowList`."""
    module = name(path).removesuffix(".py").replace("/", ".")
    own = {
        node.name: f"{module}.{node.name}" for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)
    }
    imports = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ImportFrom)]
    return {
        each.asname or each.name: f"{node.module}.{each.name}" for node in imports for each in node.names
    } | own


def _classes() -> Iterator[tuple[str, int, list[str]]]:
    """Every class, the methods it adds, and what it inherits from."""
    for path in SOURCES:
        meanings = _imported(path)
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
                above = [
                    meanings[base.id] for base in bases if isinstance(base, ast.Name) and base.id in meanings
                ]
                yield meanings[node.name], sum(isinstance(child, Function) for child in node.body), above


def test_no_class_inherits_more_than_a_reader_keeps_in_mind() -> None:
    """Methods over the whole chain of our own classes, Textual's below them not counted."""
    known = {one: (methods, above) for one, methods, above in _classes()}

    def chain(one: str) -> int:
        methods, above = known.get(one, (0, []))
        return methods + sum(map(chain, above))

    assert {one: chain(one) for one in known if chain(one) > MOST_INHERITED} == {}


def test_no_class_is_cut_into_slices_that_inherit_each_other() -> None:
    """A base class whose one child is the one base of another class is a slice, not a thing of its own."""
    parents = [(one, above) for one, _, above in _classes()]
    children = Counter(base for _, above in parents for base in above)
    only = {one: base for one, above in parents for base in above if children[base] == 1}
    slices = {f"{base} <- {one} <- ..." for one, base in only.items() if one in only.values()}
    assert {chain for chain in slices if not chain.startswith(INHERITING)} == set()


def test_every_folder_shows_what_it_holds_at_a_glance() -> None:
    folders = {path.parent for path in SOURCES}
    wide = {name(folder): _entries(folder) for folder in folders}
    assert {place: count for place, count in wide.items() if count > WIDER.get(place, MOST_ENTRIES)} == {}


def test_no_folder_holds_a_single_file() -> None:
    folders = {path.parent for path in SOURCES} - {ROOT / package for package in PACKAGES}
    alone = [name(folder) for folder in folders if _entries(folder) == 1]
    assert alone == []


def test_the_top_level_holds_what_a_reader_looks_for_there() -> None:
    """A picture or report that the app saved where it was started belongs to nobody else."""
    ignored = (ROOT / ".gitignore").read_text("utf-8").replace("/\n", "\n").split()
    found = {path.name for path in ROOT.iterdir() if not any(map(path.match, (".*", *ignored)))}
    assert found == TOP_LEVEL


def test_no_room_imports_upwards_and_none_in_a_circle(tmp_path: Path) -> None:
    """The contracts of import-linter in pyproject.toml; a room that is new gets its floor there."""
    lint = "from importlinter.cli import lint_imports_command as lint; lint()"
    command = [sys.executable, "-c", lint, "--cache-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout


def test_nothing_is_left_for_later() -> None:
    found = [
        f"{name(path)}: {match.group()}"
        for path in SOURCES
        for match in LEFTOVER.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_nothing_points_to_what_a_reader_outside_does_not_have() -> None:
    suffixes = {".py", ".md", ".yaml", ".toml", ".tcss", ".sql", ".txt"}
    texts = [path for place in (*PACKAGES, "tests") for path in (ROOT / place).rglob("*")]
    found = [
        f"{name(path)}: {match.group()}"
        for path in (*texts, *ROOT.glob("*.md"), ROOT / "pyproject.toml")
        if path.suffix in suffixes
        for match in ELSEWHERE.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def _openings(path: Path) -> Iterator[ast.Call]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if node.func.attr in OPENERS and isinstance(owner, ast.Name) and "sqlite" in owner.id:
                yield node


def _is_uri(call: ast.Call) -> bool:
    return any(
        keyword.arg == "uri" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for keyword in call.keywords
    )


OPENINGS = [(name(path), call) for path in SOURCES for call in _openings(path)]


@pytest.mark.parametrize(
    ("path", "call"), OPENINGS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_only_the_rooms_that_write_open_a_database_for_writing(path: str, call: ast.Call) -> None:
    if path.startswith(WRITERS):
        return
    text = (ROOT / path).read_text(encoding="utf-8")
    assert _is_uri(call), f"{path}:{call.lineno} opens a database without uri=True"
    assert "mode=ro" in text, f"{path}:{call.lineno} does not say mode=ro"


def test_no_database_is_called_immutable_while_it_may_be_live() -> None:
    assert [name(path) for path in SOURCES if "immutable=1" in path.read_text(encoding="utf-8")] == []


def _misplaced(path: Path) -> bool:
    """A test of a room that is not there, or of a module in a room further down."""
    room = ROOT / path.parent.relative_to(ROOT / "tests")
    if room == ROOT or not room.is_dir():
        return room != ROOT
    named = list(room.rglob(path.name.removeprefix("test_")))
    return len(named) == 1 and named[0].parent != room


def test_tests_are_where_what_they_test_does() -> None:
    tests = [path for path in (ROOT / "tests").rglob("test_*.py") if "benchmarks" not in path.parts]
    assert [name(path) for path in tests if _misplaced(path)] == []
