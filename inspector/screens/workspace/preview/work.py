"""The state of a preview: basis, summariser, focus, cut. No widget."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from core.compress.summarise.base import RESTART, GivenSummary
from core.model.compaction.plan import Plan
from core.model.finding import Headline
from core.preview.comparison import Comparison
from core.preview.foreseen import Basis
from core.preview.offers import Writer, offline
from inspector.base.commands import hint, key_of
from inspector.screens.workspace.preview.focus.model import COMPARED, suggest_topics

UNREAD = "Cancelled; press {page.refresh} to read again."
UNWRITTEN = "Cancelled; press {preview.focus}, {preview.keep} or {preview.model} to start another."
STILL = "Still reading the messages."
PAST = (
    "This compaction already happened. "
    "Press {workspace.newer} to go to the newest generation and preview the next one."
)
KEEP_ALL = "There is nothing to summarise: head and tail hold every message."
ONLY_SUMMARY = "There is nothing to summarise: only an earlier summary is old enough to be compressed."


@dataclass
class PreviewWork:
    """The state of one preview.

    Attributes:
        basis: Where every preview of the generation starts; None until it is read, or if it is older.
        writer: The summariser.
        focus: The topic.
        turns: How many of the user's last turns to keep, as typed; empty leaves the cut to the release.
        shown: The comparison on screen; None while there is none to use.
        headline: What it comes to, in one sentence.
        busy: Work is in progress.
        number: Counts requests, so that results of an earlier one are dropped.
    """

    basis: Basis | None = None
    writer: Writer | None = None
    focus: str | None = None
    turns: str = ""
    shown: Comparison | None = None
    headline: Headline | None = None
    busy: bool = False
    number: int = 0
    _cut: Plan | None = None
    _written: list[str] = field(default_factory=list)

    @property
    def refusal(self) -> str:
        """Why no summary can be made here; empty if one can."""
        if self.basis is None:
            return hint(STILL if self.busy else PAST if self.shown else UNREAD)
        plan = self.basis.plan
        return "" if plan.summarises else ONLY_SUMMARY if plan.spent else KEEP_ALL

    @property
    def reading(self) -> bool:
        """Whether the generation is still being read; requests wait for that."""
        return self.basis is None and self.busy

    @property
    def edited(self) -> bool:
        """Whether the summary is the user's own text, made for this focus and cut."""
        return self.writer is not None and isinstance(self.writer.summariser, GivenSummary)

    def drop_edited(self) -> bool:
        """Return to the offline summary if the user's text no longer applies; True if it was dropped."""
        if self.basis is None or not self.edited:
            return False
        self.writer = offline(self.basis)
        return True

    @property
    def price(self) -> Decimal | None:
        """The cost of making the summary; None if unknown."""
        return self.writer.price if self.writer and self.basis else None

    @property
    def waiting(self) -> str:
        """Shown while the summary is being written."""
        if self.writer is None:
            return ""
        words = f"{self.writer.title} is writing the summary …"
        if self.writer.sends is None:
            return words
        return f"{words} {sum(map(len, self._written)):,} characters · {key_of('preview.close')} cancels"

    @property
    def given_up(self) -> str:
        """Shown after the user cancelled."""
        return hint(UNREAD if self.basis is None else UNWRITTEN)

    @property
    def written(self) -> str:
        """What a model has written so far."""
        return "".join(self._written)

    def ask(self) -> int:
        """Begin a request; results of earlier ones are dropped from now on."""
        self.number += 1
        self.busy, self._written = True, []
        return self.number

    def forget(self) -> None:
        """Drop the basis, for another generation or the same one read again."""
        self.basis = None

    def read(self, basis: Basis) -> None:
        """Take a generation that was read."""
        self.basis, self.turns, self.writer = basis, "", offline(basis)

    def cut_is_new(self) -> bool:
        """Whether the cut differs from the last one shown; it counts as shown from now on."""
        plan = self.basis.plan if self.basis else None
        new, self._cut = plan is not self._cut, plan
        return new

    def take_piece(self, text: str) -> bool:
        """Take a piece of text from a model; True for the first one."""
        if text == RESTART:  # an attempt failed halfway and starts over
            self._written.clear()
            return False
        self._written.append(text)
        return len(self._written) == 1

    def topics(self, *named: str | None) -> list[str]:
        """Two topics: the named ones, then what the middle is mostly about."""
        offered = suggest_topics(self.shown.retention if self.shown else None)
        return list(dict.fromkeys(filter(None, (*named, *offered))))[:COMPARED]

    def offline_writer(self, basis: Basis) -> Writer:
        """The summariser for several summaries: no paid model, agreed to for one, and no edited text."""
        writer = self.writer
        return offline(basis) if writer is None or writer.sends or self.edited else writer
