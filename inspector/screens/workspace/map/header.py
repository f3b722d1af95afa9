"""The first line of the map: context used, the threshold, how far it is."""

from __future__ import annotations

from textual.strip import Strip
from textual.widget import Widget

from core.model.compaction.plan import Plan
from core.support import formatting as fmt
from inspector.terminal.line import Line, Palette


class MapHeader(Widget):
    """One line about a plan; what-if values are marked."""

    DEFAULT_CSS = "MapHeader { height: 1; }"

    _plan: Plan | None = None
    _supposed = False
    _waiting = ""
    _engine = ""
    _before = ""
    _elsewhere = False
    _ended = False

    def show(
        self,
        plan: Plan | None,
        *,
        supposed: bool = False,
        waiting: str = "",
        engine: str = "",
        before: str = "",
        elsewhere: bool = False,
        ended: bool = False,
    ) -> None:
        """Show a plan and its engine, or what is being waited for without a plan.

        Args:
            plan: The plan.
            supposed: Its values are what-if values.
            waiting: What is being waited for.
            engine: The title of the engine that made the plan.
            before: Who refuses before its threshold.
            elsewhere: Another engine decides, as the answer above says.
            ended: The generation has ended, as the answer above says: nothing fires any more.
        """
        self._plan, self._supposed, self._waiting, self._engine = plan, supposed, waiting, engine
        self._before, self._elsewhere, self._ended = before, elsewhere, ended
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Context used on the left, threshold in the middle, what is left on the right."""
        palette, width = Palette.of(self.app), self.size.width
        if self._plan is None:
            return Line().gap().add(self._waiting, palette.style("ink-muted")).strip(width, self.rich_style)
        line = header_line(
            self._plan,
            width,
            palette,
            supposed=self._supposed,
            engine=self._engine,
            before=self._before,
            elsewhere=self._elsewhere,
            ended=self._ended,
        )
        return line.strip(width, self.rich_style)


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
    """The line for a plan; the middle text is shortened or dropped if space is tight.

    Who refuses before the threshold takes the place of how far that is; where another engine decides,
    nothing does, nor where the generation has ended.
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
        return ("press w to set it",)
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
