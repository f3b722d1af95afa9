"""Rules about a whole database and the files around it."""

from __future__ import annotations

import re
import shlex
import shutil
import sqlite3
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path

from core.apply.database.lock import having_open
from core.explain.diagnose.case import StoreCase
from core.explain.diagnose.registry import Found, Missing, store_rule
from core.model.finding import Evidence, Severity, Source
from core.store.conversations.conversation_query import sessions_view
from core.store.conversations.sort_order import LAST_ACTIVE
from core.store.database.closed_copy import log_of
from core.store.database.connect import reading
from core.store.store import Store
from core.support.formatting import plural

_FILE_SUFFIXES = ("", "-wal", "-shm")
_OTHERS = stat.S_IRGRP | stat.S_IROTH
_PARTS = {
    "messages_fts_trigram": "trigram index",
    "messages_fts": "full-text index",
    "messages": "messages",
    "sessions": "sessions and system prompts",
    "system_prompts": "sessions and system prompts",
}
"""Parts by the beginning of a table's name; the longer one comes first."""
_TREE = re.compile(r"\bTree (\d+) page")
_NAMED = re.compile(r"\bindex (?!for\b)(?:main\.)?(\w+)|\b[Tt]able (?:main\.)?(\w+)")


@store_rule("E10")
def left_open(case: StoreCase, min_days: int) -> Iterable[Found]:
    """Sessions were never closed and have nothing new."""
    limit = (case.now - timedelta(days=min_days)).timestamp()
    query = (
        f"SELECT coalesce(nullif(source, ''), 'unknown'), count(*) FROM {sessions_view(case.store.schema)} "  # noqa: S608
        f"WHERE typeof(ended_at) NOT IN ('integer', 'real') AND {LAST_ACTIVE} BETWEEN 1 AND ? GROUP BY 1"
    )
    sources = {str(source): int(count) for source, count in case.store.query(query, (limit,))}
    if sources:
        counted = ", ".join(f"{count} {source}" for source, count in sorted(sources.items()))
        numbers = {"told": plural(sum(sources.values()), "session"), "days": min_days}
        yield Found(numbers, (Evidence(Source.DATABASE, "sessions", counted),))


@store_rule("H1")
def where_the_bytes_are(case: StoreCase, max_bytes: int) -> Iterable[Found]:
    """What the file consists of; row counts if it is large, unless the integrity check reads it anyway."""
    counts = [(table.rows, table.name) for table in case.health.tables]
    tables = ", ".join(f"{plural(rows, 'row')} in {name}" for rows, name in counts if rows)
    evidence = Evidence(Source.DATABASE, str(case.health.path), tables)
    small = case.health.size <= max_bytes
    parts = bytes_by_part(case.store) if small or case.integrity else {}
    total = sum(parts.values())
    shares = [f"{size / total:.0%} {part}" for part, size in parts.items() if size >= total / 100]
    yield Found({"size": case.health.size, "told": ", ".join(shares) or tables}, (evidence,))


@store_rule("H2")
def reclaimable(case: StoreCase, min_share: float) -> Iterable[Found]:
    """Much of the file is empty."""
    share = case.health.free_bytes / case.health.size if case.health.size else 0
    if share >= min_share:
        evidence = Evidence(Source.DATABASE, "PRAGMA freelist_count", f"{case.health.free_bytes:,} bytes")
        yield Found({"share": share, "free": case.health.free_bytes}, (evidence,))


@store_rule("H3")
def integrity(case: StoreCase) -> Iterable[Found]:
    """SQLite's own check, if it was asked for."""
    result = case.health.integrity
    if result is None:
        raise Missing("the check reads the whole file and runs only on request")
    if result == "ok":
        return
    names = sorted(damaged(case.store, result))
    where = f" in {', '.join(names)}" if names else ""
    spared = bool(names) and all(is_index(case.store, name) for name in names)
    spares = ", which can be rebuilt: no message is affected" if spared else ""
    evidence = Evidence(Source.DATABASE, "PRAGMA quick_check", result)
    yield Found({"where": where, "spares": spares, "told": result}, (evidence,))


