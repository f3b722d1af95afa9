"""One trajectory before and after compression, with its region marked."""

from __future__ import annotations

from textual import getters, on
from textual.app import ComposeResult

from core.model.transcript.message import Message as Turn
from core.preview.comparison import Comparison
from core.support import formatting as fmt
from core.trajectory.browse import Listed, open_listed
from core.trajectory.shards.job import Job
from inspector.base.commands import bindings
from inspector.base.workers import in_thread, then
from inspector.screens.page import Page
from inspector.screens.workspace.preview.panes import SIDES, PreviewPanes
from inspector.widgets.bars.answer_and_keys import KeyBar
from inspector.widgets.bars.status_line import Piece, StatusLine
from inspector.widgets.messages.message_list import MessageList


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
        yield PreviewPanes()
        yield KeyBar()

    def on_mount(self) -> None:
        """Read the whole trajectory again."""
        self.head.left = (("ink!", f"line {self.listed.line:,}"), ("ink-muted", "  reading …"))
        self.make()

    @in_thread("trajectory")
    def make(self) -> None:
        """Read it and make the summary."""
        then(self, self._take, open_listed(self.job, self.listed))

    def _take(self, made: Comparison | None) -> None:
        why = self.listed.problem or "It has no turns."
        self.sides.tell(made, why)
        self.head.left = tuple(_pieces(self.listed, made, self.job.settings.target))
        self.head.right = () if made is None else (_target(made, self.job.settings.target),)
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


def _pieces(listed: Listed, made: Comparison | None, target: int) -> list[Piece]:
    pieces: list[Piece] = [("ink!", f"line {listed.line:,}")]
    if made is None:
        return [*pieces, ("severity-critical", f" · {listed.problem or 'no turns'}")]
    before, after = fmt.count(made.before_tokens), fmt.count(made.after_tokens)
    if not made.middle.size:
        why = "it fits, so nothing is cut" if made.before_tokens <= target else "nothing can be cut"
        return [*pieces, ("ink", f" · {before} tokens · {why}")]
    saved = fmt.percent(made.saved)
    cut = f"turns {made.middle.start:,}–{made.middle.end - 1:,} of {len(made.before):,}"
    return [*pieces, ("ink", f" · {before} → {after} tokens (−{saved}) · {cut}")]


def _target(made: Comparison, target: int) -> Piece:
    """The target, or that the result is still over it."""
    if made.after_tokens > target:
        return "severity-warning", f"still over {fmt.count(target)}"
    return "ink-muted", f"target {fmt.count(target)}"
