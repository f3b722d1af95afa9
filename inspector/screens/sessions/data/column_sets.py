"""Which columns of the session list are shown: those somebody chose, as many as fit."""

from __future__ import annotations

from collections.abc import Sequence

from core.support.yaml_tables import own_setting
from inspector.screens.sessions.data.columns import COLUMNS, PROFILE, Column

GAP = 2
LEAST_TITLE = 12
FEWEST = 3
"""Columns that stay however narrow the list is."""
ALL, OWN = "all", "own"
_TOKENS = frozenset({"last", "conversation", "uncached", "read", "write", "output", "hit", "cost"})
_CONTEXT = frozenset({"last", "conversation", "context used", "requests", "compressions"})
SETS = {ALL: frozenset[str](), "tokens": _TOKENS, "context": _CONTEXT}
"""The columns one can choose, by their names; `all` are as many as the width has room for."""
_NAMES = {"context used of limit": "context used", "compr.": "compressions"}
"""What a column is called whose title says it longer or shorter in some widths."""


def column_sets() -> dict[str, frozenset[str]]:
    """Those one can choose: the user's own first, where the settings name any."""
    own = own_setting("columns")
    named = frozenset(one for one in own if isinstance(one, str)) if isinstance(own, list) else frozenset()
    return {OWN: named | {"conversation"}, **SETS} if named else SETS


def layout(
    width: int, *, profiles: bool = False, chosen: frozenset[str] = SETS[ALL]
) -> tuple[tuple[Column, int], ...]:
    """The columns that fit a list of `width` cells, each with its width; the title takes what is left.

    Args:
        width: Cells of the list.
        profiles: Rows of several databases are shown.
        chosen: The names of those wanted; empty for as many as fit.
    """
    wanted = [one for one in COLUMNS if not chosen or name_of(one) in chosen]
    fit = [one for one in wanted if one.least <= width <= one.most]
    there = {name_of(one) for one in fit}
    if chosen and chosen != _CONTEXT:  # asked for by name: also where none was made for this width
        narrow = {name_of(one): one for one in reversed(wanted) if name_of(one) not in there}
        fit = [one for one in wanted if one in fit or narrow.get(name_of(one)) is one]
    shown = [one for one in fit if profiles or one.title != PROFILE]
    while _fixed(shown) + LEAST_TITLE > width and len(shown) > FEWEST:
        shown.pop(-2)
    room = max(LEAST_TITLE, width - _fixed(shown))
    return tuple((column, column.width or room) for column in shown)


def name_of(column: Column) -> str:
    """What the settings call a column, whatever its title in one width."""
    return _NAMES.get(column.title, column.title)


def _fixed(columns: Sequence[Column]) -> int:
    """Cells of all but the title."""
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)