@store_rule("H4")
def large_write_ahead_log(case: StoreCase, max_bytes: int) -> Iterable[Found]:
    """The write-ahead log has grown."""
    wal = case.health.wal_size or 0
    if wal > max_bytes:
        evidence = Evidence(Source.DATABASE, f"{case.health.path}-wal", f"{wal:,} bytes")
        yield Found(
            {"what": f"The write-ahead log holds {wal:,} bytes: a reader keeps it from being folded in"},
            (evidence,),
        )
    log = log_of(case.health.path)
    if not wal and (holders := having_open(log.with_name(f"{log.name} (deleted)"))):
        who = ", ".join(map(str, sorted(holders)))
        evidence = Evidence(Source.DERIVED, "/proc", f"process {who} holds a deleted {log.name}")
        what = f"Process {who} writes to a write-ahead log that was deleted: what it commits is lost"
        yield Found({"what": what}, (evidence,), severity=Severity.CRITICAL)


@store_rule("H5")
def disk_nearly_full(case: StoreCase, min_share: float) -> Iterable[Found]:
    """The disk under the database is nearly full."""
    usage = shutil.disk_usage(case.store.path.parent)
    share = usage.used / usage.total
    if share >= min_share:
        evidence = Evidence(Source.DERIVED, str(case.store.path.parent), f"{usage.free:,} bytes free")
        yield Found({"share": share}, (evidence,))


@store_rule("H6")
def large_database(case: StoreCase, max_bytes: int) -> Iterable[Found]:
    """The database is too large for a quick snapshot."""
    if case.health.size > max_bytes:
        evidence = Evidence(Source.DATABASE, str(case.health.path), f"{case.health.size:,} bytes")
        yield Found({"size": case.health.size}, (evidence,))


@store_rule("I2")
def loose_permissions(case: StoreCase) -> Iterable[Found]:
    """Others on this machine may read the files; a database and the files beside it count as one."""
    for paths in _private_files(case.store):
        loose = [(path, mode) for path in paths if (mode := _mode(path)) is not None and mode & _OTHERS]
        if loose:
            evidence = tuple(Evidence(Source.DERIVED, str(path), f"mode {mode:04o}") for path, mode in loose)
            numbers = {
                "file": " ".join(shlex.quote(str(path)) for path, _ in loose),
                "mode": f"{loose[0][1]:04o}",
                "files": ", ".join(path.name for path, _ in loose),
            }
            yield Found(numbers, evidence, severity=Severity.WARNING)


def _private_files(store: Store) -> Iterator[tuple[Path, ...]]:
    """Groups of files that belong together."""
    yield tuple(store.path.with_name(store.path.name + suffix) for suffix in _FILE_SUFFIXES)
    if store.location.home is not None:
        yield (store.location.home / ".env",)


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None


def bytes_by_part(store: Store) -> Mapping[str, int]:
    """Bytes of pages by what they hold, largest first; empty where this SQLite has no `dbstat`.

    Reads a few bytes of every page, and every message to find images.
    """
    query = """SELECT coalesce(m.tbl_name, s.name), s.pgsize FROM dbstat AS s
        LEFT JOIN sqlite_master AS m ON m.name = s.name WHERE s.aggregate = TRUE"""
    found: Counter[str] = Counter()
    with reading(store.path):
        try:
            tables = store.connection.execute(query).fetchall()
        except sqlite3.OperationalError:
            return found
        for name, size in tables:
            found[_part(str(name))] += int(size)
        found["images in messages"] = min(_images(store), found["messages"])
    found["messages"] -= found["images in messages"]
    return dict(found.most_common())


def damaged(store: Store, report: str) -> frozenset[str]:
    """The tables and indexes named in complaints of `PRAGMA quick_check`."""
    rows = store.query("SELECT rootpage, name FROM sqlite_master")
    roots = {int(root): str(name) for root, name in rows if root}
    trees = {roots[int(root)] for root in _TREE.findall(report) if int(root) in roots}
    return frozenset({*trees, *(name for groups in _NAMED.findall(report) for name in groups if name)})


def is_index(store: Store, name: str) -> bool:
    """Whether it can be rebuilt from the tables: an index, or a part of the full-text index."""
    found = store.query("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?", (name,))
    return bool(found) or name.startswith("messages_fts")


def _part(table: str) -> str:
    return next((part for start, part in _PARTS.items() if table.startswith(start)), "other tables")


def _images(store: Store) -> int:
    """Bytes of the messages that hold images; `LENGTH` of a text would stop at its first NUL."""
    query = """SELECT coalesce(sum(length(CAST(content AS BLOB))), 0) FROM messages
        WHERE instr(content, 'data:image/') > 0"""
    (size,) = store.connection.execute(query).fetchone()
    return int(size)
