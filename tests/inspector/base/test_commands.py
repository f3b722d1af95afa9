from __future__ import annotations

import pytest
from textual.binding import Binding

from core.errors import ConfigError
from inspector.base.commands import bindings, key_name, keymap, table

GENERAL = {"app", "page", "list"}


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
