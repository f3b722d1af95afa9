"""The palette in which a line is typed: Enter follows the typed words, however fast they were typed."""

from __future__ import annotations

from textual import on
from textual.command import CommandList, CommandPalette
from textual.widgets import Input, OptionList


class JumpPalette(CommandPalette):
    """Textual's palette, except that Enter waits while its list still shows matches of earlier words."""

    def __init__(self) -> None:
        places = "a screen, conversation, finding or setting, or words of a message"
        super().__init__(placeholder=places, id="--command-palette")
        self._behind = self._entered = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Turn no page of a list that has no line yet, or no room for one: Textual raises an error."""
        turns = action == "command_list"
        return not turns or self.query_one(CommandList).scrollable_content_region.height > 0

    @on(Input.Changed)
    def _ask(self) -> None:
        self._behind, self._entered = True, False

    @on(Input.Submitted)
    def _enter(self, event: Input.Submitted) -> None:
        if self._behind:
            self._entered = True
            event.prevent_default().stop()

    @on(OptionList.OptionHighlighted)
    def _listed(self) -> None:
        self._behind = False
        if self._entered:
            self._entered = False
            self.query_one(CommandList).action_select()
