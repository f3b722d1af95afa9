"""A preview in words: what no message holds, and apart from it what is only suspected."""

from __future__ import annotations

from dataclasses import replace

from core.compress.retention.score import retention
from inspector.cli.compression.preview_text import diff
from tests.core.apply.material import preview_of
from tests.core.compress.builders import assistant, user

WORK = (
    user("The import of invoices dies. Find out why."),
    assistant("The worker ran out of heap. We could raise the heap of the worker to 4 GB."),
)
LIE = "The worker ran out of cable"
GONE = ("src/weekly.py", "src/daily.py", "src/hourly.py")
TOLD = "\n".join(("The import of invoices dies.", f"{LIE}.", *(f"{name} was deleted." for name in GONE)))


def test_a_suspicion_is_distinguished_with_the_nearest_place_of_the_messages() -> None:
    found = replace(preview_of(WORK, WORK[:1], None), retention=retention(WORK, TOLD))
    told = [str(line) for line in diff(found) if str(line).startswith("# ")]
    assert told == [
        *(
            f"# unsupported: The summary says “{name} was deleted”; no message gives “{name}” there."
            for name in GONE
        ),
        f"# doubtful: The summary says “{LIE}”; the messages hardly support that. "
        "Message 1 says “The worker ran out of heap”.",
    ]
