"""One trajectory before and after compression, with its region marked."""

from __future__ import annotations

from dataclasses import replace

from textual import getters, on
from textual.app import ComposeResult

from core.model.finding import Headline, Severity
from core.model.transcript.message import Message as Turn
from core.preview.comparison import Comparison
from core.preview.headline import comparison_headline
from core.support import formatting as fmt
from core.trajectory.browse import Listed, open_listed
from core.trajectory.shards.job import Job
from inspector.base.commands import bindings
from inspector.base.workers import in_thread, then
from inspector.screens.page import Page
from inspector.screens.workspace.preview.panes import SIDES, PreviewPanes
from inspector.widgets.bars.answer_and_keys import AnswerBar, KeyBar
from inspector.widgets.bars.status_line import StatusLine
from inspector.widgets.messages.message_list import MessageList

LONGER = "A higher --target, or fewer protected turns: --protect-last, --no-protect."
"""What helps where a trajectory stays over the target."""
ROOMIER = "A longer summary keeps more: a higher --summary-target."
"""What helps where a summary loses much."""


class TrajectoryScreen(Page):
    """Before and after side by side; the summary is offline, or a given text.

    Args:
        job: How it would be compressed.
        listed: The trajectory.
    """

    BINDINGS = bindings("trajectory")
    DEFAULT_CSS = "TrajectoryScreen.-whole RetentionStrip { display: none; }"

    sides = getters.query_one(PreviewPanes)
    head = getters.query_one(StatusLine)

    def __init__(self, job: Job, listed: Listed) -> None:
        super().__init__()
        self.job = job
        self.listed = listed

    def compose(self) -> ComposeResult:
        """Head, both sides, key bar."""
        yield StatusLine()
        yield AnswerBar()
        yield PreviewPanes()
        yield KeyBar()

    def on_mount(self) -> None:
        """Read the whole trajectory again."""
        name = self.job.sources[self.listed.source].name
        self.head.left = (("ink!", name), ("ink-muted", f" · line {self.listed.line:,}"))
        self.head.right = (("ink-muted", f"target {fmt.count(self.job.settings.target)}"),)
        self.query_one(AnswerBar).waiting = "Reading …"
        self.make()

    @in_thread("trajectory")
    def make(self) -> None:
        """Read it and make the summary."""
        then(self, self._take, open_listed(self.job, self.listed))

    def _take(self, made: Comparison | None) -> None:
        why = self.listed.problem or "It has no turns."
        self.sides.tell(made, why)
        self.query_one(AnswerBar).answer = outcome(made, self.job.settings.target, why)
        self.set_class(made is None or made.retention is None, "-whole")
        self.sides.before.focus()

    @on(MessageList.Opened, "MessageList")
    def _read(self) -> None:
        place, laid = self.sides.before.message, self.sides.laid
        if laid is not None and place is not None and place < len(laid.before):
            self.sides.read_text(self.listed_text(laid.before[place]))

    @staticmethod
    def listed_text(message: Turn) -> str:
        """A whole turn as text: its content, then its calls."""
        calls = (f"{call.name} {call.arguments}" for call in message.tool_calls)
        return "\n".join((message.text, *calls))

    def action_look(self, mode: str) -> None:
        """Show the diff or the lost facts; pressed again, both sides."""
        self.sides.look(mode)

    def action_back(self) -> None:
        """Return to both sides, then to the list."""
        if self.sides.mode != SIDES:
            self.sides.look(SIDES)
        else:
            super().action_back()

    def action_copy(self) -> None:
        """Copy the summary."""
        shown = self.sides.shown
        self.copy(shown.summary if shown else "")


def outcome(made: Comparison | None, target: int, why: str) -> Headline:
    """What compression does to a trajectory, or `why` it cannot be read; what helps if that is not enough."""
    if made is None:
        return Headline(f"It is left as it is: {why.removesuffix('.')}.", None, Severity.CRITICAL)
    before, after = fmt.count(made.before_tokens), fmt.count(made.after_tokens)
    over = made.after_tokens > target
    if made.middle.size:
        headline = comparison_headline(made)
        still = f" Still over the target of {fmt.count(target)}." if over else ""
        helps = ROOMIER if headline.severity is Severity.WARNING else None
        told = Headline(f"{headline.sentence}{still}", helps, headline.severity)
    elif over:
        told = Headline(f"Its {before} tokens are over the target, and every turn is protected.")
    else:
        told = Headline(f"It fits: {after} of {fmt.count(target)} tokens, so nothing is cut.")
    return replace(told, remedy=LONGER, severity=Severity.WARNING) if over else told
