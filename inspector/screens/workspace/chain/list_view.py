"""The lineage of a session as a tree: one line per session, and one per generation inside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.account.pricing.paid import paid, paid_together
from core.model.transcript.conversation import Chain, ChainNode, Generation
from core.support import formatting as fmt
from inspector.screens.workspace.views import generation_words
from inspector.terminal.glyphs import DEEPEST, KIND, kind_word
from inspector.terminal.line import Line
from inspector.terminal.text import cell_len, clean_line
from inspector.widgets.lists.row_list import RowList

RESUME = ("◀ /resume opens this", "◀ /resume", "◀")
"""Marks the session that `hermes --resume` opens, the longest wording that fits."""
COLUMNS = {
    "kind": 14, "began": 0, "model": 14, "ended": 14, "msgs": 6, "generations": 11, "tokens": 6, "hit": 4,
    "cost": 9, "with below": 10,
}  # fmt: skip
"""Columns to the right of the tree, with their widths; the user's settings say how wide a time is."""
GIVES_WAY = ("model", "with below", "began", "generations", "hit", "ended", "msgs", "kind", "tokens", "cost")
"""The order in which columns are dropped if space is tight."""
TEXTS = frozenset({"kind", "began", "model", "ended"})
GAP = 2
MIN_TREE, TREE_SHARE = 34, 0.45
"""Fewest cells of the tree, and its share of a wide list."""


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One line of the tree: a session, or one of its generations.

    Attributes:
        name: The session's name.
        guides: The lines of the tree drawn before it.
        own: Whether it belongs to the workspace's conversation.
        resumed: Whether `hermes --resume` opens it.
        below: Cost of it and its descendants; empty if it has none.
        place: Index of the session in the chain.
        generation: The generation of this line; None for a session's own line.
        shorter: Names that say less, the longest first, for where the name does not fit.
    """

    place: int
    node: ChainNode
    name: str
    guides: str
    own: bool
    resumed: bool
    below: str = ""
    generation: Generation | None = None
    shorter: tuple[str, ...] = ()

    def fitting(self, room: int) -> str:
        """The name that says most of those that fit."""
        names = (self.name, *self.shorter)
        return next((name for name in names if cell_len(clean_line(name)) <= room), names[-1])

    def same(self, other: TreeLine) -> bool:
        """Whether another line, from before or after a change, is about the same thing."""
        index = self.generation and self.generation.index
        beside = other.generation and other.generation.index
        return (self.node.session.id, index) == (other.node.session.id, beside)


def tree_lines(
    chain: Chain, thread: Sequence[str], names: Mapping[str, str], generations: Sequence[Generation] = ()
) -> list[TreeLine]:
    """The lines of the tree: each session, followed by its generations if it has several.

    `thread` and `generations` are those of the workspace's conversation.
    """
    return [
        line
        for tree_line in _sessions(chain, thread, names)
        for line in (tree_line, *_inside(tree_line, generations))
    ]


def _inside(tree_line: TreeLine, generations: Sequence[Generation]) -> list[TreeLine]:
    own = [generation for generation in generations if generation.session_id == tree_line.node.session.id]
    indent = tree_line.guides.replace("├─", "│ ").replace("└─", "  ")
    line = replace(tree_line, guides=f"{indent}· ", resumed=False)
    named = [(one, _names(one)) for one in own] if len(own) > 1 else []
    return [replace(line, name=names[0], shorter=names[1:], generation=one) for one, names in named]


def _names(one: Generation) -> tuple[str, ...]:
    """How a generation began and how many of its messages are new, in fewer and fewer words."""
    index = f"generation {one.index}"
    at = fmt.moment(one.boundary.at, seconds=False) if one.boundary and one.boundary.at else ""
    new = f"{one.fresh:,} new"
    carried = f"{one.copies:,} carried over" if one.copies and one.boundary else ""
    choices = ((index, at, generation_words(one)), (index, at, new, carried), (index, at, new), (index, new))
    return tuple(" · ".join(filter(None, parts)) for parts in choices)


def _sessions(chain: Chain, thread: Sequence[str], names: Mapping[str, str]) -> list[TreeLine]:
    depths, guides = [node.depth for node in chain.nodes], _guides(chain)
    return [
        TreeLine(
            place=place,
            node=node,
            name=_name(node, names),
            guides=guides[place],
            own=node.session.id in thread,
            resumed=node.session.id == chain.resume_target,
            below=paid_together(together[1], chain.subtree(place))
            if depths[place + 1 : place + 2] > [node.depth]
            else "",
        )
        for place, (node, together) in enumerate(zip(chain.nodes, chain.spent_below(), strict=True))
    ]


def _name(node: ChainNode, names: Mapping[str, str]) -> str:
    """The session's name; its id if the name only repeats the parent's."""
    own = names.get(node.session.id, node.session.id)
    return node.session.id if own == names.get(node.parent_id or "") else own


def _guides(chain: Chain) -> list[str]:
    """`│  └─ ` for each session: for each level, whether a sibling follows further down."""
    guides: list[str] = []
    following: set[int] = set()
    for depth in (min(node.depth, DEEPEST) for node in reversed(chain.nodes)):
        following = {level for level in following if level <= depth}
        above = ("│  " if level in following else "   " for level in range(1, depth))
        guides.append("".join((*above, "├─ " if depth in following else "└─ ")) if depth else "")
        following.add(depth)
    return guides[::-1]


def columns(width: int) -> tuple[tuple[str, int], ...]:
    """The columns that leave the tree enough room."""
    shown = COLUMNS | {"began": fmt.moment_cells()}
    for name in GIVES_WAY:
        if width - sum(cells + GAP for cells in shown.values()) >= max(MIN_TREE, width * TREE_SHARE):
            break
        del shown[name]
    return tuple(shown.items())


class ChainList(RowList[TreeLine]):
    """The tree, how each session relates to its parent, and its figures."""

    HEADER_LINES = 1
    OPENS = False

    def draw_header(self, width: int) -> list[Line]:
        """Titles of the columns that fit."""
        ink, shown = self.palette.style("ink-muted"), columns(width)
        line = Line().cell("session", self._room(width), ink)
        for name, cells in shown:
            line.gap(GAP).cell(name, cells, ink, right=name not in TEXTS)
        return [line]

    def draw_row(self, row: TreeLine, index: int, width: int) -> Line:
        """Draw one session or generation."""
        if row.generation is not None:  # tokens are recorded by session: no figures, more room for text
            return self._tree(row, width)
        ink = self.palette
        line = self._tree(row, self._room(width))
        figures = _figures(row)
        for name, cells in columns(width):
            token = "money" if name in ("cost", "with below") else "ink-muted"
            text = figures[name]
            line.gap(GAP).cell(text, cells, ink.style(token), right=name not in TEXTS)
        return line

    def _tree(self, row: TreeLine, room: int) -> Line:
        ink = self.palette
        line = Line().preformatted(row.guides, ink.style("ink-faint"))
        style = ink.style("ink" if row.own else "ink-muted", bold=row.own and row.generation is None)
        name = row.fitting(room - line.width)
        width = line.width + cell_len(clean_line(name)) + 1
        words = next((text for text in RESUME if width + cell_len(text) <= room), RESUME[-1])
        line.add(name, style, most=max(6, room - line.width - (cell_len(words) + 1 if row.resumed else 0)))
        if row.resumed:
            line.gap(1).add(words, ink.style("severity-ok", bold=True), most=max(0, room - line.width))
        return line.to(room)

    def _room(self, width: int) -> int:
        return width - sum(cells + GAP for _, cells in columns(width))


def _figures(row: TreeLine) -> dict[str, str]:
    node, session, tokens = row.node, row.node.session, row.node.session.tokens
    return {
        "kind": f"{KIND[node.kind]} {'orphan' if node.orphan else kind_word(node.kind)}".strip(),
        "began": fmt.moment(session.started_at, seconds=False),
        "model": fmt.model(session.model),
        "ended": session.end_reason or "open",
        "msgs": fmt.short(session.messages),
        "generations": fmt.count(node.generations),
        "tokens": fmt.tokens(tokens.total, lower_bound=node.lower_bound),
        "hit": fmt.percent(tokens.hit_rate),
        "cost": paid(session.cost.usd, (session,), lower_bound=node.lower_bound),
        "with below": row.below,
    }
