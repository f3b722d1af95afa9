from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextvars import copy_context
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

import inspector
from core.errors import ConfigError
from inspector.base.commands import bindings, hint, key_name, key_of, keymap, table, use_keymap
from inspector.screens.dialogs.help import HelpScreen

GENERAL = {"app", "page", "list"}
SOURCE = Path(inspector.__file__).parent
TOLD = [file for room in ("base", "screens", "widgets") for file in sorted((SOURCE / room).rglob("*.py"))]
"""Where the app's own sentences are; those of the commands are for a shell."""
KEY = re.compile(
    r"\b[Pp]ress (?!\w\w|\{)|\b[Ee]sc,? \w|· (?:enter|\^?\w) "
    r"|^(?:enter|\^?[A-Zb-z]) [a-z]+s\b|; \w [a-z]+s\b"
)
"""A key named in a sentence by itself."""


def test_every_command_has_a_name_of_its_own_and_a_sentence() -> None:
    names = [command.id for command in table()]
    assert len(names) == len(set(names))
    for command in table():
        assert command.id.startswith(f"{command.scope}.") or command.scope in command.id, command
        assert command.help.endswith("."), command
        assert command.keys, command


def test_bindings_carry_the_id_a_keymap_needs() -> None:
    for binding in bindings("sessions"):
        assert isinstance(binding, Binding)
        assert binding.id is not None
        assert binding.id.startswith("sessions.")


@pytest.mark.parametrize("scope", sorted({command.scope for command in table()}))
def test_no_key_means_two_things_in_one_scope(scope: str) -> None:
    keys = [key for command in table() if command.scope == scope for key in command.keys]
    assert sorted(keys) == sorted(set(keys))


def test_views_never_take_a_key_that_quits_helps_or_moves() -> None:
    reserved = {key for command in table() if command.scope == "app" for key in command.keys} | {"y"}
    dialogs = {command.scope for command in table() if command.id.endswith((".close", ".leave"))} - {"map"}
    for command in table():
        if command.scope not in GENERAL | dialogs:
            assert not reserved & set(command.keys), command


def test_a_dangerous_command_is_never_a_bare_lower_case_letter() -> None:
    for command in table():
        if command.danger:
            assert not any(len(key) == 1 and key.islower() for key in command.keys), command


def test_the_user_can_remap_by_id() -> None:
    assert keymap("sessions.sort: o\nlist.down: [j, ctrl+n]") == {
        "sessions.sort": "o",
        "list.down": "j,ctrl+n",
    }
    assert keymap("") == {}


def test_a_sentence_names_the_keys_of_the_user() -> None:
    told = "{List.open} opens, {page.refresh} reads {braces}"
    assert hint(told) == "Enter opens, r reads {braces}"
    copy_context().run(_with_own_keys, told)
    assert hint(told) == "Enter opens, r reads {braces}"


def _with_own_keys(told: str) -> None:
    use_keymap({"list.open": "o,enter", "page.refresh": "ctrl+r"})
    assert hint(told) == "o opens, ^r reads {braces}"
    assert key_of("page.refresh") == "^r"


def test_every_sentence_of_the_app_names_a_key_by_its_command() -> None:
    known = {command.id for command in table()}
    texts = [text for file in TOLD for text in _texts(file)]
    named = {name.lower() for text in texts for name in re.findall(r"\{(\w+\.\w+)\}", text)}
    assert len(named) > 30
    assert named <= known
    assert [text for text in texts if KEY.search(text)] == []


def _texts(file: Path) -> Iterator[str]:
    """The strings of a module without its docstrings, and the names that it asks the key of."""
    tree = ast.parse(file.read_text())
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "key_of":
            yield from (f"{{{ast.literal_eval(one)}}}" for one in node.args if isinstance(one, ast.Constant))


@pytest.mark.parametrize("text", ["sessions.nope: x", "- a list", "a: [", "{1: x}"])
def test_a_keymap_that_cannot_be_used_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        keymap(text, "keys.yaml")
    assert caught.value.where == "keys.yaml"
    assert caught.value.remedy


def test_keys_are_shown_as_people_write_them() -> None:
    assert [key_name(key) for key in ("question_mark", "ctrl+f", "left_square_bracket", "j")] == [
        "?",
        "^f",
        "[",
        "j",
    ]


def test_every_key_is_shown_as_people_write_it() -> None:
    assert not [key_name(key) for command in table() for key in command.keys if "_" in key_name(key)]


def _bound() -> Iterator[tuple[str, Binding]]:
    """Every key a class of ours binds, with the name of the class."""
    for found in walk_packages(inspector.__path__, "inspector."):
        if ".hermes_plugin" in found.name or found.name.endswith("__main__"):
            continue
        for name, one in vars(import_module(found.name)).items():
            if isinstance(one, type) and one.__module__ == found.name and issubclass(one, DOMNode):
                bound = vars(one).get("BINDINGS", ())
                yield from ((name, entry) for entry in Binding.make_bindings(bound))


def test_every_key_a_screen_or_widget_binds_is_in_the_table_and_so_in_help_and_documentation() -> None:
    known = {command.id for command in table()}
    found = list(_bound())
    assert len(found) > len(known)
    assert [(name, entry.key) for name, entry in found if entry.id not in known] == []


def test_every_scope_is_bound_somewhere() -> None:
    bound = {entry.id for _, entry in _bound()}
    assert {command.scope for command in table()} - {str(name).partition(".")[0] for name in bound} == set()


def test_help_shows_every_listed_command_of_a_scope_with_its_keys() -> None:
    scopes = sorted({command.scope for command in table()})
    shown = {(row.keys, row.text) for row in HelpScreen(scopes)._rows}
    wanted = {(" ".join(map(key_name, one.keys)), one.help) for one in table() if one.listed}
    assert wanted <= shown
