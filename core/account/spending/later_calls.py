"""Sessions whose calls go on past the day they began on, where all of them are booked."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from core.account.spending.recorded import QUARTER, Window
from core.store.database.connect import reading
from core.store.database.open_database import OpenDatabase

_LATEST = 10**11
"""Beyond this a time is damage."""
_MONTH = 31 * 86_400.0


def overrunning(store: OpenDatabase, window: Window, form: str, zone: tzinfo | None = None) -> int:
    """How many sessions made their last call on another day, or in another hour, than they began.

    `form` is how a day or hour is written (`strftime`).
    """
    where, values = window.where()
    query = f"SELECT s.started_at, {_last(store)} FROM sessions s WHERE {where}"  # noqa: S608
    with reading(store.path):
        rows = store.connection.execute(query, values).fetchall()

    def written(moment: float) -> str:
        return datetime.fromtimestamp(moment, UTC).astimezone(zone).strftime(form)

    count = 0
    for start, last in rows:
        sound = all(isinstance(at, int | float) and 0 <= at < _LATEST for at in (start, last))
        if sound and last // QUARTER > start // QUARTER:
            count += written(start) != written(last)
    return count


def went_on(store: OpenDatabase, moment: datetime) -> int:
    """How many sessions of the last month began before a moment and made a call after it."""
    start = moment.timestamp()
    query = (
        f"SELECT count(*) FROM sessions s WHERE s.started_at >= ? AND s.started_at < ? "  # noqa: S608
        f"AND {_last(store)} BETWEEN ? AND {_LATEST}"
    )
    with reading(store.path):
        (count,) = store.connection.execute(query, (start - _MONTH, start, start)).fetchone()
    return int(count)


def _last(store: OpenDatabase) -> str:
    """The last sign of a model at work: of the split by model, else of the messages."""
    found = ["(SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id)"]
    if store.schema.has("session_model_usage", "last_seen"):
        found.insert(0, "(SELECT max(u.last_seen) FROM session_model_usage u WHERE u.session_id = s.id)")
    return f"coalesce({', '.join((*found, 'NULL'))})"
