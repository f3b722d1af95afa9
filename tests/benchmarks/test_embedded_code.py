"""The pieces of code that benchmarks hand to other interpreters name what exists."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def embedded_imports() -> Iterator[tuple[str, str]]:
    """Module and name of each import in a piece of code that is kept as text."""
    for path in sorted(set(HERE.glob("*.py")) - set(HERE.glob("test_*.py"))):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\nimport " in node.value:
                for one in ast.walk(ast.parse(node.value)):
                    if isinstance(one, ast.ImportFrom) and one.module:
                        yield from ((one.module, alias.name) for alias in one.names)


@pytest.mark.parametrize(("module", "name"), sorted(set(embedded_imports())))
def test_an_import_in_a_piece_of_code_finds_its_name(module: str, name: str) -> None:
    assert hasattr(importlib.import_module(module), name) or find_spec(f"{module}.{name}")
