"""The panes of the preview, one shown at a time: both sides, diff, text, lost facts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import takewhile

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from core.preview.comparison import Comparison
from core.store.database.connect import Cancelled
from inspector.base.workers import Reporting, ask
from inspector.screens.workspace.preview.after_list import AfterList, FactList
from inspector.screens.workspace.preview.paired_rows import Sides, before_banding, blocks_of, linked
from inspector.widgets.charts.retention import UNCHANGED, RetentionStrip
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.messages.diff_view import DiffLine, DiffView, message_diff
from inspector.widgets.messages.message_line import MessageRow
from inspector.widgets.messages.message_list import BandedRows, Banding, MessageList
from inspector.widgets.panes.text_pane import LongText

SIDES, DIFF, TEXT, LOST = "-sides", "-diff", "-text", "-lost"
MODES = (SIDES, DIFF, TEXT, LOST)


def _diff(shown: Comparison, stop: Cancelled) -> list[DiffLine]:
    """The unified diff; stops early if cancelled."""
    spans = shown.head, shown.middle, shown.tail
    lines = message_diff(shown.before, shown.after, spans, shown.kept, shown.summary)
    return list(takewhile(lambda _: not stop(), lines))


def _same(row: MessageRow) -> MessageRow:
    return row


class PreviewPanes(Reporting, Vertical):
    """Shows a comparison in one of four modes, with its retention."""

    DEFAULT_CSS = """
    PreviewPanes { height: 1fr; }
    PreviewPanes #sides, PreviewPanes DiffView { display: none; height: 1fr; }
    PreviewPanes #text, PreviewPanes FactList { display: none; height: 1fr; }
    PreviewPanes #panes { height: 1fr; border-top: solid $rule; border-bottom: solid $rule; }
    PreviewPanes.-sides #sides, PreviewPanes.-diff DiffView { display: block; }
    PreviewPanes.-text #text, PreviewPanes.-lost FactList { display: block; }
    PreviewPanes.-lost RetentionStrip.-uncounted { display: none; }
    PreviewPanes MessageList, PreviewPanes AfterList { width: 1fr; }
    PreviewPanes AfterList { border-left: solid $rule; }
    """

    before = getters.query_one(MessageList)
    after = getters.query_one(AfterList)

    def __init__(self) -> None:
        super().__init__()
        self.laid: Comparison | None = None
        self._complete = False
        self._diffed: Comparison | None = None
        self._follower: Widget | None = None
        self.add_class(SIDES)

    def compose(self) -> ComposeResult:
        """The panes, and the retention strip below."""
        with Horizontal(id="panes"):
            with Horizontal(id="sides"):
                yield MessageList()
                yield AfterList()
            yield DiffView(empty="Making the diff …")
            yield LongText(id="text")
            yield FactList()
        yield RetentionStrip()

    def on_mount(self) -> None:
        """Let each side follow the other from now on."""
        self.watch(self.before, "scroll_y", lambda: self._follow(self.before), init=False)
        self.watch(self.after, "scroll_y", lambda: self._follow(self.after), init=False)
        self.watch(self.before, "cursor", lambda: self._follow(self.before), init=False)

    @property
    def mode(self) -> str:
        """The mode in which the comparison is shown."""
        return next(mode for mode in MODES if self.has_class(mode))

    @property
    def shown(self) -> Comparison | None:
        """The comparison, once it has a summary that can be used."""
        return self.laid if self._complete else None

    @property
    def row(self) -> int | None:
        """`messages.id` of the message under the left side's cursor."""
        place, laid = self.before.message, self.laid
        if laid is None or place is None or place >= len(laid.before):
            return None
        row = laid.before[place].row
        return row.id if row is not None else None

    def sides_of(self, comparison: Comparison | None) -> Sides | None:
        """The rows of both sides for the width in sight; a worker makes them, as that takes long."""
        return None if comparison is None else Sides.of(comparison, self.after.drawn_at)

    def tell(self, comparison: Comparison | None, why: str = "", sides: Sides | None = None) -> None:
        """Show another comparison in the current mode, or why there is none."""
        self._lay(comparison, why, sides)
        self._complete = comparison is not None
        if comparison is not None and comparison.is_unchanged:
            self.query_one(RetentionStrip).show(None, UNCHANGED)
            self.query_one(FactList).show_kept(None, UNCHANGED)
        if self.mode == DIFF:
            self._make_diff()

    def begin(self, comparison: Comparison) -> None:
        """Show what is known of a comparison before it has a summary."""
        self._lay(comparison)
        self._complete = False

    def _lay(self, comparison: Comparison | None, why: str = "", sides: Sides | None = None) -> None:
        self.laid = comparison
        self.before.empty = why
        if comparison is None:
            self.before.lay(BandedRows(ListRows(()), Banding(0), _same))
            self.after.tell(None)
        else:
            sides = sides or Sides.of(comparison, self.after.row_width)
            rows = BandedRows(sides.before, before_banding(comparison), _same)
            self.before.lay(rows, message=0)
            self.after.tell(comparison, sides.after)
        kept = comparison.retention if comparison else None
        self.query_one(RetentionStrip).show(kept)
        self.query_one(FactList).show_kept(kept)

    def look(self, mode: str) -> None:
        """Switch to a mode; the current mode again returns to both sides."""
        mode = SIDES if mode == self.mode else mode
        self.remove_class(*MODES)
        self.add_class(mode)
        if mode == DIFF:
            self._make_diff()
        self.call_after_refresh(self._take_keys)

    def _take_keys(self) -> None:
        """Focus the pane in front, unless the user is typing in a prompt."""
        focused = self.screen.focused
        if focused is None or self in focused.ancestors:
            self._front().focus()

    def read_text(self, text: str) -> None:
        """Show a long text instead of the sides."""
        self.query_one(LongText).read(text, keep_place=self.mode == TEXT)
        if self.mode != TEXT:
            self.look(TEXT)

    def _front(self) -> Widget:
        fronts: dict[str, Widget] = {
            SIDES: self.before,
            DIFF: self.query_one(DiffView),
            TEXT: self.query_one("#text"),
            LOST: self.query_one(FactList),
        }
        return fronts[self.mode]

    def _make_diff(self) -> None:
        shown = self.shown
        if shown is not None and self._diffed is not shown:
            ask(self, "diff", partial(_diff, shown), partial(self._take_diff, shown))

    def _take_diff(self, shown: Comparison, lines: Sequence[DiffLine]) -> None:
        if shown is self.laid:
            self._diffed = shown
            self.query_one(DiffView).show_lines(lines)

    # Linked scrolling.

    def _follow(self, leader: MessageList | AfterList) -> None:
        if leader is self._follower:
            self._follower = None
            return
        if self.laid is None or self.after.after is None:
            return
        left = blocks_of(before_banding(self.laid), self.laid.head.size, self.laid.middle.size)
        right = self.after.after.blocks
        other: Widget = self.after if leader is self.before else self.before
        here, there = (left, right) if leader is self.before else (right, left)
        # Align the row under the cursor with its counterpart, or if it is off screen, the top rows.
        top_row = leader.scroll_offset.y
        level = leader.cursor if top_row <= leader.cursor < top_row + leader.size.height - 1 else top_row
        top = max(0, min(linked(level, here, there) - (level - top_row), other.max_scroll_y))
        if top != other.scroll_offset.y:
            self._follower = other
            other.scroll_to(y=top, animate=False, immediate=True)

    # From a lost fact to its message.

    @on(FactList.Opened, "FactList")
    def _show_anchor(self) -> None:
        anchor = self.query_one(FactList).current
        if anchor is not None and anchor.messages:
            self.go_to(anchor.messages[-1])

    @on(DiffView.Opened, "DiffView")
    def _show_line(self) -> None:
        line = self.query_one(DiffView).current
        if line is not None and line.message is not None:
            self.go_to(line.message)

    def go_to(self, message: int) -> None:
        """Show a message of the list before on the left side."""
        if self.mode != SIDES:
            self.look(SIDES)
        self.before.go_to(message)

    @on(RetentionStrip.Chosen)
    def _show_heat(self, event: RetentionStrip.Chosen) -> None:
        if self.laid is not None:
            self.go_to(self.laid.middle.start + event.index)
