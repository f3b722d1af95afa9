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


LISTED = ("sessions", "--json", "--limit", "50")


def results(stores: Stores) -> Iterator[Result]:
    """`--version`; the list of 50 sessions beside the bare query; an answer to why, asked for again."""
    version = measure.inspector("--version")
    yield Result("--version", version.seconds * 1000, "ms", 150)
    for name, store in (("small", stores.small), ("large", stores.large)):
        bare = measure.python_command(BARE_QUERY, str(store))
        for when, anew, bound in (("again", False, 2.6), ("with nothing kept", True, 6)):
            listed = measure.inspector_command("--db", str(store), *LISTED)
            ratio = measure.beside(listed, bare, anew=anew)
            yield Result(f"{' '.join(LISTED)}, {when} / bare query, {name} store", ratio, "x", bound)
    peak = measure.inspector_peak("--db", str(stores.large), *LISTED)
    yield Result("sessions --json --limit 50, peak memory", peak, "MiB", 50)
    again = measure.inspector("--db", str(stores.long), "why", "latest", "--json")
    yield Result("why --json of 12,000 messages, again", again.seconds * 1000, "ms", 150)
