"""What was computed for the rows of the session list, kept between runs.

It is shown until it has been computed again, so that a list is whole as soon as its rows are there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from zlib import crc32

from core.model.finding import Severity
from core.store.database.locate import Location
from core.support.file_cache import KeptAnswer
from inspector.screens.sessions.data.session_line import Extra, Key, SessionLine
from inspector.widgets.charts.pressure_bar import Pressure

MOST = 500
"""Conversations kept of one database, those seen last."""
Figures = tuple[int, int | None, int | None, int | None, int | None, int | None, int | None]
"""Checksum of the conversation's state; tokens, threshold, window; compressions, failed ones, rank."""
_LENGTH = 7


def recall(locations: Iterable[Location]) -> dict[Key, Figures]:
    """What is known of earlier runs, by conversation."""
    return {(place, root): figures for place in locations for root, figures in _read(place).items()}


def remembered(line: SessionLine, known: Mapping[Key, Figures]) -> Extra | None:
    """What was computed for a conversation that has not changed since; it carries no state of its own."""
    figures = known.get(line.key)
    if figures is None or figures[0] != _checksum(line):
        return None
    _, tokens, threshold, window, compressions, failed, rank = figures
    severity = next((one for one in Severity if one.rank == rank), None)
    return Extra(Pressure(tokens, threshold, window), compressions, failed or 0, severity)


def remember(lines: Iterable[SessionLine], extras: Mapping[Key, Extra]) -> None:
    """Keep what was computed for these conversations."""
    found: dict[Location, dict[str, Figures]] = {}
    for line in lines:
        extra = extras.get(line.key)
        if extra is not None and extra.compressions is not None:
            one = extra.pressure
            rank = extra.severity.rank if extra.severity else None
            sizes = (one.tokens, one.threshold, one.window)
            figures = (_checksum(line), *sizes, extra.compressions, extra.failed, rank)
            found.setdefault(line.location, {})[line.row.root.id] = figures
    for place, fresh in found.items():
        older = {root: figures for root, figures in _read(place).items() if root not in fresh}
        rows = dict([*older.items(), *fresh.items()][-MOST:])
        _kept(place).write(json.dumps(rows, separators=(",", ":")))


def _read(place: Location) -> dict[str, Figures]:
    with suppress(ValueError):
        rows = json.loads(_kept(place).read() or "{}")
        if isinstance(rows, dict):
            return {root: figures for root, row in rows.items() if (figures := _figures(row)) is not None}
    return {}


def _figures(row: object) -> Figures | None:
    if not isinstance(row, list) or len(row) != _LENGTH or not isinstance(row[0], int):
        return None
    if not all(one is None or isinstance(one, int) for one in row):
        return None
    checksum, tokens, threshold, window, compressions, failed, rank = row
    return checksum, tokens, threshold, window, compressions, failed, rank


def _checksum(line: SessionLine) -> int:
    return crc32(repr(line.state).encode("utf-8", "replace"))


def _kept(place: Location) -> KeptAnswer:
    return KeptAnswer("standing", str(place.db.absolute()))
