"""Writes a conversation's report to a file: compactions, findings, usage; credentials are masked."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical

from core.errors import UsageError
from core.store.database.locate import Location
from core.store.store import Store
from inspector.base.commands import bindings
from inspector.base.workers import ask_store
from inspector.screens.page import Dialog
from inspector.widgets.bars.answer_and_keys import KeyBar
from inspector.widgets.bars.input_lines import PromptBar
from inspector.widgets.panes.card import paragraph
from inspector.widgets.panes.text_pane import TextPane

WORDS = (
    "A report for a bug tracker: compactions with their evidence, findings, usage, cache and lineage. It "
    "quotes nothing that was said; credentials and names of home directories are masked. The name's ending "
    "chooses the format: .md, .html or .json. An existing file is never replaced."
)


class ReportScreen(Dialog):
    """Asks for a file name, writes the report, and says where."""

    CSS_PATH = "origin.tcss"
    BINDINGS = bindings("report")
    HEADING = "Report"

    prompt = getters.query_one(PromptBar)

    def __init__(self, location: Location, session_id: str) -> None:
        super().__init__()
        self._location, self._session = location, session_id
        self._file = f"hermes-report-{session_id}.md"

    def compose(self) -> ComposeResult:
        """What a report holds, a prompt for the file name, a key bar."""
        with Vertical(id="frame"):
            yield TextPane()
            yield PromptBar()
        yield KeyBar()

    def on_mount(self) -> None:
        """Ask at once."""
        self.query_one(TextPane).show(partial(paragraph, WORDS, token="ink-muted"))
        self._ask()

    def _ask(self) -> None:
        self.prompt.ask("report", "write to", self._file)

    def report(self, error: BaseException) -> None:
        """Say what failed, and ask again."""
        super().report(error)
        self._ask()

    @on(PromptBar.Answered)
    def _answered(self, event: PromptBar.Answered) -> None:
        if event.text:
            write = partial(self._written, Path(os.path.expanduser(event.text)))
            self._file = event.text
            ask_store(self, "report", self._location, write, self._say)
        else:
            self.dismiss()

    def _written(self, path: Path, store: Store) -> Path:
        """Build and write the report in a thread."""
        from inspector.report.document import report_text

        text = report_text(store, store.session(self._session), path.suffix[1:].lower() or "md")
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError as error:
            raise UsageError("already exists", where=str(path), remedy="Choose another name.") from error
        except OSError as error:
            raise UsageError(f"cannot be written ({error.strerror})", where=str(path)) from error
        return path

    def _say(self, path: Path) -> None:
        self.toast(f"Written to {path.absolute()}")
        self.dismiss()
