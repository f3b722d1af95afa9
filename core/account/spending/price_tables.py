"""Recorded and computed cost of the same tokens, and whose price tables they come from."""

from __future__ import annotations

from core.account.spending.group import Fields, Group
from core.account.spending.recorded import Window
from core.store.database.connect import reading
from core.store.database.open_database import OpenDatabase

_RECORDED, _COMPUTED = Group._fields.index("recorded"), Group._fields.index("usd")
_COLUMNS = ("pricing_version", "cost_source")
_SHARE, _LEAST = 0.01, 0.0001
_MOST = 4


def is_apart(fields: Fields) -> bool:
    """Whether a sum was recorded at another price than the list's; rounding is no difference."""
    recorded, computed = fields[_RECORDED], fields[_COMPUTED]
    if not recorded or computed is None:
        return False
    apart = abs(recorded - float(computed))
    return bool(apart > _LEAST and apart > _SHARE * recorded)


def price_tables(store: OpenDatabase, window: Window) -> set[str]:
    """What the sessions in sight name as the source of their recorded cost: the table, else its kind."""
    columns = [f"nullif(s.{name}, '')" for name in _COLUMNS if store.schema.has("sessions", name)]
    if not columns:
        return set()
    where, values = window.where()
    named = f"coalesce({', '.join((*columns, 'NULL'))})"
    query = f"SELECT DISTINCT {named} FROM sessions s WHERE {where} AND {named} IS NOT NULL LIMIT {_MOST}"  # noqa: S608
    with reading(store.path):
        return {str(name)[:80] for (name,) in store.connection.execute(query, values)}
