"""The family of a session as a tree, one line a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.model.conversation import Chain, ChainNode
from inspector import format
from inspector.glyphs import KIND
from inspector.line import Line
from inspector.widgets.row_list import RowList

RESUME = "◀ resume lands here"
COLUMNS = (("kind", 16), ("ended", 14), ("msgs", 6), ("gen", 3), ("tokens", 6), ("hit", 4), ("cost", 8))
"""Columns right of the tree; from the left they give way where there is no room."""
GAP = 2
LEAST_TREE = 34


@dataclass(frozen=True, slots=True)
class Twig:
    """One session of the tree and the guides drawn before it."""

    node: ChainNode
    guides: str
    own: bool
    resumed: bool


def twigs(chain: Chain, thread: Sequence[str]) -> list[Twig]:
    """The nodes with their guides; `thread` is the conversation the workspace is about."""
    depths = [node.depth for node in chain.nodes]
    return [
        Twig(node, _guides(depths, place), node.session.id in thread, node.session.id == chain.resume_target)
        for place, node in enumerate(chain.nodes)
    ]


def _guides(depths: Sequence[int], place: int) -> str:
    """`│  └─ `: for every level whether a sibling follows further down."""
    depth = depths[place]
    if not depth:
        return ""
    guides = ["│  " if _follows(depths, place, level) else "   " for level in range(1, depth)]
    return "".join(guides) + ("├─ " if _follows(depths, place, depth) else "└─ ")


def _follows(depths: Sequence[int], place: int, level: int) -> bool:
    for depth in depths[place + 1 :]:
        if depth < level:
            return False
        if depth == level:
            return True
    return False


def columns(width: int) -> tuple[tuple[str, int], ...]:
    """The columns that leave the tree room enough."""
    shown = list(COLUMNS)
    while shown and width - sum(cells + GAP for _, cells in shown) < LEAST_TREE:
        shown.pop(0 if len(shown) > 2 else -1)
    return tuple(shown)


class ChainList(RowList[Twig]):
    """Tree, what each session is to its parent, and its figures."""

    HEADER_LINES = 1
    OPENS = False

    def draw_header(self, width: int) -> list[Line]:
        """Titles of the columns that fit."""
        ink, shown = self.palette.style("ink-muted"), columns(width)
        line = Line().cell("session", self._room(width), ink)
        for name, cells in shown:
            line.gap(GAP).cell(name, cells, ink, right=name not in ("kind", "ended"))
        return [line]

    def draw_row(self, row: Twig, index: int, width: int) -> Line:
        """One session."""
        ink = self.palette
        line = self._tree(row, self._room(width))
        figures = _figures(row.node)
        for name, cells in columns(width):
            token = "money" if name == "cost" else "ink-muted"
            text = figures[name]
            line.gap(GAP).cell(text, cells, ink.style(token), right=name not in ("kind", "ended"))
        return line

    def _tree(self, row: Twig, room: int) -> Line:
        ink, session = self.palette, row.node.session
        line = Line().preformatted(row.guides, ink.style("rule"))
        style = ink.style("ink" if row.own else "ink-muted", bold=row.own)
        tail = len(RESUME) + 1 if row.resumed else 0
        line.add(session.title or session.id, style, most=max(6, room - line.width - tail))
        if row.resumed:
            line.gap(1).add(RESUME, ink.style("severity-ok", bold=True), most=max(0, room - line.width))
        return line.to(room)

    def _room(self, width: int) -> int:
        return width - sum(cells + GAP for _, cells in columns(width))


def _figures(node: ChainNode) -> dict[str, str]:
    session, tokens = node.session, node.session.tokens
    return {
        "kind": f"{KIND[node.kind]} {node.kind}{' · orphan' if node.orphan else ''}".strip(),
        "ended": session.end_reason or "open",
        "msgs": format.short(session.messages),
        "gen": format.count(node.generations),
        "tokens": format.short(tokens.total),
        "hit": format.percent(tokens.hit_rate),
        "cost": format.money(session.recorded_cost.usd),
    }
