"""The first line of a workspace: what it is about, and the views there are."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from inspector.line import Line
from inspector.palette import Palette
from inspector.text import cell_len, clean_line


class TitleBar(Widget):
    """A title on the left, tabs on the right, with their keys where the title leaves room."""

    DEFAULT_CSS = """
    TitleBar { height: 1; background: $surface; }
    """

    heading = reactive("")
    detail = reactive("")
    tabs: reactive[tuple[str, ...]] = reactive(())
    active = reactive(0)

    class TabClicked(Message):
        """The user clicked a tab."""

        def __init__(self, index: int) -> None:
            self.index = index
            super().__init__()

    def render_line(self, y: int) -> Strip:
        """Title, detail, tabs."""
        width, ink = self.size.width, Palette.of(self.app)
        tabs = self._tab_line()
        room = width - tabs.width - 2
        line = Line().gap(1).add(self.heading, ink.style("ink", bold=True), most=max(8, room - 1))
        if self.detail and room - line.width > 12:
            line.add(" · ", ink.style("ink-faint")).add(
                self.detail, ink.style("ink-muted"), most=room - line.width - 3
            )
        return line.to(width - tabs.width).extend(tabs).strip(width, self.rich_style)

    def _tab_line(self) -> Line:
        ink = Palette.of(self.app)
        line, keys = Line(), self._keys_fit()
        for index, tab in enumerate(self.tabs):
            if keys:
                line.add(str(index + 1), ink.style("ink-faint"))
            here = index == self.active
            # The brackets carry the state where there is no colour.
            text = f"[{tab}]" if here else f" {tab} "
            line.add(text, ink.style("part-head" if here else "ink-muted", bold=here)).gap(1)
        return line

    def _keys_fit(self) -> bool:
        """Whether each tab can be named by its key and nothing of the title is cut for it."""
        tabs = sum(cell_len(tab) + 3 for tab in self.tabs)
        room, heading = self.size.width - tabs - 3, cell_len(clean_line(self.heading))
        whole = heading + 3 + cell_len(clean_line(self.detail)) if self.detail else heading
        needed = whole if whole <= room else heading
        return bool(self.tabs) and needed + len(self.tabs) <= room

    def on_click(self, event: events.Click) -> None:
        """Find the tab under the mouse."""
        start = self.size.width - self._tab_line().width
        for index, tab in enumerate(self.tabs):
            end = start + cell_len(tab) + 2 + self._keys_fit()
            if start <= event.x < end:
                self.post_message(self.TabClicked(index))
            start = end + 1
