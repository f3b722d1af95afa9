"""Edit the summary before it is used: in the app, or in the user's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static, TextArea

from inspector.base.commands import bindings
from inspector.screens.page import Page
from inspector.terminal.text import clean, content
from inspector.widgets.bars.key_bar import KeyBar

ADVICE = "Retention and sizes are computed again when you keep it. Nothing is written."


class EditSummary(Page):
    """A summary to change; `kept` is the text to use, None while the user has not kept any."""

    CSS_PATH = "edit.tcss"
    BINDINGS = bindings("edit")

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self.kept: str | None = None

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        with Vertical():
            yield Static(content(ADVICE), id="advice")
            yield TextArea(show_line_numbers=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """Load the text with its escapes made visible: a terminal would obey them."""
        area = self.query_one(TextArea)
        area.load_text(clean(self._text))
        area.focus()

    def action_keep(self) -> None:
        """Use this text as the summary."""
        text = self.query_one(TextArea).text
        if not text.strip():
            self.toast("A summary without a word would lose everything.", "warning")
            return
        self.kept = text
        self.dismiss()

    def action_leave(self) -> None:
        """Leave the summary as it was."""
        self.dismiss()

    def action_editor(self) -> None:
        """Change the text in $VISUAL or $EDITOR."""
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if not editor:
            self.toast("Neither VISUAL nor EDITOR names an editor.", "warning")
            return
        area = self.query_one(TextArea)
        with self.app.suspend():
            text = edited(area.text, shlex.split(editor))
        if text is None:
            self.toast("The editor failed; the text is as it was.", "warning")
        else:
            area.load_text(clean(text))


def edited(text: str, editor: list[str]) -> str | None:
    """Let a program change a text in a private file; None when it fails."""
    with tempfile.TemporaryDirectory(prefix="hermes-inspector-") as folder:
        path = Path(folder) / "summary.md"
        path.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*editor, str(path)], check=True)
            return path.read_text(encoding="utf-8", errors="replace")
        except (OSError, subprocess.CalledProcessError):
            return None
