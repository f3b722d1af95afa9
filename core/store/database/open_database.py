"""A database that is open: its connection, its schema, and its end."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from core.store.database.connect import Cancelled, open_readonly, reading
from core.store.database.locate import Location
from core.store.database.schema import Schema, read_schema


class OpenDatabase:
    """One read-only connection to one session database, and what that database can say.

    Args:
        location: The database, as found by `locate`, or its path.
        cancelled: Asked while queries run; they end with `Interrupted` once it says yes.
    """

    def __init__(self, location: Location | Path, *, cancelled: Cancelled | None = None) -> None:
        self.location = location if isinstance(location, Location) else Location(location)
        self.path = self.location.db
        self._connection = open_readonly(self.path, cancelled=cancelled)
        self._connection.row_factory = sqlite3.Row
        try:
            with reading(self.path):
                self._schema = read_schema(self._connection, self.path)
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the Store is of no use afterwards."""
        self._connection.close()

    @property
    def schema(self) -> Schema:
        """What this database can say."""
        return self._schema

    @property
    def connection(self) -> sqlite3.Connection:
        """The read-only connection itself, for diagnoses that ask with queries of their own."""
        return self._connection

    @contextmanager
    def _read(self) -> Iterator[tuple[sqlite3.Connection, Schema]]:
        with reading(self.path):
            yield self._connection, self._schema
