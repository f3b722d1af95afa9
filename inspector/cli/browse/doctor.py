"""Checks the databases; nothing is repaired or written. Exit code 5: a database is damaged; 4: bad config."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from core.errors import ConfigError, DatabaseError, InspectorError
from core.model.accounting.usage import Discrepancy
from core.model.finding import Finding, Severity, certainty, groups_headline
from core.model.transcript.session import ListQuery
from core.model.transcript.storage import StoreHealth
from core.store.database.locate import Location
from core.store.store import Store
from core.support import formatting as fmt
from inspector.cli import output
from inspector.cli.arguments import options, target
from inspector.cli.explanation.findings import entries
from inspector.payloads import values as jsonio

T = TypeVar("T")

SOUND = "ok"
MAX_ROWS = 10
"""Most disagreements between rows that are printed; the JSON has all of them."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in one database and the home around it.

    Attributes:
        health: None if the database is unreadable; `error` says why.
        release: The Hermes release that wrote the newest conversation, as text; None if there is none.
        config: The config.yaml that was read; None if the home has none.
        notes: Remarks for the reader.
        findings: Findings about the database as a whole, worst first.
        rows: Sessions whose totals, per-model split and messages disagree.
        problems: What makes the database unusable.
    """

    location: Location
    health: StoreHealth | None = None
    error: InspectorError | None = None
    release: str | None = None
    config: Path | None = None
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    rows: tuple[Discrepancy, ...] = ()
    problems: tuple[InspectorError, ...] = ()

    @property
    def exit_code(self) -> int:
        """The exit code for this report."""
        return max((problem.exit_code for problem in self.problems), default=0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    add = parser.add_argument
    add("--integrity", action="store_true", help="also run SQLite's own check, which reads the whole file")
    options.add_shared_options(parser)
    options.add_fleet_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the reports."""
    reports = [_examine(location, integrity=args.integrity) for location in target.locations(args)]
    if len(reports) == 1 and reports[0].error is not None:
        raise reports[0].error
    output.show(args, lambda: {"databases": [_payload(report) for report in reports]}, _lines(reports))
    return max(report.exit_code for report in reports)


def _examine(location: Location, *, integrity: bool) -> Report:
    from core.account.reconcile.reconcile import row_lint
    from core.explain.diagnose.diagnose import diagnose_store
    from core.hermes.config.config import load_config

    broken: list[DatabaseError] = []
    try:
        with Store(location) as store:
            health = store.health(integrity=integrity)
            findings = _read_part(broken, lambda: diagnose_store(store, integrity=integrity).findings)
            rows = _read_part(broken, lambda: row_lint(store))
    except DatabaseError as error:
        return Report(location, error=error, problems=(error,))
    report = Report(location, health, findings=findings, rows=rows)
    problems: list[InspectorError] = list(_unsound_lines(health))
    problems += broken if not health.unreadable else []  # the unreadable tables say it more exactly
    notes = (*health.notes, *_damage(health))
    try:
        config = load_config(location.home)
        release = _release(location)
    except ConfigError as error:
        return replace(report, notes=notes, problems=(*problems, error))
    except DatabaseError as error:
        problems += [] if problems else [error]
        release = None
    notes = (*notes, *config.notes())
    return replace(report, release=release, config=config.path, notes=notes, problems=tuple(problems))


