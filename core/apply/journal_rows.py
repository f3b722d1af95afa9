"""The journal's tables, and its entries as rows of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.apply.database.connection import Cell, dump, load
from core.model.accounting.amounts import Buckets
from core.model.compaction.apply import ApplyMode, EntryState, JournalEntry
from core.model.compaction.preview import SummaryCall

if TYPE_CHECKING:
    from sqlite_utils import Database

ROUTES = "gateway_routing"
"""The table in which a gateway records the session of each chat; rows are identified by rowid."""
_OPERATIONS = {
    "id": str,
    "at": float,
    "state": str,
    "database": str,
    "identity": str,
    "session_id": str,
    "target_id": str,
    "mode": str,
    "sequence_before": int,
    "sequence_after": int,
    "call": str,
}
COMPLETE = """
INSERT INTO records (operation, table_name, key, before, after)
VALUES (:operation, :table_name, :key, :before, :after)
ON CONFLICT (operation, table_name, key) DO UPDATE SET after = excluded.after
"""
LISTED = """
SELECT o.*, count(r.before) AS replaced, total(r.after IS NOT NULL AND r.before IS NULL) AS written,
  coalesce(sum(length(r.before)), 0) + coalesce(sum(length(r.after)), 0) AS size
FROM operations o LEFT JOIN records r ON r.operation = o.id AND r.table_name = 'messages' GROUP BY o.id
"""


@dataclass(frozen=True, slots=True)
class Record:
    """A row before and after an operation; None if it did not exist."""

    table: str
    key: str | int
    before: Mapping[str, Cell] | None
    after: Mapping[str, Cell] | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A journal entry with its rows.

    Attributes:
        identity: Distinguishes this database from another at the same path.
        sequence: The highest message id ever assigned, before and after.
    """

    summary: JournalEntry
    identity: str
    sequence: tuple[int, int]
    records: tuple[Record, ...]

    @property
    def messages(self) -> tuple[Record, ...]:
        """Those of its rows that are messages."""
        return tuple(record for record in self.records if record.table == "messages")


def make_tables(database: Database) -> None:
    """Create the tables of a journal, or update those of an older one."""
    if "operations" in database.table_names():
        if "call" not in database.table("operations").columns_dict:  # created before calls were recorded
            database.table("operations").add_column("call", str)
        return
    database.enable_wal()
    records = {"operation": str, "table_name": str, "key": str, "before": str, "after": str}
    database.table("records").create(records, pk=("operation", "table_name", "key"), if_not_exists=True)
    # Last, because its presence shows that all tables exist.
    database.table("operations").create(_OPERATIONS, pk="id", if_not_exists=True)


def summary_of(row: Mapping[str, Any], folder: Path) -> JournalEntry:
    """The summary of an operation, from its row."""
    return JournalEntry(
        id=row["id"],
        at=datetime.fromtimestamp(row["at"], UTC),
        state=EntryState(row["state"]),
        database=folder / row["database"],
        session_id=row["session_id"],
        target_id=row["target_id"],
        mode=ApplyMode(row["mode"]),
        replaced=row["replaced"],
        written=int(row["written"]),
        size=row["size"],
        call=None if row["call"] is None else _call(json.loads(row["call"])),
    )


def noted_call(call: SummaryCall) -> str:
    """A call to a model as stored JSON."""
    usage = None if call.usage is None else asdict(call.usage)
    usd = None if call.usd is None else str(call.usd)
    return json.dumps({"model": call.model, "usage": usage, "usd": usd})


def _call(noted: Mapping[str, Any]) -> SummaryCall:
    usage, usd = noted["usage"], noted.get("usd")
    counted = None if usage is None else Buckets(**usage)
    return SummaryCall(noted["model"], counted, usd=None if usd is None else Decimal(usd))


def row_of(entry_id: str, record: Record) -> dict[str, Any]:
    """A record as a row."""
    return {
        "operation": entry_id,
        "table_name": record.table,
        "key": str(record.key),
        "before": None if record.before is None else dump(record.before),
        "after": None if record.after is None else dump(record.after),
    }


def record_of(row: Mapping[str, Any]) -> Record:
    """The record of a row."""
    table = row["table_name"]
    return Record(
        table=table,
        key=int(row["key"]) if table == "messages" else str(row["key"]),
        before=None if row["before"] is None else load(row["before"]),
        after=None if row["after"] is None else load(row["after"]),
    )
