"""The first line of the map: context used, the threshold, how far it is."""

from __future__ import annotations

from collections.abc import Callable

from textual.strip import Strip
from textual.widget import Widget

from core.model.compaction.plan import Plan
from core.support import formatting as fmt
from inspector.base.commands import hint
from inspector.terminal.line import Line, Palette


class MapHeader(Widget):
    """One line: `header_line` about a plan, or `waiting_line`."""

    DEFAULT_CSS = "MapHeader { height: 1; }"

    _draw: Callable[[int, Palette], Line] | None = None

    def show(self, draw: Callable[[int, Palette], Line]) -> None:
        """Show another line, drawn for a width."""
        self._draw = draw
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line."""
        width = self.size.width
        line = Line() if self._draw is None else self._draw(width, Palette.of(self.app))
        return line.strip(width, self.rich_style)


def waiting_line(words: str, width: int, palette: Palette) -> Line:
    """What is being waited for."""
    return Line().gap().add(words, palette.style("ink-muted"))


def header_line(
    plan: Plan,
    width: int,
    palette: Palette,
    *,
    supposed: bool = False,
    engine: str = "",
    before: str = "",
    elsewhere: bool = False,
    ended: bool = False,
) -> Line:
    """Context used on the left, the threshold in the middle if there is room, what is left on the right.

    Args:
        plan: What is drawn.
        width: In cells.
        palette: The styles.
        supposed: The plan's values are what-if values.
        engine: The title of the engine that made it.
        before: Who refuses before its threshold, instead of how far that is.
        elsewhere: Another engine decides, as the answer above says: how far that is is not known.
        ended: The generation has ended, so nothing is left either.
    """
    line, right = _context_use(plan, palette), Line() if elsewhere or ended else headroom(plan, palette)
    if before and not ended:
        right = Line().add(before, palette.style("severity-warning", bold=True))
    if supposed:
        right = Line().add("what-if plan", palette.style("match", bold=True)).gap(2).extend(right)
    if engine:
        right = Line().add(f"engine {engine}", palette.style("match", bold=True)).gap(2).extend(right)
    room = width - line.width - right.width - 4
    own = "by Hermes' own rules: " if (before or elsewhere) and plan.threshold_tokens is not None else ""
    for text in (f"{own}{reason}" for reason in reasons(plan)):
        if len(text) <= room:
            line.gap(3).add(text, palette.style("ink-muted"))
            break
    return line.to(width - right.width - 1).extend(right)


def _context_use(plan: Plan, palette: Palette) -> Line:
    mark = fmt.ESTIMATE if plan.is_estimate else ""
    line = Line().gap().add(fmt.count(plan.compared_tokens, mark=mark), palette.style("ink", bold=True))
    if plan.window is None:
        return line.add(" tokens · window unknown", palette.style("ink-muted"))
    share = fmt.percent(plan.compared_tokens / plan.window)
    return line.add(f" of {plan.window:,} ({share})", palette.style("ink-muted"))


def reasons(plan: Plan) -> tuple[str, ...]:
    """Where the threshold comes from, longest wording first."""
    if plan.window is None:
        return (hint("press {map.what_if} to set it"),)
    fires = plan.threshold_tokens
    if fires is None:
        return ()
    sums = f"fires at {fires:,}"
    if plan.blocked_by and plan.compared_tokens >= fires:
        return (f"{sums}, blocked: {plan.blocked_by[0]}", f"blocked: {plan.blocked_by[0]}", sums)
    share = round(fires / plan.window, 2)
    product = f"{sums} = {share:.2f} × {plan.window:,}"
    if int(share * plan.window) != fires:
        product = f"{sums} ({fmt.percent(fires / plan.window, mark=fmt.ESTIMATE)})"
    if share == plan.settings.threshold:
        return (product, sums)
    return (f"{product} (setting {plan.settings.threshold:.2f})", product, sums)


def headroom(plan: Plan, palette: Palette) -> Line:
    """Tokens left before compression fires, or how far past it is, and whether it is blocked."""
    if plan.threshold_tokens is None:
        return Line()
    left = plan.threshold_tokens - plan.compared_tokens
    mark = fmt.ESTIMATE if plan.is_estimate else ""
    if left > 0:
        return Line().add(f"{fmt.count(left, mark=mark)} to go", palette.style("severity-ok"))
    if plan.would_fire:
        ink = palette.style("severity-critical", bold=True)
        return Line().add(f"■ fires now, {fmt.count(-left, mark=mark)} over", ink)
    return Line().add(
        f"▲ {fmt.count(-left, mark=mark)} over, blocked", palette.style("severity-warning", bold=True)
    )
