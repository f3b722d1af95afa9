"""The panes of the map: the list, the message in full, the sums; a drawer where there is no room for all."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from inspector.widgets.messages.detail_pane import DetailPane
from inspector.widgets.messages.message_list import MessageList
from inspector.widgets.panes.text_pane import TextPane


class MapPanes(Horizontal):
    """The list always; beside it the message or the sums, both on a wide screen."""

    SCOPED_CSS = False  # what is shown depends on a class of the screen, which stands outside this widget
    DEFAULT_CSS = """
    MapPanes { height: 1fr; border-top: solid $rule; }
    MapPanes MessageList { width: 3fr; }
    MapPanes DetailPane, MapPanes #sums { width: 2fr; border-left: solid $rule; padding: 0 1; }
    MapPanes #sums { display: none; }
    MapPanes.-sums #sums { display: block; }
    MapPanes.-sums DetailPane { display: none; }
    .-wide MapPanes #sums, .-wide MapPanes DetailPane { display: block; }
    .-narrow MapPanes DetailPane, .-narrow MapPanes #sums { display: none; width: 1fr; border-left: none; }
    .-narrow MapPanes.-drawer MessageList { display: none; }
    .-narrow MapPanes.-drawer DetailPane { display: block; }
    .-narrow MapPanes.-drawer.-sums DetailPane { display: none; }
    .-narrow MapPanes.-drawer.-sums #sums { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.list = MessageList(
            empty="No messages: this session was opened and nothing was said.\n"
            "6 shows what it belongs to, esc goes back."
        )
        self.message = DetailPane()
        self.sums = TextPane(id="sums")

    def compose(self) -> ComposeResult:
        """From left to right."""
        yield self.list
        yield self.message
        yield self.sums

    def open_message(self) -> None:
        """The message has the keys."""
        self.add_class("-drawer")
        self.remove_class("-sums")
        self._give_keys(self.message)

    def toggle_sums(self) -> None:
        """Show the sums in place of the message, or the message again."""
        shown = not self.has_class("-sums")
        self.set_class(shown, "-sums", "-drawer")
        self._give_keys(self.sums if shown else self.list)

    def close_drawer(self) -> None:
        """Back to the list."""
        self.remove_class("-drawer", "-sums")
        self._give_keys(self.list)

    def _give_keys(self, widget: Widget) -> None:
        """Focus a widget once what hides it is gone."""
        self.call_after_refresh(widget.focus)
