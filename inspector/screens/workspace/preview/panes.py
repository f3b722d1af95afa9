"""The panes of the preview: both sides linked, the diff, the prompt, what is lost; one at a time."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from core.preview.comparison import Comparison
from inspector.screens.workspace.preview.after_list import AfterList, FactList
from inspector.screens.workspace.preview.reading import PreparingView
from inspector.screens.workspace.preview.rows import BeforeRows, Blocks, before_banding, blocks_of, linked
from inspector.widgets.charts.retention_strip import RetentionStrip
from inspector.widgets.lists.rows import ListRows
from inspector.widgets.messages.bands import Banding
from inspector.widgets.messages.diff_view import DiffView
from inspector.widgets.messages.draw import MessageRow
from inspector.widgets.messages.message_list import BandedRows, MessageList
from inspector.widgets.panes.long_text import LongText

SIDES, DIFF, TEXT, LOST = "-sides", "-diff", "-text", "-lost"
MODES = (SIDES, DIFF, TEXT, LOST)


def _same(row: MessageRow) -> MessageRow:
    return row


class SidesView(PreparingView):
    """Shows one comparison in one of four ways."""

    DEFAULT_CSS = """
    SidesView #sides, SidesView DiffView { display: none; height: 1fr; }
    SidesView #text, SidesView FactList { display: none; height: 1fr; }
    SidesView #panes { height: 1fr; border-top: solid $rule; border-bottom: solid $rule; }
    SidesView.-sides #sides, SidesView.-diff DiffView { display: block; }
    SidesView.-text #text, SidesView.-lost FactList { display: block; }
    SidesView MessageList, SidesView AfterList { width: 1fr; }
    SidesView AfterList { border-left: solid $rule; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.shown: Comparison | None = None
        self.laid: Comparison | None = None
        self.asked = 0
        self._diffed = -1
        self._follower: Widget | None = None
        self.add_class(SIDES)

    def compose_sides(self) -> ComposeResult:
        """The panes and the strip below them."""
        with Horizontal(id="panes"):
            with Horizontal(id="sides"):
                yield MessageList()
                yield AfterList()
            yield DiffView(empty="Making the diff …")
            yield LongText(id="text")
            yield FactList(empty="Nothing checkable stands in the middle.")
        yield RetentionStrip()

    @property
    def before(self) -> MessageList:
        """The left side."""
        return self.query_one(MessageList)

    @property
    def after(self) -> AfterList:
        """The right side."""
        return self.query_one(AfterList)

    @property
    def mode(self) -> str:
        """How the comparison is looked at."""
        return next(mode for mode in MODES if self.has_class(mode))

    def link(self) -> None:
        """From now on one side follows the other."""
        self.watch(self.before, "scroll_y", lambda: self._follow(self.before), init=False)
        self.watch(self.after, "scroll_y", lambda: self._follow(self.after), init=False)

    def tell(self, comparison: Comparison | None, why: str = "") -> None:
        """Show another comparison in the way looked at now, or why there is none."""
        self.shown = comparison
        self._lay(comparison, why)
        if self.mode == DIFF and comparison is not None:
            self._make_diff()

    def begin(self, comparison: Comparison) -> None:
        """Show what is known of a comparison before it has a summary; nobody may use it yet."""
        self.shown = None
        self._lay(comparison)

    def _lay(self, comparison: Comparison | None, why: str = "") -> None:
        self.laid = comparison
        self.before.empty = why
        if comparison is None:
            self.before.lay(BandedRows(ListRows(()), Banding(0), _same))
        else:
            rows = BandedRows(BeforeRows(comparison), before_banding(comparison), _same)
            self.before.lay(rows, message=0)
        self.after.tell(comparison)
        kept = comparison.retention if comparison else None
        self.query_one(RetentionStrip).show(kept, comparison.focus if comparison else None)
        self.query_one(FactList).show_anchors(kept.anchors if kept else ())

    def look(self, mode: str) -> None:
        """Look in another way; the same way again goes back to both sides."""
        mode = SIDES if mode == self.mode else mode
        self.remove_class(*MODES)
        self.add_class(mode)
        if mode == DIFF:
            self._make_diff()
        self.call_after_refresh(self._front().focus)

    def read_text(self, text: str) -> None:
        """Put a long text in place of the sides."""
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
        if self.shown is not None and self._diffed != self.asked:
            self.diff(self.shown, self.asked)

    @on(PreparingView.Diffed)
    def _take_diff(self, event: PreparingView.Diffed) -> None:
        if event.asked == self.asked:
            self._diffed = event.asked
            self.query_one(DiffView).show_lines(event.lines)

    # One side follows the other.

    def _follow(self, leader: MessageList | AfterList) -> None:
        if leader is self._follower:
            self._follower = None
            return
        if self.laid is None or self.after.after is None:
            return
        left, right = self._blocks(self.laid), self.after.after.blocks
        other: Widget = self.after if leader is self.before else self.before
        here, there = (left, right) if leader is self.before else (right, left)
        top = min(linked(leader.scroll_offset.y, here, there), other.max_scroll_y)
        if top != other.scroll_offset.y:
            self._follower = other
            other.scroll_to(y=top, animate=False, immediate=True)

    def _blocks(self, shown: Comparison) -> Blocks:
        return blocks_of(before_banding(shown), shown.head.size, shown.middle.size)

    # From what is lost to where it stood.

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
        if self.shown is not None:
            self.go_to(self.shown.middle.start + event.index)
