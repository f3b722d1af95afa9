"""What is set, and where does it come from? A theme is tried out while the cursor is on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from textual import getters, on
from textual.app import ComposeResult, SuspendNotSupported

from core.errors import InspectorError
from core.model.finding import Headline, Severity
from core.support.formatting import plural
from inspector.base.app_protocol import shell
from inspector.base.commands import bindings, hint
from inspector.screens.page import CardPage
from inspector.settings.config_file import ConfigFile, own_config, read_config
from inspector.settings.edit import ShownSetting, edit_settings, examples, shown_settings
from inspector.terminal.line import Line, Palette, shipped
from inspector.terminal.text import cell_len, clean_code, clean_line, crop, wrap
from inspector.widgets.bars.status_line import titled
from inspector.widgets.lists.line_view import ListRows
from inspector.widgets.lists.row_list import RowList
from inspector.widgets.panes.card import field, headline, paragraph

NAME, VALUE, ORIGIN = 20, 18, 18
"""Widths of the columns, in cells; the value has at least this, and what it does gets the rest."""
LEAST = 30
"""Cells from which the rest holds a sentence."""
OPENS, THEMES = "{list.open} opens the file in your editor", "{list.open} jumps to the list of themes"
EXAMPLES = "What the file can hold, with examples:"
WEARS = "{list.open} keeps this theme; leaving without it returns to "


@dataclass(frozen=True, slots=True)
class ThemeRow:
    """A theme that ships with the app."""

    name: str
    title: str


SettingRow = ShownSetting | ThemeRow


class SettingList(RowList[SettingRow]):
    """Name, value and origin of each setting; the themes are below."""

    worn = ""
    """The theme in use, unless another is tried out."""

    def draw_row(self, row: SettingRow, index: int, width: int) -> Line:
        """Draw a setting in bold if it is set, faint if it is a default."""
        ink = self.palette
        if isinstance(row, ThemeRow):
            own, says = row.name == self.worn, ""
            text, origin = row.title, "theme in use" if own else "theme"
        else:
            own, text, origin, says = row.origin != "default", row.text, row.origin, row.says
        line = Line().cell(row.name, NAME, ink.style("ink", bold=own)).gap(2)
        room = max(8, width - NAME - ORIGIN - 4)
        needed = min(room, max(VALUE, cell_len(clean_line(text))))
        line.cell(text, needed, ink.style("ink" if own else "ink-muted"))
        if room - needed >= LEAST:
            line.gap(2).add(says, ink.style("ink-faint"), most=room - needed - 2)
        line.to(NAME + 2 + room)
        return line.gap(2).cell(origin, ORIGIN, ink.style("ink-muted"), right=True)


class SettingsScreen(CardPage):
    """Every setting and every theme; `at` is one to start on, part of its name is enough."""

    BINDINGS = bindings("settings")

    rows = getters.query_one(SettingList)

    def __init__(self, *, at: str = "") -> None:
        super().__init__()
        self._at, self._before, self._worn = at, "", ""

    def compose(self) -> ComposeResult:
        """The settings, in the layout of a card page."""
        return self.laid_out(SettingList())

    def on_mount(self) -> None:
        """Read the file."""
        self._before = self._worn = self.app.theme
        self.rows.focus()
        self._read()

    def _read(self, at: str = "") -> None:
        found = read_config(own_config())
        self.head.left = titled("Settings", str(found.path))
        rows: list[SettingRow] = [*shown_settings(found)]
        self.answer.answer = _answer(found, rows)
        rows += [ThemeRow(one.name, one.title) for one in shipped()]
        names = [row.name for row in rows]
        at = at or self._at
        asked = next((place for place, name in enumerate(names) if at and at in name), None)
        self.rows.show(ListRows(rows), cursor=asked)
        self._at = ""
        self._show_card()

    @on(RowList.Moved)
    def _show_card(self) -> None:
        row = self.rows.current
        if row is None:
            return
        self._wear(row.name if isinstance(row, ThemeRow) else None)
        self.rows.worn = self._before
        self.card.show(partial(_face, row, self._before), partial(_examples, row))

    def _wear(self, tried: str | None) -> None:
        """Try a theme out, or return to the one in use: that the user switched to meanwhile, if any."""
        if self.app.theme != self._worn:
            self._before = self.app.theme
        self.app.theme = self._worn = tried or self._before

    @on(RowList.Opened)
    def _keep(self) -> None:
        row = self.rows.current
        if isinstance(row, ThemeRow):
            self._before = row.name
            shell(self).remember("theme", row.name)
            self._show_card()
            self.rows.refresh()
            self.toast(f"Theme set to {row.name}.")
        elif row is not None and row.name == "theme":
            self._read(self._before)
        else:
            self.action_edit()

    def action_edit(self) -> None:
        """Open the file in the user's editor, then read it again."""
        try:
            with self.app.suspend():
                edit_settings()
        except InspectorError as error:
            self.report(error)
        except SuspendNotSupported:
            self.toast("An editor opens in a terminal only: change the file there.", "warning")
        self._read()

    def action_refresh(self) -> None:
        """Read the file again."""
        self._read()

    def action_back(self) -> None:
        """Go back, with the last theme that was kept."""
        self._wear(None)
        super().action_back()


