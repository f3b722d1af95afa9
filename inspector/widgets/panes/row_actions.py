"""A menu of actions for the row under the cursor, each taken with Enter or with its own key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.dom import DOMNode
from textual.events import Key
from textual.screen import ModalScreen, Screen

from inspector.base.commands import Command, bindings, hint, key_name, keys_of, table
from inspector.terminal.line import Line
from inspector.terminal.text import content
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList

MOVES = frozenset({"app", "page", "list", "pane"})
"""Scopes whose keys move around rather than act on a row."""
ALWAYS = {"list.open": -1, "page.copy": 1}
"""Exceptions that do act on a row, and whether they come first (-1) or last (1)."""
KEY_WIDTH = 8


@dataclass(frozen=True, slots=True)
class RowAction:
    """An action, the widget or screen that performs it, and the keys that do the same."""

    command: Command
    node: DOMNode
    keys: Sequence[str]


def row_actions(screen: Screen[Any]) -> tuple[RowAction, ...]:
    """The actions of the active keys on the row under the cursor, in the order of the command table."""
    active = {entry.binding.id: entry for entry in screen.active_bindings.values() if entry.enabled}
    found = [
        RowAction(command, active[command.id].node, keys_of(command))
        for command in table()
        if command.id in active and command.listed and command.keys[0] != "escape" and _acts(command)
    ]
    return tuple(sorted(found, key=lambda one: ALWAYS.get(one.command.id, 0)))


def _acts(command: Command) -> bool:
    return command.scope not in MOVES or command.id in ALWAYS


class ActionList(RowList[RowAction]):
    """Each action's key, then what it does."""

    def draw_row(self, row: RowAction, index: int, width: int) -> Line:
        """Draw one action."""
        ink = self.palette
        line = Line().gap(1).cell(key_name(row.keys[0]), KEY_WIDTH, ink.style("part-head", bold=True))
        return line.add(row.command.help, ink.style("ink"), most=width - line.width)


class ActionsScreen(ModalScreen[RowAction | None]):
    """A menu over the screen that it acts on."""

    BINDINGS = bindings("actions")
    DEFAULT_CSS = """
    ActionsScreen {
        align: center middle;

        #frame {
            width: 84; max-width: 96%; height: auto; max-height: 80%;
            border: round $rule; border-title-color: $ink-muted; background: $surface; padding: 0 1;
        }
        ActionList { height: auto; max-height: 24; }
    }
    """

    def __init__(self, actions: Sequence[RowAction]) -> None:
        super().__init__()
        self._actions = tuple(actions)

    def compose(self) -> ComposeResult:
        """The actions in a frame."""
        with Vertical(id="frame"):
            yield ActionList()

    def on_mount(self) -> None:
        """Title the frame and fill the list."""
        frame = self.query_one("#frame")
        frame.border_title = "What you can do here"
        frame.border_subtitle = content(hint("{list.open} or its key · {actions.close} back"))
        listing = self.query_one(ActionList)
        listing.styles.height = len(self._actions)
        listing.show(ListRows(list(self._actions)), cursor=0)
        listing.focus()

    @on(RowList.Opened)
    def _chosen(self) -> None:
        self.dismiss(self.query_one(ActionList).current)

    def on_key(self, event: Key) -> None:
        """Take an action at once by its own key."""
        found = next((action for action in self._actions if event.key in action.keys), None)
        if found is not None:
            event.stop()
            self.dismiss(found)

    def action_close(self) -> None:
        """Close without an action."""
        self.dismiss(None)
