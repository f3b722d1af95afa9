"""What a command line costs in addition to its work."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import measure
from tests.benchmarks.measure import Result
from tests.benchmarks.stores import Stores

BARE_QUERY = """
import sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
db.execute("SELECT * FROM sessions ORDER BY started_at DESC LIMIT 50").fetchall()
"""

TRACED = """
import io, json, sys
from core.store.database.connect import BoundedConnection
from inspector.cli.main import main
asked, execute = [], BoundedConnection.execute
def traced(connection, sql, values=()):
    asked.append((sql, values))
    return execute(connection, sql, values)
BoundedConnection.execute = traced
told, sys.stdout = sys.stdout, io.StringIO()
assert main() == 0
json.dump(asked, told)
"""
SAME_QUERIES = """
import json, sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
with open(sys.argv[2]) as asked:
    rows = [db.execute(sql, values).fetchall() for sql, values in json.load(asked)]
json.dump(rows, sys.stdout, default=str)
"""

LISTED = ("sessions", "--json", "--limit", "50")


def results(stores: Stores) -> Iterator[Result]:
    """`--version`; the list of 50 sessions against the bare query; an answer to why, asked for again."""
    version = measure.inspector("--version")
    yield Result("--version", version.seconds * 1000, "ms", 150)
    for name, store in (("small", stores.small), ("large", stores.large)):
        listed = measure.inspector_command("--db", str(store), *LISTED)
        same = measure.python_command(SAME_QUERIES, str(store), str(_queries(store)))
        ratio = measure.beside(listed, same, anew=True)
        yield Result(f"{' '.join(LISTED)}, with nothing kept / the same queries, {name} store", ratio, "x", 4)
        bare = measure.python_command(BARE_QUERY, str(store))
        for when, anew, bound in (("again", False, 2.6), ("with nothing kept", True, 6)):
            ratio = measure.beside(listed, bare, anew=anew)
            yield Result(f"{' '.join(LISTED)}, {when} / bare query, {name} store", ratio, "x", bound)
    peak = measure.inspector_peak("--db", str(stores.large), *LISTED)
    yield Result("sessions --json --limit 50, peak memory", peak, "MiB", 50)
    again = measure.inspector("--db", str(stores.long), "why", "latest", "--json")
    yield Result("why --json of 12,000 messages, again", again.seconds * 1000, "ms", 150)


def _queries(store: Path) -> Path:
    """The list's queries to a database, as JSON for comparison."""
    found = store.with_suffix(".queries.json")
    with tempfile.TemporaryDirectory() as empty, found.open("w") as asked:
        traced = measure.python_command(TRACED, "--db", str(store), *LISTED)
        subprocess.run(traced, stdout=asked, env={**os.environ, **measure.user_of(empty)}, check=True)
    return found