def _answer(found: ConfigFile, rows: Sequence[SettingRow]) -> Headline:
    """The file's problems, or how many settings are the user's own."""
    if found.problems:
        wrong = " · ".join(f"line {problem.line}: {problem.what}" for problem in found.problems)
        return Headline(wrong, hint("Press {settings.edit} to open the file."), Severity.WARNING)
    own = sum(isinstance(row, ShownSetting) and row.origin != "default" for row in rows)
    missing = "" if found.exists else "There is no file yet. "
    if own == 0:
        return Headline(f"{missing}Every setting has its default.")
    are = "is" if own == 1 else "are"
    return Headline(f"{missing}{plural(own, 'setting')} {are} yours; the others have their defaults.")


def _face(row: SettingRow, before: str, width: int, ink: Palette) -> Iterator[Line]:
    """What the row does, and how to change it."""
    if isinstance(row, ThemeRow):
        yield from headline(row.title, row.name, width, ink)
        yield from paragraph(hint(WEARS) + before, width, ink)
        yield from field("file", f"theme: {row.name}", width, ink)
        return
    yield from headline(row.name, row.origin, width, ink)
    yield from paragraph(row.says, width, ink)
    yield from paragraph(hint(THEMES if row.name == "theme" else OPENS), width, ink)
    yield from field("value", row.text, width, ink)
    yield from field("from", row.origin, width, ink)
    yield from field("file", _written(row), width, ink)


def _examples(row: SettingRow, width: int, ink: Palette) -> Iterator[Line]:
    """What can stand in the file, the part of this row first."""
    part = "theme" if isinstance(row, ThemeRow) else row.name.partition(".")[0]
    blocks = examples()
    yield from paragraph(EXAMPLES, width, ink, "ink-muted")
    for name in (part, *(one for one in blocks if one != part)):
        yield Line()
        for line in blocks[name]:
            style = ink.style("ink" if name == part else "ink-faint")
            for told in example(clean_code(line), width):
                yield Line().preformatted(crop(told, width), style)


def example(line: str, width: int) -> Iterator[str]:
    """A line of the file; where it is too long, what it says of itself stands below, as comments."""
    code, mark, said = line.partition("# ")
    if not mark or cell_len(line) <= width:
        yield line
        return
    margin = " " * (len(code) - len(code.lstrip()) + 2)
    yield code.rstrip()
    yield from (f"{margin}# {one}" for one in wrap(said, width - len(margin) - 2))


def _written(row: ShownSetting) -> str:
    """The setting as it would be written in the file."""
    value = "…" if row.value is None else row.text
    section, dot, name = row.name.rpartition(".")
    return f"{section}: {{{name}: {value}}}" if dot else f"{name}: {value}"
