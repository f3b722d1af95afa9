"""Which schemas this tool has written to and read back with the release itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from core.store.database.schema import Schema
from core.support.yaml_tables import load_table


def unknown_parts(schema: Schema) -> tuple[str, ...]:
    """Versions, columns and triggers that have not been tried; empty when all have."""
    return tuple(_unknown(schema))


def _unknown(schema: Schema) -> Iterator[str]:
    known = _known()
    version = schema.version
    if version is None or not known["versions"]["from"] <= version <= known["versions"]["to"]:
        yield f"schema version {version}"
    for table in ("sessions", "messages"):
        for name in sorted(schema.columns[table] - set(known["columns"][table])):
            yield f"column {table}.{name}"
    for name in sorted(schema.triggers - set(known["triggers"])):
        yield f"trigger {name}"


@cache
def _known() -> dict[str, Any]:
    loaded: dict[str, Any] = load_table("core/apply/checks/known_schema.yaml")
    return loaded
