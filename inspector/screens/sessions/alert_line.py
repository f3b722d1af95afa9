"""The alert line: the problems, one at a time with what helps and the worst first, or that all is well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from textual.geometry import Size
from textual.message import Message as Event
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from core.model.finding import Severity, shortened
from inspector.base.commands import key_of
from inspector.screens.sessions.data.columns import mark_of
from inspector.screens.sessions.data.session_line import Extra
from inspector.screens.sessions.list_view import SessionsList, from_the_top, total
from inspector.terminal.glyphs import LIVE, SEVERITY
from inspector.terminal.line import Line, Palette
from inspector.terminal.text import cell_len, clean_line, wrap
from inspector.widgets.bars.answer_and_keys import measure_again

INDENT = 3
SENTENCE_LINES, MOST_LINES, FIX_LINES = 3, 5, 6
"""Lines a name is shortened for, most lines of the sentence, most of what helps."""
NAME = 24
"""Characters of the name that remain in any case."""

Said = tuple[tuple[str, str], ...]
"""Lines of text, each with its colour."""


class AlertLine(Widget):
    """An alert above the list until the user hides it; as high as its text."""

    DEFAULT_CSS = """
    AlertLine { height: auto; background: $panel; display: none; }
    AlertLine.-shown { display: block; }
    """

    alerts: reactive[tuple[tuple[str, Extra], ...]] = reactive(())
    """The alerts with the names of their conversations, worst first."""
    calm = reactive("")
    """Shown if nothing is wrong."""
    place = reactive(0)
    partial = reactive(False)
    """Whether conversations are still to be examined, so that there may be more alerts."""

    _hidden = False

    class Resized(Event):
        """The line takes more or fewer rows than before, so the list has others."""

    def on_resize(self) -> None:
        """Say so, once the list has its new height."""
        self.post_message(self.Resized())

    def watch_alerts(self) -> None:
        """Lay the screen out again if the new text needs a different number of lines."""
        if self.display and max(1, len(self._said(self.size.width))) != self.size.height:
            measure_again(self)

    watch_calm = watch_place = watch_alerts

    def tell(self, listing: SessionsList) -> None:
        """Show what the marked rows of a list are marked for.

        Which of them comes first does not depend on the rows in sight: these depend on the lines it takes.
        """
        known = [(row, listing.extras.get(row.key)) for row in from_the_top(listing)]
        found = [
            (row.title or listing.previews.get(row.key) or row.session.id, extra)
            for row, extra in known
            if extra is not None and extra.told.sentence and mark_of(row, listing.cell_source(row))
        ]
        self.alerts = tuple(sorted(found, key=lambda one: _urgency(one[1])))
        extras = [extra for _, extra in known]
        examined = sum(
            extra is not None and extra.state is not None and not extra.lacks_loss for extra in extras
        )
        self.partial = examined < total(listing)
        self.calm = "" if self.alerts or listing.order.text else all_well(extras, total(listing))
        self._show()

    def turn(self) -> None:
        """Show the next alert."""
        self.place += 1

    def hide(self) -> None:
        """Hide the line for good."""
        self._hidden = True
        self._show()

    def _show(self) -> None:
        shown = bool(self.alerts or self.calm) and not self._hidden
        if shown != self.has_class("-shown"):
            self.set_class(shown, "-shown")
            self.screen.refresh_bindings()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines the text needs."""
        return max(1, len(self._said(width)))

    def render_line(self, y: int) -> Strip:
        """Sign and sentence with `1 of 3`, `1 of 3 so far` until all are examined; then the remedy."""
        width, ink = self.size.width, Palette.of(self.app)
        said = self._said(width)
        line = Line().gap(1)
        if y >= len(said):
            return line.strip(width, self.rich_style)
        token, text = said[y]
        sign = (SEVERITY[self._extra.mark or Severity.INFO] if self.alerts else LIVE) if y == 0 else ""
        line.cell(sign, INDENT - 1, ink.style(token, bold=True)).preformatted(text, ink.style(token))
        more = self._more if y == 0 else ""
        return (
            line.to(width - cell_len(more) - 1)
            .add(more, ink.style("ink-muted"))
            .strip(width, self.rich_style)
        )

    @property
    def shown(self) -> Extra | None:
        """What the shown alert is about; None if there is none."""
        return self._extra if self.display and self.alerts else None

    @property
    def _extra(self) -> Extra:
        return self.alerts[self.place % len(self.alerts)][1]

    @property
    def _more(self) -> str:
        count = len(self.alerts)
        if count > 1:
            more = " so far" if self.partial else ""
            return f"{self.place % count + 1} of {count}{more} · {key_of('sessions.next_alert')} next"
        return "1 so far" if count and self.partial else ""

    def _said(self, width: int) -> Said:
        """The lines: the sentence, then the remedy."""
        if not self.alerts:
            return tuple(("severity-ok", line) for line in wrap(self.calm, max(20, width - INDENT - 1)))
        name, extra = self.alerts[self.place % len(self.alerts)]
        token = f"severity-{extra.mark or Severity.INFO}"
        fix, room = clean_line(extra.told.helps), max(20, width - INDENT - 1)
        lines = _named(clean_line(name), clean_line(extra.told.sentence), room, cell_len(self._more))
        helps = _cut(wrap(fix, room), room, FIX_LINES) if fix else ()
        return (*((token, line) for line in lines), *(("severity-ok", line) for line in helps))


def _urgency(extra: Extra) -> tuple[int, bool]:
    """The worst first; of two alike what stands now before what a past compaction lost."""
    return (extra.mark or Severity.INFO).rank, not extra.answer.sentence


def all_well(extras: Sequence[Extra | None], of: int) -> str:
    """That nothing is wrong with `of` conversations, or with those examined once they have an answer."""
    if not all(extra is not None and extra.mark is None for extra in extras):
        return ""
    examined = [extra for extra in extras if extra is not None]
    known = sum(extra.context_use.threshold is not None for extra in examined)
    if not known and len(extras) == of and any(extra.refused_at for extra in examined):
        return "No compression failed."
    if known == of:
        return "No compression failed, and no conversation is near its limit." if known else ""
    looked_at = f"Of the {known:,} conversations looked at" if known > 1 else "Of the one looked at"
    return f"{looked_at}, none failed to compress or is near its limit." if known else ""


def _named(name: str, sentence: str, width: int, more: int) -> tuple[str, ...]:
    """The lines of a sentence about a conversation, whose name is shortened rather than the sentence cut."""
    lines = tuple(_beside(f"{name}: {sentence}", width, more))
    while len(lines) > SENTENCE_LINES and len(name) > NAME:
        name = shortened(name, max(NAME, len(name) - 4))
        lines = tuple(_beside(f"{name}: {sentence}", width, more))
    return _cut(lines, width, MOST_LINES)


def _beside(text: str, width: int, more: int) -> Iterator[str]:
    """The lines of a text, the first one short enough to leave `more` cells beside it."""
    first = next(wrap(text, max(20, width - more - 2)), "")
    yield first
    if rest := text[len(first) :].lstrip():
        yield from wrap(rest, width)


def _cut(lines: Iterable[str], width: int, limit: int) -> tuple[str, ...]:
    """The first lines; the last one ends in an ellipsis if more follows."""
    lines = tuple(lines)
    return lines if len(lines) <= limit else (*lines[: limit - 1], f"{lines[limit - 1][: width - 1]}…")
