"""What the releases of Hermes leave behind differently, and which of them writes which profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from sample_sessions.data import mapping


class Form(NamedTuple):
    """One kind of log line: the room of Hermes' code it comes from, its logger, its level, its text."""

    room: str
    logger: str
    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Release:
    """Which Hermes wrote a home; `releases.yaml` says what the fields mean.

    Attributes:
        name: As the policies call it.
        calls: Model calls a turn may make.
        uids: Rows carry a uid, copies of a row the same one; prompts are kept once, in a table of their own.
        names_results: A tool row names its tool.
    """

    name: str
    schema: str
    version: int
    calls: int = 90
    uids: bool = False
    rotates: bool = False
    keeps_tag: bool = False
    names_results: bool = True
    erases: bool = False
    ledger: str | None = None
    silent: tuple[str, ...] = ()
    untagged: tuple[str, ...] = ()
    lacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lines: Mapping[str, str] = field(default_factory=dict)
    loggers: Mapping[str, str] = field(default_factory=dict)

    def form(self, line: str) -> Form | None:
        """How this release writes a kind of line; None where it writes none."""
        if line in self.silent:
            return None
        table = _lines()
        entry = table["lines"][line]
        room = entry["room"]
        logger = self.loggers.get(room, table["loggers"][room])
        return Form(room, logger, entry.get("level", "INFO"), self.lines.get(line, entry["text"]))


@dataclass(frozen=True, slots=True)
class Profile:
    """A HERMES_HOME of the samples.

    Attributes:
        name: Of its folder below `profiles/`; "" for the home itself.
        release: Which Hermes wrote it.
        config: Its config.yaml, as text.
        threshold: Share of the window at which it compresses.
        engine: Context engine it names instead of Hermes' own; "" for none.
    """

    name: str
    release: Release
    config: str
    threshold: float = 0.50
    engine: str = ""

    def engine_limit(self, window: int) -> int:
        """Where its foreign engine compresses; 0 where it has none."""
        return int(window * self.threshold) if self.engine else 0


@cache
def profiles() -> Mapping[str, Profile]:
    """Every profile, by name."""
    written = mapping("releases.yaml")
    return {
        name: Profile(name, **entry | {"release": Release(entry["release"], **written[entry["release"]])})
        for name, entry in mapping("profiles.yaml").items()
    }


@cache
def _lines() -> Mapping[str, Any]:
    return mapping("lines.yaml")