def _read_part(broken: list[DatabaseError], read: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
    """Read one part of the report; a damaged table must not prevent the other parts."""
    try:
        return read()
    except DatabaseError as error:
        if error.line not in (one.line for one in broken):
            broken.append(error)
        return ()


def _release(location: Location) -> str | None:
    from core.explain.context.context import open_context

    with Store(location) as store:
        newest = store.sessions(ListQuery(limit=1)).rows
        if not newest:
            return None
        guess = open_context(store, newest[0].session.id).release
    return "; ".join(filter(None, (f"{guess.version} ({certainty(guess)})", guess.stands_in)))


def _unsound_lines(health: StoreHealth) -> Iterator[DatabaseError]:
    for table, what in health.unreadable.items():
        yield DatabaseError(f"table {table} cannot be read completely: {what}", where=str(health.path))
    if health.integrity not in (None, SOUND):
        yield DatabaseError(f"fails SQLite's check: {health.integrity}", where=str(health.path))
    if health.foreign_key_errors:
        rows = fmt.plural(health.foreign_key_errors, "row")
        yield DatabaseError(f"has {rows} whose session is missing", where=str(health.path))


def _damage(health: StoreHealth) -> Iterator[str]:
    for what, count in health.damage.items():
        hold = f"{fmt.plural(count, 'session')} {'contains' if count == 1 else 'contain'}"
        yield f"{hold} something that cannot be decoded: {what}"


def _payload(report: Report) -> dict[str, Any]:
    return {
        "path": report.location.db,
        "home": report.location.home,
        "profile": report.location.label,
        **jsonio.fields(report, "release config"),
        "health": None if report.health is None else _health(report.health),
        "notes": list(report.notes),
        "findings": [jsonio.finding(finding) for finding in report.findings],
        "rows": [_row(row) for row in report.rows],
        "problems": [jsonio.error(problem) for problem in report.problems],
    }


def _health(health: StoreHealth) -> dict[str, Any]:
    return {
        **jsonio.fields(health, "size wal_size free_bytes page_size journal_mode"),
        "mode": None if health.mode is None else f"{health.mode:o}",
        **jsonio.fields(health, "schema_version sessions messages full_text"),
        "tables": {table.name: table.rows for table in health.tables},
        "leases": [
            jsonio.fields(lease, "kind key holder pid acquired_at expires_at") for lease in health.leases
        ],
        "integrity": health.integrity,
        "foreign_key_errors": health.foreign_key_errors,
        "damage": dict(health.damage),
        "unreadable": dict(health.unreadable),
    }


def _row(one: Discrepancy) -> dict[str, Any]:
    return {
        **jsonio.fields(one, "session what left right difference"),
        "evidence": jsonio.evidence(one.evidence),
    }


def _lines(reports: Sequence[Report]) -> Iterator[str]:
    """How much is wrong in all databases if there are several, each of them, and how certain that is."""
    found = [finding for report in reports for finding in report.findings]
    if len(reports) > 1 and found:
        yield from (*output.headline(groups_headline(found)), "")
    for place, report in enumerate(reports):
        yield from ([""] if place else [])
        yield from _about(report)
    if found:
        yield from ("", *output.certainties(found))


def _about(report: Report) -> Iterator[str]:
    """How much is wrong in one database, what was checked, then the findings."""
    findings = list(output.indented(entries(report.findings, margin=2))) if report.findings else []
    if not (findings or report.problems or report.rows):
        findings = ["  ● Nothing wrong found."]
    yield str(report.location.db)
    yield from (output.tinted(f"  ■ {problem.line}", Severity.CRITICAL) for problem in report.problems)
    yield from findings[:1]
    yield from _sources(report)
    yield from _disagreements(report.rows)
    yield from findings[1:]


def _sources(report: Report) -> Iterator[str]:
    """What was read: the database, its release, its config."""
    if report.health is not None:
        health = report.health
        schema = fmt.count(health.schema_version)
        yield f"  {fmt.short(health.size)}B · schema {schema} · journal mode {health.journal_mode}"
        yield f"  {_how_many(health.sessions, 'session')} · {_how_many(health.messages, 'message')}"
        yield f"  full-text search: {health.full_text}"
        yield f"  written by Hermes {report.release or fmt.UNKNOWN}"
        yield f"  config: {report.config or 'none; defaults apply'}"
        yield from (f"  in use: {lease.kind} of {lease.key} by {lease.holder}" for lease in health.leases)
        yield f"  SQLite's check: {health.integrity or 'not run (use --integrity)'}"
    yield from (f"  note: {note}" for note in report.notes)


def _how_many(count: int | None, what: str) -> str:
    return f"{fmt.UNKNOWN} {what}s" if count is None else fmt.plural(count, what)


def _disagreements(rows: Sequence[Discrepancy]) -> Iterator[str]:
    for row in rows[:MAX_ROWS]:
        yield f"  rows disagree on {row.what} of {row.session}: {row.left} and {row.right}"
    if len(rows) > MAX_ROWS:
        yield f"  and {fmt.plural(len(rows) - MAX_ROWS, 'more disagreement')} (--json names them)"
