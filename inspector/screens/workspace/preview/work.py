"""What a preview is made with and where it stands: basis, summariser, focus, cut. No widget."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from core.compress.summarise.base import RESTART, GivenSummary
from core.model.compaction.plan import Plan
from core.preview.comparison import Comparison
from core.preview.foreseen import Basis
from core.preview.offers import Writer, extractive
from inspector.screens.workspace.preview.focus.model import COMPARED, suggested

UNREAD = "Given up; r reads again."
UNWRITTEN = "Given up; f, t or m begins another."
STILL = "Still reading."
PAST = "This compaction happened. Press ] for the newest generation to try another."
WHOLE = "There is no middle to summarise here."


@dataclass
class PreviewWork:
    """The state of one preview.

    Attributes:
        basis: What every preview of the generation starts from; None until it was read, and for the past.
        writer: Who writes the summary.
        focus: The topic asked for.
        turns: How many of the user's last turns stay, as typed; empty leaves the cut to the release.
        shown: The comparison on screen; None while there is none that may be used.
        busy: Something is under way.
        number: Of the question under way; an answer to an earlier one is dropped.
    """

    basis: Basis | None = None
    writer: Writer | None = None
    focus: str | None = None
    turns: str = ""
    shown: Comparison | None = None
    busy: bool = False
    number: int = 0
    _cut: Plan | None = None
    _written: list[str] = field(default_factory=list)

    @property
    def refusal(self) -> str:
        """Why no summary can be made here; empty when one can."""
        if self.basis is None:
            return STILL if self.busy else PAST if self.shown else UNREAD
        return "" if self.basis.plan.summarises else WHOLE

    @property
    def reading(self) -> bool:
        """The generation is still being read; what is asked for meanwhile is done after that."""
        return self.basis is None and self.busy

    @property
    def edited(self) -> bool:
        """The summary is the user's own text, made for this focus and this cut."""
        return self.writer is not None and isinstance(self.writer.summariser, GivenSummary)

    def drop_edited(self) -> bool:
        """Go back to the offline summary where the user's own text no longer fits; true if it was dropped."""
        if self.basis is None or not self.edited:
            return False
        self.writer = extractive(self.basis)
        return True

    @property
    def price(self) -> Decimal | None:
        """What making the summary costs; None when nobody knows, or nobody writes."""
        return self.writer.price if self.writer and self.basis else None

    @property
    def waiting(self) -> str:
        """What is said while the summary is being written."""
        if self.writer is None:
            return ""
        words = f"{self.writer.title} is writing the summary …"
        if self.writer.sends is None:
            return words
        return f"{words} {sum(map(len, self._written)):,} characters · esc cancels"

    @property
    def given_up(self) -> str:
        """What is said after the user gave up."""
        return UNREAD if self.basis is None else UNWRITTEN

    @property
    def written(self) -> str:
        """What a model has written so far."""
        return "".join(self._written)

    def ask(self) -> int:
        """Put another question; answers to the ones before are dropped from now on."""
        self.number += 1
        self.busy, self._written = True, []
        return self.number

    def forget(self) -> None:
        """Another generation, or the same one read again: nothing is known of it."""
        self.basis = None

    def read(self, basis: Basis) -> None:
        """The generation was read."""
        self.basis, self.turns, self.writer = basis, "", extractive(basis)

    def cut_is_new(self) -> bool:
        """Whether the cut differs from the one last shown; it counts as shown from now on."""
        plan = self.basis.plan if self.basis else None
        new, self._cut = plan is not self._cut, plan
        return new

    def take_piece(self, text: str) -> bool:
        """Take a piece of the summary from a model; true for the first one."""
        if text == RESTART:  # an attempt failed half way and begins again
            self._written.clear()
            return False
        self._written.append(text)
        return len(self._written) == 1

    def topics(self, *named: str | None) -> list[str]:
        """What is named, then what the middle is most about, two in all."""
        offered = suggested(self.shown.retention if self.shown else None)
        return list(dict.fromkeys(filter(None, (*named, *offered))))[:COMPARED]

    def offline_writer(self, basis: Basis) -> Writer:
        """Who writes several summaries: agreed to was the price of one, and an edited text is one."""
        other = self.writer is None or self.writer.sends or self.edited
        return extractive(basis) if other or self.writer is None else self.writer
