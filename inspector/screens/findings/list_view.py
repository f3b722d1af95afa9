"""Findings, worst first, one line each, and a card about one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.model.finding import Evidence, Finding, NotKnown, Severity, Source, certainty, help_word
from core.model.transcript.message import Message
from core.support import formatting as fmt
from inspector.base.commands import key_of
from inspector.screens.findings.sweep import Diagnosis
from inspector.terminal.glyphs import SEVERITY, VERDICT
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import cell_len
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.messages.detail_pane import Detail, detail_lines
from inspector.widgets.panes.card import evidence_lines, field, headline, paragraph

if TYPE_CHECKING:
    from core.store.store import Store

MIN_FIX = 24
"""Cells a remedy needs after its sentence; with fewer it appears only on the card."""
ADVICE = 4
"""Cells before what helps, on a line of its own."""
_ROW = re.compile(r"messages? (\d+)")
"""How evidence from the database names its rows; the first one is where the finding opens."""
_CLAUSE = re.compile(r"[;,.] | or ")
"""Where a remedy that is too long for its row may end."""
_TABS = {"D": "map", "E": "chain", "F": "usage", "G": "cache"}
"""The tab to open for rules of a letter: cut, lineage, spending, cache."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A line that stands for similar rows, or heads them while they are shown.

    Attributes:
        kind: Group, severity and name of their rule; empty for checks that lacked data.
        what: How many rows of what kind.
        about: A sentence for the card.
    """

    kind: str
    what: str
    about: str
    opened: bool

    @property
    def sentence(self) -> str:
        """How many, and what Enter does."""
        return f"{self.what} · {key_of('list.open')} {'hides' if self.opened else 'shows'} them"


@dataclass(frozen=True, slots=True)
class Group:
    """The title above findings that need the same kind of attention."""

    title: str
    count: int


@dataclass(frozen=True, slots=True)
class Advice:
    """What helps with the finding above, on a line of its own."""

    words: str


FindingRow = Diagnosis | NotKnown | Folded | Group | Advice


def with_advice(rows: Sequence[FindingRow], room: int) -> Sequence[FindingRow]:
    """The rows, each finding's remedy below it if all of them have room, in lines."""
    told = [
        Advice(f"{help_word(row.finding.severity)}: {row.finding.remedy}")
        if isinstance(row, Diagnosis) and row.finding.remedy
        else None
        for row in rows
    ]
    if len(rows) + sum(one is not None for one in told) > room:
        return rows
    return [one for pair in zip(rows, told, strict=True) for one in pair if one is not None]


