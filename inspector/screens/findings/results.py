"""The findings so far, in the order they are shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from core.errors import InspectorError
from core.model.finding import Finding, FindingGroup, Headline, NotKnown, Severity, groups_headline
from inspector.base.commands import hint
from inspector.screens.findings.list_view import FindingRow, Folded, Group
from inspector.screens.findings.sweep import Diagnosis, Step

ALIKE = 4
"""From this many on, similar findings, or checks that lacked data, are folded into one line."""
START = "start with the first: {list.open} opens it, {page.copy} copies its fix."
_LACKED = "These checks lacked data, or apply to one conversation at a time."


CLEAN, UNCHECKED = "Nothing is wrong.", "Not everything could be checked."


class _Kind(NamedTuple):
    """What findings that are shown together have in common."""

    group: FindingGroup
    severity: Severity
    name: str


class Results:
    """Findings sorted worst first, while more arrive."""

    def __init__(self) -> None:
        self.errors: list[InspectorError] = []
        self.done, self.total = 0, 0
        self._opened = set[str]()
        self._found: dict[tuple[str, str, str], Diagnosis] = {}
        self._kinds: dict[_Kind, list[Diagnosis]] = defaultdict(list)
        self._unknown: list[NotKnown] = []

    def __bool__(self) -> bool:
        """Whether there is anything to show."""
        return bool(self._found or self._unknown)

    def take(self, steps: Iterable[Step]) -> Sequence[Diagnosis]:
        """Add the results of some steps, and return what is new: two databases may report the same."""
        new: list[Diagnosis] = []
        for step in steps:
            for diagnosis in step.found:
                finding = diagnosis.finding
                if self._found.setdefault(finding.identity, diagnosis) is diagnosis:
                    new.append(diagnosis)
                    self._kinds[_Kind(finding.group, finding.severity, finding.name)].append(diagnosis)
            self._unknown += [one for one in step.unknown if one not in self._unknown]
            self.errors += step.errors
            self.done, self.total = step.done, step.total
        return new

    def rows(self, text: str, *, filtering: bool) -> Sequence[FindingRow]:
        """The rows that contain every word of a text, all if it is empty; unfolded while `filtering`."""
        words = text.casefold().split()
        unknown = [row for row in self._unknown if _holds(row, words)]
        rows: list[FindingRow] = []
        for group, kinds in groupby(self._ordered(), lambda kind: kind.group):
            found = {kind: [row for row in self._kinds[kind] if _holds(row, words)] for kind in kinds}
            count = sum(map(len, found.values()))
            rows += [Group(group.value, count)] if count else []
            for kind, ones in found.items():
                rows += self._alike(kind, _newest_first(ones), filtering=filtering)
        if filtering or len(unknown) < ALIKE:
            return [*rows, *unknown]
        return [*rows, *self._folded("", f"{len(unknown):,} checks lacked data", _LACKED, unknown)]

    def fold(self, row: Folded) -> None:
        """Unfold the rows a line stands for, or fold them again."""
        self._opened ^= {row.kind}

    @property
    def findings(self) -> Sequence[Finding]:
        """All findings so far, in the order they were found."""
        return [one.finding for one in self._found.values()]

    @property
    def answer(self) -> Headline:
        """How many findings each group has, and where to begin; empty while there are none."""
        return groups_headline(self.findings, hint(START))

    def _ordered(self) -> Sequence[_Kind]:
        """The kinds found, by group and severity; there are few of them, however many findings."""
        if not self._kinds:
            return ()
        from core.explain.diagnose.registry import rule_places  # already loaded by whatever found them

        groups, places = list(FindingGroup), rule_places()

        def place(kind: _Kind) -> tuple[int, int, int]:
            return groups.index(kind.group), kind.severity.rank, places.get(kind.name, len(places))

        return sorted(self._kinds, key=place)

    def _alike(self, kind: _Kind, ones: Sequence[Diagnosis], *, filtering: bool) -> Iterator[FindingRow]:
        """The findings of one kind; of many, the first and a line for the others."""
        if filtering or len(ones) < ALIKE:
            yield from ones
            return
        first, *others = ones
        yield first
        more = f"{len(others):,} more"
        about = f"{more} of the rule {kind.name}."
        yield from self._folded(" ".join(kind), f"{more} like this", about, others)

    def _folded(self, kind: str, what: str, about: str, rows: Sequence[FindingRow]) -> Iterator[FindingRow]:
        yield Folded(kind, what, about, opened=kind in self._opened)
        yield from rows if kind in self._opened else ()


def _newest_first(ones: Iterable[Diagnosis]) -> Sequence[Diagnosis]:
    return sorted(ones, key=lambda one: one.finding.session or "", reverse=True)


def _holds(row: FindingRow, words: Sequence[str]) -> bool:
    return all(word in _words(row) for word in words)


def _words(row: FindingRow) -> str:
    if isinstance(row, Diagnosis):
        return row.words
    if isinstance(row, NotKnown):
        return f"{row.rule} {row.name} {row.question} lacked data {row.why}".casefold()
    return ""


def nothing_found(errors: Sequence[InspectorError]) -> Headline:
    """The answer once all is checked and there is no finding."""
    return Headline(UNCHECKED, None, Severity.WARNING) if errors else Headline(CLEAN)


def progress(done: int, total: int) -> str:
    """How far the examination is."""
    if not total:
        return "checking …"
    return f"checked {done:,} of {total:,} · {hint('{findings.back} stops')}"
