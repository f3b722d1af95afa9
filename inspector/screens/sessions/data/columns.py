"""The columns of the session list, and which of them fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.account.pricing.paid import paid
from core.model.accounting.amounts import Buckets
from core.model.finding import Severity
from core.model.transcript.session import ConversationRow, Kind, Session
from core.support import formatting as fmt
from core.support.own_files import own_setting
from inspector.screens.sessions.data.session_line import Extra, SessionLine
from inspector.terminal.glyphs import KIND, LIVE, NO_SUMMARY, SEVERITY
from inspector.terminal.line import Line, Palette
from inspector.widgets.charts.context_bar import draw_context_use, sparkline

PROFILE = "profile"


@dataclass(frozen=True, slots=True)
class CellSource:
    """What the cells of one line are drawn from; `extra` is None until it is computed.

    Attributes:
        preview: The user's first words, if the conversation has no title.
        parts: Tokens of what fills the window, if the line is under the cursor.
    """

    ink: Palette
    now: datetime
    extra: Extra | None = None
    live: bool = False
    preview: str = ""
    parts: tuple[int, ...] = ()


Draw = Callable[[SessionLine, int, CellSource], Line]


@dataclass(frozen=True, slots=True)
class Column:
    """One column; shown in lists of `least` to `most` cells, `sort` is the order that its title selects."""

    title: str
    width: int
    draw: Draw
    least: int = 0
    most: int = 1_000
    right: bool = False
    sort: str = ""
    indent: int = 0


def _right(value: Callable[[SessionLine], str], token: str = "ink-muted") -> Draw:
    return lambda line, width, source: Line().cell(value(line), width, source.ink.style(token), right=True)


def _left_aligned(value: Callable[[SessionLine], str]) -> Draw:
    return lambda line, width, source: Line().cell(value(line), width, source.ink.style("ink-muted"))


def _last(line: SessionLine, width: int, source: CellSource) -> Line:
    sign, token = _sign(line, source)
    drawn = Line().cell(sign, 2, source.ink.style(token, bold=True))
    age = fmt.age(line.session.last_active, source.now)
    age = age if len(age) <= width - 2 else age.partition("-")[0]  # of `2024-11` the year stays
    return drawn.cell(age, width - 2, source.ink.style("ink-muted"))


def mark_of(line: SessionLine, source: CellSource) -> Severity | None:
    """How urgently a line needs attention; in a running session what was dealt with needs none."""
    severity = source.extra.mark if source.extra and line.part is None else None
    return None if source.live and severity is Severity.INFO else severity


def _sign(line: SessionLine, source: CellSource) -> tuple[str, str]:
    """A sign for what needs attention, or else for a running session; and its colour."""
    severity = mark_of(line, source)
    if severity is not None:
        return SEVERITY[severity], f"severity-{severity}"
    return (LIVE, "live") if source.live else ("", "ink")


def _title(line: SessionLine, width: int, source: CellSource) -> Line:
    ink, named = source.ink, bool(line.title)
    extra = "" if line.part else _family(line.row)
    room = width - len(extra) - 1 if extra and width - len(extra) > MIN_TITLE else width
    sign = KIND[line.kind if line.part else line.row.kind].strip()
    drawn = Line().gap(2 if line.part else 0).add(f"{sign} " if sign else "", ink.style("ink-faint"))
    style = ink.style("ink" if named and not line.part else "ink-muted")
    unnamed = line.session.id if line.part else source.preview or line.session.id
    drawn.add(line.title or unnamed, style, most=room - drawn.width)
    return (drawn.gap(1).add(extra, ink.style("ink-faint")) if room < width else drawn).to(width)


def _family(row: ConversationRow) -> str:
    parts = [f"{KIND[Kind.CONTINUATION]}{len(row.sessions)}"] if len(row.sessions) > 1 else []
    parts += [f"{KIND[Kind.BRANCH]}{row.branches}"] if row.branches else []
    parts += [f"{KIND[Kind.DELEGATE]}{row.delegates}"] if row.delegates else []
    return " ".join(parts)


def _context(line: SessionLine, width: int, source: CellSource) -> Line:
    """A gauge with the size of the next request and the limit."""
    if line.part is not None:
        return Line().cell(_end(line.part), width, source.ink.style("ink-faint"))
    if source.extra is None:
        return Line().cell("⋯", width, source.ink.style("ink-faint"))
    failing, use = source.extra.severity is Severity.CRITICAL, source.extra.context_use
    return draw_context_use(use, width, source.ink, failing=failing, parts=source.parts)


def _end(session: Session) -> str:
    return f"ended: {session.end_reason}" if session.end_reason else "open"


def _compressions(line: SessionLine, width: int, source: CellSource) -> Line:
    if line.part is not None:
        return Line().gap(width)
    if source.extra is None:
        return Line().cell("⋯", width, source.ink.style("ink-muted"), right=True)
    extra = source.extra
    words, failed, severity = fmt.count(extra.compressions), extra.failed, extra.severity
    token = f"severity-{severity}" if severity else "ink-muted"
    if failed and width >= FULL_COMPRESSIONS:
        words += f" · {failed} failed"
    elif severity and (failed or line.row.tip.guards.failure_error):
        words = f"{words} {NO_SUMMARY}" if extra.compressions else "failed"
    else:
        token = "ink-muted"
    return Line().cell(words, width, source.ink.style(token), right=True)


def _sizes(line: SessionLine, width: int, source: CellSource) -> Line:
    """The sizes of its requests as a sparkline, the newest on the right."""
    sizes = source.extra.prompts if source.extra and line.part is None else ()
    if len(sizes) < 2:
        return Line().gap(width)
    most = source.extra.context_use.most if source.extra else None
    return Line().cell(sparkline(sizes, width, most), width, source.ink.style("severity-info"), right=True)


def _tokens(line: SessionLine) -> str:
    return fmt.tokens(line.tokens.total, lower_bound=line.row.lower_bound)


def _cost(line: SessionLine) -> str:
    return paid(line.cost.usd, line.sessions, lower_bound=line.row.lower_bound)


def _bucket(tokens: Callable[[Buckets], int | None]) -> Draw:
    return _right(lambda line: fmt.tokens(tokens(line.tokens), lower_bound=line.row.lower_bound))


def _messages(line: SessionLine) -> str:
    return fmt.short((line.part or line.row).messages)


COLUMNS = (
    Column("last", 8, _last, most=119, sort="last_active", indent=2),
    Column("last", 9, _last, 120, sort="last_active", indent=2),
    Column("conversation", 0, _title, sort="title"),
    Column(PROFILE, 10, _left_aligned(lambda line: line.location.label), 140, sort=PROFILE),
    Column("where", 8, _left_aligned(lambda line: line.session.source or fmt.UNKNOWN), 150, sort="source"),
    Column("model", 13, _left_aligned(lambda line: fmt.model(line.session.model)), 104, sort="model"),
    Column("msgs", 6, _right(_messages), 176, right=True, sort="messages"),
    Column("context used", 12, _context, 48, 57, sort="context_use"),
    Column("context used", 16, _context, 58, 103, sort="context_use"),
    Column("context used of limit", 24, _context, 104, 131, sort="context_use"),
    Column("context used of limit", 26, _context, 132, 159, sort="context_use"),
    Column("context used of limit", 34, _context, 160, sort="context_use"),
    Column("requests", 8, _sizes, 112, 169, sort="context_use"),
    Column("requests", 20, _sizes, 170, sort="context_use"),
    Column("uncached", 8, _bucket(lambda tokens: tokens.input), 220, right=True, sort="input"),
    Column("read", 6, _bucket(lambda tokens: tokens.cache_read), 220, right=True, sort="cache_read"),
    Column("write", 6, _bucket(lambda tokens: tokens.cache_write), 220, right=True, sort="cache_write"),
    Column("output", 6, _bucket(lambda tokens: tokens.output), 220, right=True, sort="output"),
    Column("tokens", 6, _right(_tokens), 88, 111, right=True, sort="tokens"),
    Column("tokens", 6, _right(_tokens), 150, right=True, sort="tokens"),
    Column("hit", 4, _right(lambda line: fmt.percent(line.tokens.hit_rate)), 164, right=True, sort="hit"),
    Column("cost", 9, _right(_cost, "money"), right=True, sort="cost"),
    Column("compr.", 6, _compressions, 76, 111, right=True, sort="compressions"),
    Column("compressions", 12, _compressions, 112, right=True, sort="compressions"),
)
FULL_COMPRESSIONS = 12


GAP = 2
MIN_TITLE = 12
MIN_COLUMNS = 3
"""Columns that stay however narrow the list is."""
ALL, OWN = "all", "own"
_TOKENS = frozenset({"last", "conversation", "uncached", "read", "write", "output", "hit", "cost"})
_CONTEXT = frozenset({"last", "conversation", "context used", "requests", "compressions"})
SETS = {ALL: frozenset[str](), "tokens": _TOKENS, "context": _CONTEXT}
"""The column sets the user can choose, by name; `all` shows as many as fit."""
_NAMES = {"context used of limit": "context used", "compr.": "compressions"}
"""Names of columns whose title is longer or shorter at some widths."""


def column_sets() -> dict[str, frozenset[str]]:
    """The sets the user can choose; their own first, if the settings name columns."""
    own = own_setting("columns")
    named = frozenset(one for one in own if isinstance(one, str)) if isinstance(own, list) else frozenset()
    return {OWN: named | {"conversation"}, **SETS} if named else SETS


def layout(
    width: int, *, profiles: bool = False, chosen: frozenset[str] = SETS[ALL]
) -> tuple[tuple[Column, int], ...]:
    """The chosen columns, or as many as fit `width` cells, with their widths; the title takes the rest.

    `profiles` says that rows come from several databases.
    """
    wanted = [one for one in COLUMNS if not chosen or name_of(one) in chosen]
    fit = [one for one in wanted if one.least <= width <= one.most]
    there = {name_of(one) for one in fit}
    if chosen and chosen != _CONTEXT:  # named columns also appear at widths not made for them
        narrow = {name_of(one): one for one in reversed(wanted) if name_of(one) not in there}
        fit = [one for one in wanted if one in fit or narrow.get(name_of(one)) is one]
    shown = [one for one in fit if profiles or one.title != PROFILE]
    while _fixed(shown) + MIN_TITLE > width and len(shown) > MIN_COLUMNS:
        shown.pop(-2)
    room = max(MIN_TITLE, width - _fixed(shown))
    return tuple((column, column.width or room) for column in shown)


def name_of(column: Column) -> str:
    """The name of a column in the settings, whatever its title at one width."""
    return _NAMES.get(column.title, column.title)


def _fixed(columns: Sequence[Column]) -> int:
    """Cells of all columns except the title."""
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)
