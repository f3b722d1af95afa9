"""How sure we are of a claim, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Strength of a claim, strongest first."""

    PROVED = "proved"
    """A line or row written at the time says so."""
    DERIVED = "derived"
    """Recomputed from rows with the release's own rules, and it fits."""
    SUSPECTED = "suspected"
    """What remains when the other causes are excluded."""
    UNKNOWN = "unknown"


class Source(StrEnum):
    """Where a piece of evidence lies."""

    LOG = "log"
    DATABASE = "database"
    CONFIG = "config"
    RECORDING = "recording"
    """What our recorder inside Hermes kept of the requests themselves."""
    JOURNAL = "journal"
    """What this program wrote to the database itself."""
    DERIVED = "derived"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One located quotation or computation.

    Attributes:
        where: `agent.log:812`, `messages 71-139`, `config.yaml compression.threshold`, ...
        text: The quotation or the arithmetic, on one line. Untrusted.
    """

    source: Source
    where: str
    text: str
