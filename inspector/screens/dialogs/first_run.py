"""The first-run card: what this app is, a picture of a compaction, and three keys to start with."""

from __future__ import annotations

from collections.abc import Iterator

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen

from inspector.base.commands import key_of, keys_of, table
from inspector.widgets.bars.status_line import Piece, StatusLine
from inspector.widgets.charts.curve import Mark, RequestCurve
from inspector.widgets.charts.curve_chart import CurveChart
from inspector.widgets.charts.stack import Layer

WHAT = "Why Hermes compressed, what was lost, what it cost."
JOBS = {
    "sessions.why": "why a conversation was compressed, or why not",
    "sessions.preview": "what /compress would keep and lose",
    "sessions.usage": "what today cost, and what most of it was for",
    "app.help": "everything else",
}
ENDS = "Databases are only read unless you ask for more.", "Any key closes this for good."
ACTS = (*JOBS, "list.open")
"""Commands whose keys close the card and also act on the list."""

LIMIT, HEAD, TAIL, SUMMARY = 150_000, 15_000, 35_000, 5_000
"""Sizes of the drawn conversation, in tokens."""
TEETH = (100_000, 100_000, 45_000)
"""Sizes the middle reaches; it is summarised after each but the last."""
PARTS = (("kept", "part-head", "█"), ("summarised", "part-middle", "▒"), ("kept", "part-tail", "▓"))


class FirstRunScreen(ModalScreen[str]):
    """A card over the list, closed by any key; it returns the key if the list can act on it."""

    DEFAULT_CSS = """
    FirstRunScreen { align: center middle; }
    FirstRunScreen Vertical {
        width: 62; max-width: 96%; height: auto; max-height: 96%; padding: 1 1;
        border: round $part-head; border-title-style: bold; background: $surface;
    }
    FirstRunScreen CurveChart { height: 7; margin: 1 0; }
    """

    def compose(self) -> ComposeResult:
        """The texts and the picture in a frame."""
        with Vertical() as frame:
            frame.border_title = "Hermes Inspector"
            yield _line(("ink!", WHAT))
            yield CurveChart()
            keys = [key_of(command) for command in JOBS]
            for key, says in zip(keys, JOBS.values(), strict=True):
                yield _line(("part-head!", f"{key:{max(map(len, keys))}}"), ("ink", "   "), ("ink", says))
            yield StatusLine()
            for says in ENDS:
                yield _line(("ink-muted", says))

    def on_mount(self) -> None:
        """Draw the picture."""
        self.query_one(CurveChart).show(picture())

    def on_key(self, event: events.Key) -> None:
        """Close, and return the key if the list can act on it."""
        event.stop()
        event.prevent_default()
        acts = {key for command in table() if command.id in ACTS for key in keys_of(command)}
        self.dismiss(event.key if event.key in acts else "")

    def on_click(self) -> None:
        """Close."""
        self.dismiss("")


def picture() -> RequestCurve:
    """A conversation that fills up to the limit, has its middle summarised, and fills up again."""
    middles = tuple(_middles())
    heights = ((HEAD,) * len(middles), middles, (TAIL,) * len(middles))
    layers = tuple(Layer(*part, one) for part, one in zip(PARTS, heights, strict=True))
    sums = tuple(HEAD + size + TAIL for size in middles)
    marks = (Mark(place, "part-middle") for place, size in enumerate(middles) if place and size == SUMMARY)
    return RequestCurve(sums, layers, LIMIT, tuple(marks), ends=("start", "now"))


def _middles() -> Iterator[int]:
    for size in TEETH:
        yield from range(SUMMARY, size + 1, SUMMARY)


def _line(*pieces: Piece) -> StatusLine:
    line = StatusLine()
    line.left = pieces
    return line
