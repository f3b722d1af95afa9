"""How the databases and logs of Hermes releases differ, and which release writes which profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from sample_sessions.data import mapping


class Form(NamedTuple):
    """One kind of log line: the part of Hermes' code that writes it, its logger, level and text."""

    room: str
    logger: str
    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Release:
    """The Hermes release that wrote a home; `releases.yaml` explains the other fields.

    Attributes:
        name: The name used by the policies.
        calls: Most model calls per turn.
        uids: Rows have a uid, shared by copies of a row; prompts are stored once, in a table of their own.
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
        """How this release writes a kind of line; None if it does not."""
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
        name: Name of its folder below `profiles/`; "" for the home itself.
        release: The release that wrote it.
        config: Its config.yaml, as text.
        threshold: Share of the window at which it compresses.
        engine: Context engine configured instead of Hermes' own; "" for none.
    """

    name: str
    release: Release
    config: str
    threshold: float = 0.50
    engine: str = ""

    def engine_limit(self, window: int) -> int:
        """The token count at which its other engine compresses; 0 without one."""
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
