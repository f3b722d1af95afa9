"""Where cache markers lie along a prompt: as wide as the tokens before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from inspector.terminal import formatting as fmt
from inspector.terminal.line import Line, Palette

MARK = "▲"
IGNORED = "△"


@dataclass(frozen=True, slots=True)
class Pin:
    """One marker; `tokens` is what lies before its end, None when nobody counted."""

    tokens: int | None
    honoured: bool = True


class MarkerStrip(Widget):
    """A bar of the whole prompt, filled as far as the last marker, and the markers below it."""

    DEFAULT_CSS = "MarkerStrip { height: 2; margin: 1 1 0 1; }"

    pins: reactive[tuple[Pin, ...]] = reactive(())
    total: reactive[int] = reactive(0)
    words = reactive("")
    """What is said between the markers."""

    def render_line(self, y: int) -> Strip:
        """The bar, then the markers."""
        ink, width = Palette.of(self.app), self.size.width
        label = f" prompt {fmt.short(self.total, mark=fmt.ESTIMATE)}" if self.total else ""
        cells = max(1, width - len(label))
        line = self._bar(cells, ink).add(label, ink.style("ink-faint")) if y == 0 else self._marks(cells, ink)
        return line.strip(width, self.rich_style)

    def _bar(self, cells: int, ink: Palette) -> Line:
        kept = max(self._places(cells), default=-1) + 1
        return Line().add("━" * kept, ink.style("bucket-read")).add("─" * (cells - kept), ink.style("rule"))

    def _marks(self, cells: int, ink: Palette) -> Line:
        places = dict(zip(self._places(cells), self._measured_pins(), strict=True))
        words = f"  {self.words}  "
        line, said = Line(), False
        for place in sorted(places):
            if not said and place - line.width >= len(words):
                line.add(words, ink.style("ink-faint"))
                said = True
            pin = places[place]
            style = ink.style("bucket-write" if pin.honoured else "ink-faint", bold=True)
            line.to(place).add(MARK if pin.honoured else IGNORED, style)
        room = self.size.width - line.width
        return line if said else line.add(words, ink.style("ink-faint"), most=room)

    def _measured_pins(self) -> Sequence[Pin]:
        return [pin for pin in self.pins if pin.tokens is not None]

    def _places(self, cells: int) -> list[int]:
        whole = max(1, self.total, *((pin.tokens or 0) for pin in self.pins))
        places = [min(cells - 1, (pin.tokens or 0) * cells // whole) for pin in self._measured_pins()]
        for index in reversed(range(len(places) - 1)):  # those of neighbours stand side by side
            places[index] = max(0, min(places[index], places[index + 1] - 1))
        return places
