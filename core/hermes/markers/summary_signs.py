"""The signs of a summary: enough to say that a row holds one, without telling who wrote it.

Kept apart from `core.hermes.markers`, which tells: lists look for summaries and need no more than this.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from core.support.yaml_tables import load_table

PREFILTERS = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:")
"""Every summary contains one of these; use them with `instr`, then confirm with `find_summary`."""
LONGEST_HEAD = 12
"""More rows than this before a summary are no protected head."""


def is_summary(text: str) -> bool:
    """Whether `find_summary` finds one, without telling whose it is."""
    start = summary_start(text)
    return start is not None and text.startswith(tuple(markers()["openers"].values()), start[0])


def shares_row(text: str) -> bool:
    """Whether live text could stand in the row of a summary: before it, or behind its end."""
    end = markers()["end"]
    return text.lstrip().startswith(markers()["prior_open"]) or (
        end in text and not text.rstrip().endswith(end)
    )


def summary_start(text: str) -> tuple[int, str] | None:
    """Offset of the opener and the live text wrapped before it."""
    lead = len(text) - len(text.lstrip())
    if not text.startswith(markers()["prior_open"], lead):
        return lead, ""
    close = text.rfind(markers()["prior_close"])
    if close < 0:
        return None
    behind = close + len(markers()["prior_close"])
    offset = behind + len(text[behind:]) - len(text[behind:].lstrip())
    return offset, text[lead + len(markers()["prior_open"]) : close].strip("\n")


@cache
def markers() -> dict[str, Any]:
    """The table of texts around a compaction, as in markers.yaml."""
    loaded: dict[str, Any] = load_table("core/hermes/markers/markers.yaml")
    return loaded
