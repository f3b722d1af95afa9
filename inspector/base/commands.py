"""The table of commands, the one source for bindings, footer, help screen and palette."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from textual.binding import Binding, BindingType

from core.errors import ConfigError
from core.support.own_files import BadYaml, read_user_file, user_yaml
from core.support.program_files import load_table

KEY_NAMES = {
    "question_mark": "?", "colon": ":", "slash": "/", "left_square_bracket": "[", "right_square_bracket": "]",
    "left_curly_bracket": "{", "right_curly_bracket": "}", "equals_sign": "=", "escape": "esc",
    "up": "↑", "down": "↓", "left": "←", "right": "→", "pagedown": "pgdn", "pageup": "pgup",
    "greater_than_sign": ">", "less_than_sign": "<", "backspace": "⌫",
    "plus": "+", "minus": "-", "full_stop": ".", "comma": ",",
    "shift+tab": "⇧tab", "shift+left": "⇧←", "shift+right": "⇧→",
}  # fmt: skip
_EXAMPLE = "Example: `sessions.sort: o`"
_NAMED = re.compile(r"\{(\w+\.\w+)\}")
_own_keys: ContextVar[Mapping[str, str]] = ContextVar("own_keys", default=MappingProxyType({}))
"""The user's keymap in the running app; a worker thread does not see it."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing the user can do, and the keys that do it.

    Attributes:
        id: Name in the user's keymap: `scope.verb`.
        scope: Where it works: `app`, `list`, or a screen.
        keys: Textual key names; the first one is shown.
        action: Textual action of the widget, screen or app that binds this scope.
        label: Word in the footer; empty to leave it out of the footer.
        help: One sentence.
        palette: Also offered by the command palette.
        danger: It leads to a write.
        listed: Shown on the help screen.
    """

    id: str
    scope: str
    keys: tuple[str, ...]
    action: str
    help: str
    label: str = ""
    palette: bool = False
    danger: bool = False
    listed: bool = True

    @property
    def binding(self) -> Binding:
        """The command as a Textual binding."""
        return Binding(
            ",".join(self.keys), self.action, self.label or self.help.rstrip("."),
            show=bool(self.label), key_display=key_name(self.keys[0]), tooltip=self.help, id=self.id,
        )  # fmt: skip


def key_name(key: str) -> str:
    """A key as it is shown to people: `?`, `↑`, `^f`."""
    return KEY_NAMES.get(key) or key.replace("ctrl+", "^")


def use_keymap(keymap: Mapping[str, str]) -> None:
    """Name the user's own keys from here on, in everything this task starts."""
    _own_keys.set(keymap)


def keys_of(command: Command) -> Sequence[str]:
    """The keys that run a command: those of the user's keymap, if it names any."""
    own = _own_keys.get().get(command.id)
    return command.keys if own is None else own.split(",")


def key_of(name: str) -> str:
    """The key that runs a command, as it is shown; a sentence that begins with it names `List.open`."""
    key = key_name(keys_of(_by_name()[name.lower()])[0])
    return key.capitalize() if name[0].isupper() and len(key) > 1 else key


def hint(text: str) -> str:
    """Put the key of each command into a sentence that names it: `{page.refresh} reads again`."""
    return _NAMED.sub(lambda found: key_of(found[1]), text)


@cache
def _by_name() -> Mapping[str, Command]:
    return {command.id: command for command in table()}


@cache
def table() -> tuple[Command, ...]:
    """Every command, in the order of the footer and the help screen."""
    rows = load_table("inspector/base/commands.yaml")
    return tuple(Command(**{**row, "keys": tuple(row["keys"])}) for row in rows)


def commands(scope: str) -> tuple[Command, ...]:
    """The commands of one scope."""
    return tuple(command for command in table() if command.scope == scope)


def bindings(scope: str) -> list[BindingType]:
    """The `BINDINGS` of a widget, screen or app for one scope."""
    return [command.binding for command in commands(scope)]


def keymap(text: bytes | str, where: str = "keys.yaml") -> dict[str, str]:
    """Parse the user's own keys: YAML that maps command ids to a key or a list of keys.

    Raises:
        ConfigError: It is not such a map, or names a command that does not exist.
    """
    try:
        data = user_yaml(text) or {}
    except BadYaml as error:
        raise ConfigError(f"cannot be read ({error})", where=where, remedy=_EXAMPLE) from error
    if not isinstance(data, dict):
        raise ConfigError("must map command ids to keys", where=where, remedy=_EXAMPLE)
    return keymap_of(data, where)


def keymap_of(data: Mapping[str, object], where: str) -> dict[str, str]:
    """Build the same keymap from a mapping that is already parsed.

    Raises:
        ConfigError: It names a command that does not exist.
    """
    refuse_unknown(data, where)
    return {name: _keys(value) for name, value in data.items()}


def read_keymap(path: Path) -> dict[str, str]:
    """Read the keymap from a file; empty if the file does not exist.

    Raises:
        ConfigError: It cannot be read, or cannot be used.
    """
    try:
        return keymap(read_user_file(path).decode(errors="replace"), str(path))
    except FileNotFoundError:
        return {}
    except (OSError, BadYaml) as error:
        raise ConfigError(f"cannot be read ({error})", where=str(path)) from error


def refuse_unknown(names: Iterable[object], where: str) -> None:
    """Check that every name is a command.

    Raises:
        ConfigError: A name is not a command.
    """
    import difflib

    known = [command.id for command in table()]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=3)
            remedy = f"Similar: {', '.join(near)}" if near else _EXAMPLE
            raise ConfigError(f"no command is named {name!r}", where=where, remedy=remedy)


def _keys(value: object) -> str:
    keys = value if isinstance(value, list) else [value]
    return ",".join(str(key) for key in keys)
