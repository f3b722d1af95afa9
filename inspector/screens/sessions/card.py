"""The row under the cursor in full: every figure that the list shortens."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from core.account.pricing.paid import NO_BILL
from core.model.accounting.ledger import Term
from core.model.accounting.usage import Origin
from core.support import formatting as fmt
from inspector.base.app_protocol import FigureOrigin
from inspector.screens.sessions.data.session_line import Extra, SessionLine
from inspector.screens.sessions.list_view import SessionsList
from inspector.widgets.bars.answer_and_keys import AnswerBar
from inspector.widgets.bars.status_line import Piece, StatusLine
from inspector.widgets.charts.context_bar import ContextUse
from inspector.widgets.charts.curve import RequestCurve
from inspector.widgets.charts.curve_chart import CurveChart

NO_WINDOW = "window unknown: set model.context_length in config.yaml"
HIGH, TALL = 32, 45
"""Rows of a screen from which the list leaves room for the card, and also for the answer and a curve."""
BRIEF, LEAST, USUAL = 4, 11, 19
"""Rows of the card: without answer and curve; with them at least; with them on a high screen."""


class SessionCard(Vertical):
    """Three lines about one conversation or session; where rows are free also the answer and its curve."""

    DEFAULT_CSS = """
    SessionCard { border-top: solid $rule; }
    SessionCard CurveChart, SessionCard AnswerBar { display: none; }
    SessionCard.-tall AnswerBar { display: block; }
    SessionCard.-tall CurveChart { display: block; height: 1fr; }
    SessionCard.-answered AnswerBar { display: none; }
    """

    def compose(self) -> ComposeResult:
        """Title, context used and spending; then answer and curve."""
        yield StatusLine()
        yield StatusLine()
        yield StatusLine()
        yield AnswerBar()
        yield CurveChart()

    def make_room(self, rows: int, free: int) -> None:
        """Take the rows below the list; on a high screen also some of the list's `free` ones."""
        wanted = max(free, USUAL if rows >= TALL else 0)
        self.display = rows >= HIGH or free >= BRIEF
        self.set_class(wanted >= LEAST, "-tall")
        self.styles.height = wanted if wanted >= LEAST else BRIEF

    def tell(self, listing: SessionsList, alert: Extra | None = None) -> None:
        """Describe the row under a list's cursor; the answer only if the alert above the list is another."""
        row = listing.current
        parts: tuple[tuple[Piece, ...], ...] = ((), (), ())
        if row is not None:
            extra = None if row.part else listing.extras.get(row.key)
            is_told = self.has_class("-tall")
            window = _window(row, extra, is_told=is_told)
            parts = (_what(row, listing.previews.get(row.key, "")), window, _spent(row))
            self.set_class(extra is not None and extra == alert, "-answered")
            if self.has_class("-tall"):
                self._draw(extra)
        for line, pieces in zip(self.query(StatusLine), parts, strict=True):
            line.left = pieces

    def _draw(self, extra: Extra | None) -> None:
        """Draw answer and curve of a conversation; its sessions have none."""
        extra = extra or Extra(ContextUse())
        self.query_one(AnswerBar).answer = extra.told
        self.query_one(CurveChart).show(extra.curve or RequestCurve())


def _what(row: SessionLine, preview: str) -> tuple[Piece, ...]:
    session, parts = row.session, len(row.row.sessions)
    thread = "" if row.part or parts < 2 else f" · newest of {parts} sessions"
    return (
        ("ink!", row.title or preview or session.id),
        ("ink-muted", f"{thread} · {session.id}"),
        ("ink-faint?", f" · {session.model or 'model unknown'}"),
        *((("ink-faint?", f" · {session.cwd}"),) if session.cwd else ()),
    )


def _window(row: SessionLine, extra: Extra | None, *, is_told: bool) -> tuple[Piece, ...]:
    """What is wrong unless it `is_told` elsewhere, else how full the window is."""
    active = f"last active {fmt.moment(row.session.last_active)}"
    if row.part is not None:
        ended = "still open" if row.part.is_open else f"ended: {row.part.end_reason or fmt.UNKNOWN}"
        return (("ink-muted", active), ("ink-muted", f" · {ended}"))
    wrong = extra is not None and extra.told.sentence and (extra.mark or extra.answer.sentence)
    if extra is None or (extra.compressions is None and (is_told or not wrong)):
        return (("ink-muted", active),)
    if wrong and not is_told:
        return _answer(extra)
    return (
        *_context_use(extra),
        ("ink-muted?", _compressions(extra)),
        ("ink-muted?", f" · {active}"),
    )


