"""Who writes the summary? Whatever would leave this machine, and its price, is shown first."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from core.errors import ConfigError
from core.preview.offers import Offers, Writer
from core.support import formatting as fmt
from inspector.base.commands import bindings, hint
from inspector.terminal.line import Line
from inspector.terminal.text import cell_len, clean_line, content
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList

KEEPS = "Nothing leaves this machine and nothing is written. {List.open} chooses, {choice.close} cancels."
TITLE = 24
"""Most cells of a summariser's title."""
ANOTHER = "For another model or server, press {choice.another}."


class Another:
    """The user wants a model that is not listed."""


class WriterList(RowList[Writer]):
    """One summariser per line."""

    def draw_row(self, row: Writer, index: int, width: int) -> Line:
        """Draw name, price, description."""
        ink, muted = self.palette.style("ink", bold=True), self.palette.style("ink-muted")
        price = "$0" if row.sends is None else fmt.money(row.price, mark=fmt.ESTIMATE)
        writers = filter(None, map(self.rows.row, range(self.rows.count)))
        longest = max(cell_len(clean_line(writer.title)) for writer in writers)
        line = Line().gap(1).cell(row.title, min(longest, TITLE) + 1, ink)
        return (
            line.cell(price, 8, self.palette.style("money"), right=True)
            .gap(2)
            .add(row.detail, muted, most=max(0, width - line.width))
        )


class WriterChoice(ModalScreen[Writer | Another | None]):
    """Choose a summariser, and confirm what would be sent."""

    BINDINGS = bindings("choice")
    CSS_PATH = "preview_choice.tcss"

    def __init__(self, offers: Offers) -> None:
        super().__init__()
        self._offers = offers
        self._sure = False

    def compose(self) -> ComposeResult:
        """Question, summarisers, consequence."""
        with Vertical():
            yield Static(content("Which summariser?"), id="title")
            yield WriterList(ListRows(self._offers.writers))
            yield Static(content(hint(KEEPS)), id="consequence")
            if self._offers.refusal:
                yield Static(content(f"No model: {self._offers.refusal}"))
            if self._offers.pause:
                yield Static(content(f"Note: {self._offers.pause}."))
            yield Static(content(hint(ANOTHER)), id="another")

    def on_mount(self) -> None:
        """Focus the list."""
        writers = self.query_one(WriterList)
        writers.styles.height = len(self._offers.writers)
        writers.focus()
        if self._offers.named:
            writers.cursor = len(self._offers.writers) - 1

    @on(WriterList.Moved)
    def _moved(self, event: WriterList.Moved) -> None:
        if not isinstance(event, WriterList.Opened):  # which is a Moved too
            self._sure = False
            self._say()

    @on(WriterList.Opened)
    def _opened(self) -> None:
        writer = self.query_one(WriterList).current
        if writer is None:
            return
        if writer.sends is not None and not self._sure:
            self._sure = not self._refused(writer)
            if self._sure:
                self._say()
            return
        self.dismiss(writer)

    def _refused(self, writer: Writer) -> bool:
        """Whether the user's settings forbid sending; shows the reason."""
        from inspector.settings.config_file import refuse_sending

        second = getattr(writer.summariser, "describe_second", lambda: None)()
        try:
            for endpoint in (writer.summariser.describe(), second):
                if endpoint is not None and not endpoint.local:
                    refuse_sending(endpoint.host)
        except ConfigError as error:
            self.query_one("#consequence", Static).update(content(error.line))
            return True
        return False

    def action_another(self) -> None:
        """Ask for a model that is not listed."""
        self.dismiss(Another())

    def action_close(self) -> None:
        """Close without a choice."""
        self.dismiss(None)

    def _say(self) -> None:
        writer = self.query_one(WriterList).current
        sends = writer is not None and writer.sends is not None
        self.set_class(sends, "-sends")
        words = consequence(writer, sure=self._sure) if writer is not None and sends else hint(KEEPS)
        self.query_one("#consequence", Static).update(content(words))


def consequence(writer: Writer, *, sure: bool) -> str:
    """What choosing a model would do."""
    price = "at an unknown price" if writer.price is None else f"for about {fmt.money(writer.price)}"
    what = (
        f"{fmt.count(writer.sends, mark=fmt.ESTIMATE)} tokens of this conversation, with credentials masked"
    )
    ask = hint(
        "Press {List.open} again to send it." if sure else "{List.open} asks again before anything is sent."
    )
    then = f", and if that fails to {writer.second}," if writer.second else ""
    return f"Sends {what}, to {writer.title} {writer.detail}{then} {price}. {ask}"