class FindingList(RowList[FindingRow]):
    """Sign, sentence, remedy, conversation; checks that lacked data come last."""

    titled = True
    """Whether to show each finding's conversation."""

    def draw_row(self, row: FindingRow, index: int, width: int) -> Line:
        """Draw one row."""
        if not isinstance(row, Diagnosis):
            return self._draw_other(row, width)
        ink, finding = self.palette, row.finding
        style = ink.style(f"severity-{finding.severity}", bold=finding.severity is not Severity.INFO)
        line = Line().cell(SEVERITY[finding.severity], 2, style)
        room = min(30, width // 4) if self.titled and width >= 90 else 0
        end = width - room - (2 if room else 0)
        line.add(finding.sentence, ink.style("ink"), most=end - line.width)
        if finding.remedy and not self._advised(index) and end - line.width > MIN_FIX:
            help = in_clauses(f"{help_word(finding.severity)}: {finding.remedy}", end - line.width - 2)
            line.gap(2 if help else 0).add(help, ink.style("severity-ok"))
        line.to(end)
        if room:
            line.gap(2).cell(row.title or row.location.label, room, ink.style("ink-muted"))
        return line

    def _advised(self, index: int) -> bool:
        """Whether what helps stands on the next line."""
        return index + 1 < self.rows.count and isinstance(self.rows.row(index + 1), Advice)

    def _draw_other(self, row: Group | Folded | NotKnown | Advice, width: int) -> Line:
        faint, muted = self.palette.style("ink-faint"), self.palette.style("ink-muted")
        if isinstance(row, Group):
            title = self.palette.style("ink-muted", bold=True)
            return Line().add(row.title, title).gap(2).add(f"{row.count:,}", faint)
        if isinstance(row, Advice):
            helps = in_clauses(row.words, width - ADVICE) or row.words
            return Line().gap(ADVICE).add(helps, self.palette.style("severity-ok"), most=width - ADVICE)
        if isinstance(row, Folded):
            sign = "▾" if row.opened else "▸"
            return Line().cell(sign, 2, faint).add(row.sentence, muted, most=width - 2)
        line = Line().cell(fmt.UNKNOWN, 2, faint).cell(row.rule, 4, faint)
        return line.add(f"{row.question}: lacked data, {row.why}", faint, most=width - 7)

    @property
    def told(self) -> int:
        """The number of rows without group titles and advice."""
        return sum(not self.is_heading(place) for place in range(self.rows.count))

    def is_heading(self, index: int) -> bool:
        """The cursor skips group titles and advice."""
        return isinstance(self.rows.row(index), Group | Advice)


def in_clauses(text: str, room: int) -> str:
    """A remedy for a row: whole, or as many of its clauses as fit; half a command would mislead."""
    if cell_len(text) <= room:
        return text
    ends = [match.start() for match in _CLAUSE.finditer(text) if match.start() < room - 1]
    return f"{text[: ends[-1]]} …" if ends else ""


def card(row: FindingRow, width: int, ink: Palette) -> Iterator[Line]:
    """Everything about one finding."""
    if isinstance(row, Diagnosis):
        yield from _finding(row, row.finding, width, ink)
    elif isinstance(row, Folded):
        yield from paragraph(row.about, width, ink, "ink-muted")
    elif isinstance(row, NotKnown):
        words = f"Not checked: {row.question}. {row.why[:1].upper()}{row.why[1:]}."
        yield from paragraph(words, width, ink, "ink-muted")


def _finding(row: Diagnosis, finding: Finding, width: int, ink: Palette) -> Iterator[Line]:
    token, badge = f"severity-{finding.severity}", f"{SEVERITY[finding.severity]} {finding.severity}"
    yield from headline(finding.sentence, badge, width, ink, badge_token=token)
    if finding.remedy:
        label = help_word(finding.severity).split()[-1].lower()
        yield from field(label, finding.remedy, width, ink, "severity-ok")
    yield from field("about", row.title or str(row.location.db), width, ink)
    sure = f"{VERDICT[finding.verdict]} {certainty(finding)}"
    yield from field("how sure", f"{sure} · rule {finding.rule} {finding.name}", width, ink)


def proof(row: FindingRow, width: int, ink: Palette, quoted: Sequence[Message] = ()) -> Iterator[Line]:
    """The numbers behind a finding, its evidence, and the `quoted` messages whole."""
    if not isinstance(row, Diagnosis):
        return
    finding = row.finding
    # A text that the sentence or remedy already contains is not repeated among the numbers.
    above = f"{finding.sentence} {finding.remedy}"
    extra_numbers = [
        pair for pair in finding.numbers.items() if not (isinstance(pair[1], str) and pair[1] in above)
    ]
    for place, (name, value) in enumerate(extra_numbers):
        shown = f"{value:,}" if isinstance(value, int) else str(value).lstrip(": ")
        yield from field("" if place else "numbers", f"{name.replace('_', ' ')}  {shown}", width, ink)
    yield from evidence_lines(finding.evidence, width, ink)
    for message in quoted:
        yield Line()
        yield from detail_lines(Detail(None, message), width, ink)


def read_message(row: int, store: Store) -> Sequence[Message]:
    """The message of a row; nothing if it is gone."""
    return store.messages((row,), rewound=())


def place_of(finding: Finding) -> tuple[str, int | None]:
    """The tab of the conversation, and the message row where the evidence begins, if it names one."""
    row = _row(finding.evidence)
    return ("map", row) if row is not None else (_TABS.get(finding.rule[:1], "why"), None)


def _row(evidence: Iterable[Evidence]) -> int | None:
    found = (_ROW.match(one.where) for one in evidence if one.source is Source.DATABASE)
    return next((int(match[1]) for match in found if match), None)
