"""What an examination has found so far, in the order it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from core.errors import InspectorError
from core.model.finding import NotKnown, Severity
from inspector.screens.findings.list_view import FindingRow, NotKnowns
from inspector.screens.findings.sweep import Diagnosis, Step

FOLDED = 4
"""Rules that lack their evidence from which on one line stands for all of them."""


class Results:
    """Worst first, growing; what was found first stands first among those equally bad."""

    def __init__(self) -> None:
        self.found: dict[Severity, list[Diagnosis]] = {severity: [] for severity in Severity}
        self.errors: list[InspectorError] = []
        self.done, self.total = 0, 0
        self.unfolded = False
        """The rules that lack their evidence are shown one by one."""
        self._unknown: list[NotKnown] = []

    def __bool__(self) -> bool:
        """Whether there is anything to show."""
        return any(self.found.values()) or bool(self._unknown)

    def take(self, steps: Iterable[Step]) -> None:
        """Add what some steps found."""
        for step in steps:
            for diagnosis in step.found:
                self.found[diagnosis.finding.severity].append(diagnosis)
            self._unknown += [one for one in step.unknown if one not in self._unknown]
            self.errors += step.errors
            self.done, self.total = step.done, step.total

    def rows(self, text: str, *, filtering: bool) -> Sequence[FindingRow]:
        """What holds every word of a text; all where it is empty.

        Args:
            text: What somebody filters by.
            filtering: They do, so that nothing is folded away from them.
        """
        rows: list[FindingRow] = [*chain.from_iterable(self.found.values()), *self._last(filtering)]
        words = text.casefold().split()
        return [row for row in rows if all(word in _words(row) for word in words)]

    def _last(self, filtering: bool) -> Sequence[FindingRow]:
        """The rules that lack their evidence: one line for all of them until it is opened."""
        if len(self._unknown) < FOLDED or filtering:
            return self._unknown
        folded = NotKnowns(len(self._unknown), opened=self.unfolded)
        return [folded, *(self._unknown if self.unfolded else ())]


def _words(row: FindingRow) -> str:
    if isinstance(row, Diagnosis):
        return row.words
    return f"{row.rule} {row.name} not known {row.why}".casefold() if isinstance(row, NotKnown) else ""
