"""The first line of a workspace: its conversation and its tabs."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from inspector.base.commands import key_of
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import cell_len, clean_line

MIN_TITLE = 11
"""Cells the title always keeps, blanks included."""
CUT_TITLE = 24
"""Cells of a title that still say which conversation it is: for them, `place` keeps its words."""


class TitleBar(Widget):
    """A title on the left and tabs on the right; the tabs show their names if there is room."""

    DEFAULT_CSS = """
    TitleBar { height: 1; background: $surface; }
    """

    heading = reactive("")
    detail = reactive("")
    place = reactive("")
    """Where in the conversation the user is."""
    brief_place = reactive("")
    """The shortest form of `place`, where the user must know it; the title is cut for it."""
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
        room = width - tabs.width - 3
        fitting = (text for text, least in self._details() if least + 3 + cell_len(text) <= room)
        right = next(fitting, self.brief_place)
        if right and room - cell_len(right) - 3 < min(self._cells, MIN_TITLE - 3):
            right = ""  # the title is more important
        left = max(MIN_TITLE - 3, room - cell_len(right) - 3 if right else room)
        line = Line().gap(1).add(self.heading, ink.style("ink", bold=True), most=left)
        if right:
            line.add(" · ", ink.style("ink-faint")).add(right, ink.style("ink-muted"))
        return line.to(width - tabs.width).extend(tabs).strip(width, self.rich_style)

    def _tab_line(self) -> Line:
        ink, line = Palette.of(self.app), Line()
        for index, (key, text) in enumerate(self._labels()):
            here = index == self.active
            line.add(key, ink.style("ink-faint"))
            line.add(text, ink.style("part-head" if here else "ink-muted", bold=here)).gap(1)
        return line

    def _labels(self) -> list[tuple[str, str]]:
        """Key and name of each tab; closer together if space is tight, then inactive tabs show only keys."""
        # Brackets mark the active tab where there is no colour.
        keys = [key_of(f"workspace.view_{place}") for place, _ in enumerate(self.tabs, 1)]
        for after in (" ", ""):
            names = [
                f"[{tab}]" if place == self.active else f" {tab}{after}"
                for place, tab in enumerate(self.tabs)
            ]
            if MIN_TITLE + sum(map(cell_len, [*keys, *names])) + len(names) <= self.size.width:
                return [*zip(keys, names, strict=True)]
        return [("", name) if place == self.active else (keys[place], "") for place, name in enumerate(names)]

    @property
    def _cells(self) -> int:
        return cell_len(clean_line(self.heading))

    def _details(self) -> tuple[tuple[str, int], ...]:
        """Texts that may follow the title, longest first, and how many cells of it must remain."""
        details = " · ".join(filter(None, (self.detail, self.place)))
        texts = ((details, self._cells), (self.place, min(self._cells, CUT_TITLE)))
        return tuple((clean_line(text), least) for text, least in texts if text)

    def on_click(self, event: events.Click) -> None:
        """Switch to the tab under the mouse."""
        start = self.size.width - self._tab_line().width
        for index, label in enumerate(self._labels()):
            end = start + sum(map(cell_len, label))
            if start <= event.x < end:
                self.post_message(self.TabClicked(index))
            start = end + 1
