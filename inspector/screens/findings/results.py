"""What an examination has found so far, in the order it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from core.errors import InspectorError
from core.model.finding import FindingGroup, Headline, NotKnown, Severity, groups_headline
from inspector.screens.findings.list_view import FindingRow, Group, NotKnowns
from inspector.screens.findings.sweep import Diagnosis, Step
from inspector.terminal import formatting as fmt
from inspector.terminal.glyphs import SEVERITY
from inspector.widgets.bars.status_line import Piece, titled

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
        self._told: set[tuple[str, str | None, str]] = set()

    def __bool__(self) -> bool:
        """Whether there is anything to show."""
        return any(self.found.values()) or bool(self._unknown)

    def take(self, steps: Iterable[Step]) -> None:
        """Add what some steps found."""
        for step in steps:
            for diagnosis in step.found:
                if diagnosis.finding.identity not in self._told:
                    self._told.add(diagnosis.finding.identity)
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
        words = text.casefold().split()
        found = [row for row in chain.from_iterable(self.found.values()) if _holds(row, words)]
        rows: list[FindingRow] = []
        for group in FindingGroup:
            together = [row for row in found if row.finding.group is group]
            rows += [Group(group.value, len(together)), *together] if together else []
        return [*rows, *(row for row in self._last(filtering) if _holds(row, words))]

    @property
    def answer(self) -> Headline:
        """How many there are of each group, and where to begin; nothing while nothing was found."""
        found = [one.finding for one in chain.from_iterable(self.found.values())]
        return groups_headline(found, "begin with the first; enter opens where it is.")

    def _last(self, filtering: bool) -> Sequence[FindingRow]:
        """The rules that lack their evidence: one line for all of them until it is opened."""
        if len(self._unknown) < FOLDED or filtering:
            return self._unknown
        folded = NotKnowns(len(self._unknown), opened=self.unfolded)
        return [folded, *(self._unknown if self.unfolded else ())]


def _holds(row: FindingRow, words: Sequence[str]) -> bool:
    return all(word in _words(row) for word in words)


def _words(row: FindingRow) -> str:
    if isinstance(row, Diagnosis):
        return row.words
    return f"{row.rule} {row.name} lacked data {row.why}".casefold() if isinstance(row, NotKnown) else ""


def counts(found: Mapping[Severity, Sequence[Diagnosis]], about: str) -> tuple[Piece, ...]:
    """How many there are of each severity, and in what."""
    pieces = list(titled("Findings", about))
    for severity, ones in found.items():
        if ones:
            pieces.append((f"severity-{severity}", f" · {SEVERITY[severity]} {len(ones):,} {severity}"))
    return tuple(pieces)


def progress(done: int, total: int) -> str:
    """How far the examination is."""
    if not total:
        return "examining …"
    return f"examined {done:,} of {fmt.plural(total, 'conversation')}, sub-agents too · esc stops"
