"""What a command line costs before and beside its work."""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks import measure
from tests.benchmarks.measure import Result
from tests.benchmarks.stores import Stores

BARE_QUERY = """
import sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
db.execute("SELECT * FROM sessions ORDER BY started_at DESC LIMIT 50").fetchall()
"""


def results(stores: Stores) -> Iterator[Result]:
    """`--version`, and the list of 50 sessions beside the bare query."""
    version = measure.inspector("--version")
    yield Result("--version", version.seconds * 1000, "ms", 150)
    bare = measure.python(BARE_QUERY, str(stores.large))
    listed = measure.inspector("--db", str(stores.large), "sessions", "--json", "--limit", "50")
    yield Result("sessions --json --limit 50 / bare query", listed.seconds / bare.seconds, "x", 3)
    yield Result("sessions --json --limit 50, peak memory", listed.peak, "MiB", 150)
