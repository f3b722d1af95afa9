"""Untrusted text has one way to the terminal; these tests read the source to see that no other is used."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

INSPECTOR = Path(__file__).parent.parent.parent / "inspector"
SOURCES = sorted(path for path in INSPECTOR.rglob("*.py") if "cli" not in path.relative_to(INSPECTOR).parts)

MAKERS = {"Content", "Text", "Segment", "from_markup", "styled", "assemble"}
"""What turns a string into something drawable; only text.py and line.py may call these."""
CHOKE_POINT = {"terminal/text.py", "terminal/line.py"}

TAKES_MARKUP = {
    "Static", "Label", "Button", "Checkbox", "RadioButton", "Option", "Tab", "TabPane", "Collapsible", "Tree",
    "Markdown", "Select", "SelectionList", "OptionList", "RichLog", "DataTable", "Link",
}  # fmt: skip
"""Widgets whose plain `str` argument is read as markup."""
UPDATES = {"notify", "write_line", "add_row", "add_column", "add_option", "add_leaf"}
"""Methods whose plain `str` argument is read as markup, or written as it is."""
PROPERTIES = {"border_title", "border_subtitle", "tooltip"}
SAFE = {"content", "clean_line", "clean"}
"""Calls that make a string harmless."""


def called(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def harmless(node: ast.expr, call: ast.Call | None = None) -> bool:
    """A literal, a cleaned string where markup is off, or Content from the choke point."""
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, str) or "[" not in node.value
    if not isinstance(node, ast.Call):
        return False
    name = called(node.func)
    return name == "content" or (name in SAFE and markup_off(call))


def markup_off(call: ast.Call | None) -> bool:
    keywords = call.keywords if call else []
    return any(
        keyword.arg == "markup" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in keywords
    )


def updates_widget(call: ast.Call) -> bool:
    """`self.query_one(...).update(...)`, as against a set or dict."""
    function = call.func
    return (
        isinstance(function, ast.Attribute) and function.attr == "update" and "query" in ast.unparse(function)
    )


def all_harmless(call: ast.Call) -> bool:
    return not call.args or harmless(call.args[0], call)


def breaches(tree: ast.AST, *, choke_point: bool) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = called(node.func)
            if name in MAKERS and not choke_point:
                yield f"{node.lineno}: {name}(...) is for text.py and line.py"
            if (name in TAKES_MARKUP | UPDATES or updates_widget(node)) and not all_harmless(node):
                yield f"{node.lineno}: {ast.unparse(node)} may draw untrusted text"
        if isinstance(node, ast.Assign):
            names = [called(target) for target in node.targets]
            if PROPERTIES & set(names) and not harmless(node.value):
                yield f"{node.lineno}: {ast.unparse(node)} may draw untrusted text"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(INSPECTOR).as_posix())
def test_nothing_draws_a_string_that_was_not_cleaned(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert list(breaches(tree, choke_point=path.relative_to(INSPECTOR).as_posix() in CHOKE_POINT)) == []


@pytest.mark.parametrize(
    "source",
    [
        "Static(row.title)",
        "Label(f'{title}')",
        "Static('[b]bold[/b]')",
        "self.app.notify(str(error))",
        "self.app.notify(str(error), markup=False)",
        "widget.border_title = title",
        "self.query_one(Label).update(title)",
        "Content(row.title)",
        "Segment(row.title)",
        "log.write_line(line)",
    ],
)
def test_the_check_sees_what_it_is_for(source: str) -> None:
    assert list(breaches(ast.parse(source), choke_point=False))


@pytest.mark.parametrize(
    "source",
    [
        "Static(content(row.title))",
        "Label('plain words')",
        "self.app.notify(clean_line(error.line), markup=False)",
        "frame.border_title = 'Keys'",
    ],
)
def test_the_check_lets_the_safe_forms_pass(source: str) -> None:
    assert list(breaches(ast.parse(source), choke_point=False)) == []
