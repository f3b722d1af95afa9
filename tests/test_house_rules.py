"""Rules of the house that a reader of one file cannot see broken: sizes, leftovers, who may write."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("core", "inspector", "themes", "sample_sessions")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MOST_LINES, MOST_FUNCTION_LINES, MOST_METHODS = 300, 50, 25
LEFTOVER = re.compile(r"\b(TODO|FIXME|XXX|HACK|NotImplementedError|breakpoint\(\))\b")
ELSEWHERE = re.compile(r"[.][.]/shared|(?<!\w)/wor[k]/|§ ?[0-9]|hermes-fact[s]")
"""What only the people who began this project could look up."""
OPENERS = {"connect", "Database"}
WRITERS = ("core/apply/", "core/account/", "sample_sessions/")
"""Rooms that own a database file of their own, besides the one room that may write to a session's."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), name(path))


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
