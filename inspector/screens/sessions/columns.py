"""The columns of the session list, and which of them fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from core.model.accounting.tokens import Buckets, Cost
from core.model.finding import Severity
from core.model.transcript.pages import ConversationRow
from core.model.transcript.session import Kind, Session
from core.store.database.locate import Location
from inspector.terminal import formatting as format
from inspector.terminal.glyphs import DOWN, KIND, LIVE, SEVERITY
from inspector.terminal.line import Line
from inspector.terminal.palette import Palette
from inspector.widgets.charts.pressure_bar import Pressure
from inspector.widgets.charts.pressure_bar import draw as draw_pressure

PROFILE = "profile"
Key = tuple[Location, str]
"""Names a conversation over all databases: where it is, and its first session."""
State = tuple[str, datetime | None, int, Buckets]
"""The newest session of a conversation, when it was last active, its messages and tokens."""


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One line of the list: a conversation, or one of its sessions below it.

    Attributes:
        location: The database it is in.
        row: The conversation.
        part: The session this line is about; None for the conversation as a whole.
        kind: What the session is to its parent.
    """

    location: Location
    row: ConversationRow
    part: Session | None = None
    kind: Kind = Kind.MAIN

    @property
    def session(self) -> Session:
        """The session that speaks for the line: its own, else the newest of the conversation."""
        return self.part or self.row.tip

    @property
    def title(self) -> str | None:
        """What somebody called it."""
        return self.part.title if self.part else self.row.title

    @property
    def tokens(self) -> Buckets:
        """Tokens of the session or of the whole conversation."""
        return self.part.tokens if self.part else self.row.tokens

    @property
    def cost(self) -> Cost:
        """Recorded cost of the session or of the whole conversation."""
        if self.part is None:
            return self.row.cost
        return self.part.recorded_cost

    @property
    def key(self) -> Key:
        """The conversation's name over all databases."""
        return (self.location, self.row.root.id)

    @property
    def state(self) -> State:
        """What changes whenever Hermes adds to the conversation."""
        tip, sessions = self.row.tip, self.row.sessions
        return (tip.id, tip.last_active, sum(one.messages or 0 for one in sessions), self.row.tokens)


@dataclass(frozen=True, slots=True)
class Beside:
    """Calls beside the main loop, such as those that write summaries: no session's own cost holds them.

    Attributes:
        tasks: What they were for.
    """

    usd: Decimal
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extra:
    """What has to be computed for a conversation, a moment after its row is on screen.

    Attributes:
        flags: Signs of what needs attention, worst first, as (theme token, text).
        state: The state the conversation was in; what was computed for another one is out of date.
        beside: What Hermes counts apart from it; None where that costs nothing anybody knows.
    """

    pressure: Pressure
    generations: int | None = None
    flags: tuple[tuple[str, str], ...] = ()
    state: State | None = None
    beside: Beside | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """What every cell of one line is drawn with; `extra` is None until it was computed.

    Attributes:
        preview: What the user said first, where the conversation has no title.
    """

    ink: Palette
    now: datetime
    extra: Extra | None = None
    live: bool = False
    unfolded: bool = False
    diagnosed: Mapping[Severity, int] = field(default_factory=dict)
    preview: str = ""


Draw = Callable[[SessionLine, int, Sheet], Line]


@dataclass(frozen=True, slots=True)
class Column:
    """One column; shown in lists of `least` to `most` cells, `sort` is the order its title stands for."""

    title: str
    width: int
    draw: Draw
    least: int = 0
    most: int = 1_000
    right: bool = False
    sort: str = ""
    indent: int = 0


def _right(value: Callable[[SessionLine], str], token: str = "ink-muted") -> Draw:
    return lambda line, width, sheet: Line().cell(value(line), width, sheet.ink.style(token), right=True)


def _left(value: Callable[[SessionLine], str], token: str = "ink-muted") -> Draw:
    return lambda line, width, sheet: Line().cell(value(line), width, sheet.ink.style(token))


def _last(line: SessionLine, width: int, sheet: Sheet) -> Line:
    sign = LIVE if sheet.live else _sign(line, sheet)
    drawn = Line().cell(sign, 2, sheet.ink.style("live" if sheet.live else "ink-muted"))
    return drawn.cell(
        format.age(line.session.last_active, sheet.now), width - 2, sheet.ink.style("ink-muted")
    )


def _sign(line: SessionLine, sheet: Sheet) -> str:
    if line.part is not None or line.row.kind is not Kind.MAIN:
        return KIND[line.kind if line.part else line.row.kind]
    if len(line.row.sessions) < 2 and not line.row.delegates and not line.row.branches:
        return ""
    return DOWN if sheet.unfolded else KIND[Kind.CONTINUATION]