def _answer(extra: Extra) -> tuple[Piece, ...]:
    """What is wrong, and what helps if there is room."""
    token = f"severity-{extra.mark}" if extra.mark else "ink"
    fix = f" {extra.told.helps}" if extra.told.remedy else ""
    return ((token, extra.told.sentence), ("severity-ok?", fix))


def _compressions(extra: Extra) -> str:
    if extra.compressions is None:
        return ""
    failed = f", {extra.failed:,} failed" if extra.failed else ""
    return f" · {fmt.plural(extra.compressions, 'compression')}{failed}"


def _context_use(extra: Extra) -> tuple[Piece, ...]:
    """Size and limit; how far that is only once it is known that no provider refuses before it."""
    use = extra.context_use
    if use.share is None or use.tokens is None:
        return (("ink-muted", NO_WINDOW if use.window is None else "nothing to send yet"),)
    full: tuple[Piece, ...] = (
        (f"{use.token if use.near else 'ink'}!", fmt.count(use.tokens)),
        ("ink-muted", f" of {fmt.count(use.window)} tokens ({fmt.percent(use.share)})"),
    )
    if not use.threshold:
        return (*full, ("severity-warning", f" · {extra.refused_at}")) if extra.refused_at else full
    if extra.refused_at:
        before = ("ink-muted?", f", before the limit of {fmt.count(use.threshold)}")
        return (*full, ("severity-warning", f" · {extra.refused_at}"), before)
    limit, left = f" · limit {fmt.count(use.threshold)}", use.threshold - use.tokens
    room = f"{fmt.count(left)} to go" if left > 0 else f"{fmt.count(-left)} past it"
    return (*full, ("ink-muted", limit if extra.state is None else f"{limit}, {room}"))


def _spent(row: SessionLine) -> tuple[Piece, ...]:
    tokens, bound, aside = row.tokens, row.row.lower_bound, row.auxiliary
    pieces: list[Piece] = [
        *_cost(row),
        *((("ink-muted", f"({fmt.money(aside)} of it for summaries and side tasks) "),) if aside else ()),
        ("ink-muted", "· "),
        ("ink", f"{_full(tokens.total, lower_bound=bound)} tokens"),
    ]
    if row.has_side_tasks:
        pieces.append(("ink-muted", f" without {'those' if aside else 'side tasks'}"))
    for name, token, value in (
        ("uncached input", "bucket-fresh", tokens.input),
        ("cache read", "bucket-read", tokens.cache_read),
        ("cache write", "bucket-write", tokens.cache_write),
        ("output", "bucket-output", tokens.output),
    ):
        pieces.append((f"{token}?", f" · {_full(value, lower_bound=bound)} {name}"))
    return tuple(pieces)


def _cost(row: SessionLine) -> tuple[Piece, ...]:
    """The amount and its source."""
    cost = row.cost
    if cost.usd is None:
        from core.account.pricing.price import is_local_only  # a list whose rows have a price does without

        if is_local_only(row.sessions):
            return (("money!", f"{NO_BILL} "),)
    if cost.usd is None and cost.status in (None, "unknown"):
        return (("ink-muted", "no cost recorded "),)
    amount = fmt.money(cost.usd, mark=fmt.LOWER_BOUND if row.row.lower_bound else "")
    return (("money!", f"{amount} "), ("ink-muted", f"{cost.status or ''} ".lstrip()))


def _full(value: int | None, *, lower_bound: bool) -> str:
    return fmt.tokens(value, lower_bound=lower_bound, whole=True)


def measured(extra: Extra) -> tuple[FigureOrigin, ...]:
    """Origins of what was computed for a row of the list: context used and compressions."""
    size, window = extra.context_use.tokens, extra.context_use.window
    terms = (Term("prompt", size), Term("window", window)) if size is not None and window else ()
    shares = "prompt tokens / window; the mark is at the threshold"
    return (
        FigureOrigin(
            Origin("context used", size, "what the next request would carry, as the release estimates it")
        ),
        FigureOrigin(Origin("share of the window", extra.context_use.share, shares, terms)),
        FigureOrigin(
            Origin(
                "threshold", extra.context_use.threshold, "as configured today; the map shows its arithmetic"
            )
        ),
        FigureOrigin(Origin("compressions", extra.compressions, "completed ones, as rows and log show them")),
    )
