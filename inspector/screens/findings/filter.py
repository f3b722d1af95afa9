"""Keeping only the diagnoses that hold a text."""

from __future__ import annotations

from collections.abc import Sequence

from textual import getters, on
from textual.widgets import Input

from core.model.finding import NotKnown
from inspector.screens.card_page import CardPage
from inspector.screens.findings.list_view import FindingList, FindingRow
from inspector.screens.findings.sweep import Diagnosis
from inspector.widgets.bars.input_line import InputLine


class FilteringPage(CardPage):
    """A line to type in above the keys, and what it leaves."""

    diagnoses = getters.query_one(FindingList)
    filter_line = getters.query_one(InputLine)

    def filter_changed(self) -> None:
        """Draw what is left; a subclass does."""

    def kept(self, rows: Sequence[FindingRow]) -> Sequence[FindingRow]:
        """The rows that hold every word of the filter."""
        words = self.filter_line.query_one(Input).value.casefold().split()
        if not words:
            return rows
        return [row for row in rows if (text := _text(row)) and all(word in text for word in words)]

    def action_filter(self) -> None:
        """Open the filter, or go on editing it."""
        self.filter_line.display = True
        self.filter_line.query_one(Input).focus()
        self.refresh_bindings()

    @on(Input.Changed)
    def _narrow(self) -> None:
        self.filter_changed()

    @on(Input.Submitted)
    def _leave_line(self) -> None:
        self.diagnoses.focus()

    def action_back(self) -> None:
        """Leave the filter; without one stop and go back."""
        if not self.filter_line.display:
            super().action_back()
            return
        self.filter_line.query_one(Input).value = ""
        self.filter_line.display = False
        self.diagnoses.focus()
        self.refresh_bindings()


def _text(row: FindingRow) -> str:
    if isinstance(row, Diagnosis):
        return row.words
    return f"{row.rule} {row.name} not known {row.why}".casefold() if isinstance(row, NotKnown) else ""