def _title(line: SessionLine, width: int, sheet: Sheet) -> Line:
    ink, named = sheet.ink, bool(line.title)
    extra = "" if line.part else _family(line.row)
    room = width - len(extra) - 1 if extra and width - len(extra) > 24 else width
    drawn = Line().gap(2 if line.part else 0)
    style = ink.style("ink" if named and not line.part else "ink-muted")
    unnamed = line.session.id if line.part else sheet.preview or line.session.id
    drawn.add(line.title or unnamed, style, most=room - drawn.width)
    return (drawn.gap(1).add(extra, ink.style("ink-faint")) if room < width else drawn).to(width)


def _family(row: ConversationRow) -> str:
    parts = [f"{KIND[Kind.CONTINUATION]}{len(row.sessions)}"] if len(row.sessions) > 1 else []
    parts += [f"{KIND[Kind.BRANCH]}{row.branches}"] if row.branches else []
    parts += [f"{KIND[Kind.DELEGATE]}{row.delegates}"] if row.delegates else []
    return " ".join(parts)


def _pressure(line: SessionLine, width: int, sheet: Sheet) -> Line:
    if line.part is not None:
        return Line().cell(_end(line.part), width, sheet.ink.style("ink-faint"))
    if sheet.extra is None:
        return Line().cell("⋯", width, sheet.ink.style("ink-faint"))
    return draw_pressure(sheet.extra.pressure, width, sheet.ink)


def _end(session: Session) -> str:
    return f"ended: {session.end_reason}" if session.end_reason else "open"


def _generations(line: SessionLine, width: int, sheet: Sheet) -> Line:
    if line.part is not None:
        return Line().gap(width)
    text = "⋯" if sheet.extra is None else format.count(sheet.extra.generations)
    return Line().cell(text, width, sheet.ink.style("ink-muted"), right=True)


def _flags(line: SessionLine, width: int, sheet: Sheet) -> Line:
    drawn = Line()
    for token, text in _signs(sheet) if line.part is None else ():
        if drawn.width + len(text) <= width:
            drawn.add(text, sheet.ink.style(token, bold=True))
    return drawn.to(width)


def _signs(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """Findings by number once somebody looked for them, else what the row itself shows."""
    found = [(one, sheet.diagnosed.get(one, 0)) for one in (Severity.CRITICAL, Severity.WARNING)]
    if not any(count for _, count in found):
        yield from sheet.extra.flags if sheet.extra else ()
    for severity, count in found:
        if count:
            yield f"severity-{severity}", f"{SEVERITY[severity]}{min(count, 9)}"


def _tokens(line: SessionLine) -> str:
    return format.tokens(line.tokens.total, lower_bound=line.row.lower_bound)


def _bucket(tokens: Callable[[Buckets], int | None]) -> Draw:
    return _right(lambda line: format.tokens(tokens(line.tokens), lower_bound=line.row.lower_bound))


def _messages(line: SessionLine) -> str:
    told = [one.messages for one in ((line.part,) if line.part else line.row.sessions)]
    known = [count for count in told if count is not None]
    return format.short(sum(known) if known else None)


COLUMNS = (
    Column("last", 8, _last, sort="last_active", indent=2),
    Column("conversation", 0, _title, sort="title"),
    Column(PROFILE, 10, _left(lambda line: line.location.label), 140, sort=PROFILE),
    Column("where", 8, _left(lambda line: line.session.source or format.UNKNOWN), 104, sort="source"),
    Column("model", 13, _left(lambda line: format.model(line.session.model)), 112, sort="model"),
    Column("msgs", 6, _right(_messages), 150, right=True, sort="messages"),
    Column("pressure", 12, _pressure, 58, 91, sort="pressure"),
    Column("pressure of window", 19, _pressure, 92, 149, sort="pressure"),
    Column("pressure of window", 26, _pressure, 150, sort="pressure"),
    Column("gen", 3, _generations, 88, right=True, sort="generations"),
    Column("fresh", 6, _bucket(lambda tokens: tokens.input), 170, right=True, sort="input"),
    Column("read", 6, _bucket(lambda tokens: tokens.cache_read), 170, right=True, sort="cache_read"),
    Column("write", 6, _bucket(lambda tokens: tokens.cache_write), 180, right=True, sort="cache_write"),
    Column("output", 6, _bucket(lambda tokens: tokens.output), 170, right=True, sort="output"),
    Column("tokens", 6, _right(_tokens), 60, right=True, sort="tokens"),
    Column("hit", 4, _right(lambda line: format.percent(line.tokens.hit_rate)), 70, right=True, sort="hit"),
    Column("cost", 8, _right(lambda line: format.money(line.cost.usd), "money"), right=True, sort="cost"),
    Column("", 2, _flags, 0, 103),
    Column("", 4, _flags, 104),
)
GAP = 2
LEAST_TITLE = 12


def layout(width: int, *, profiles: bool = False) -> tuple[tuple[Column, int], ...]:
    """The columns that fit a list of `width` cells, each with its width; the title takes what is left."""
    shown = [one for one in COLUMNS if one.least <= width <= one.most and (profiles or one.title != PROFILE)]
    fixed = sum(column.width for column in shown) + GAP * (len(shown) - 1)
    room = max(LEAST_TITLE, width - fixed)
    return tuple((column, column.width or room) for column in shown)
