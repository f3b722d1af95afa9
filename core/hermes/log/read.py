"""The log of a home: agent.log with its rotations, and the gateway's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.hermes.log.index import FileIndex, index_file
from core.hermes.log.parse import parse_line, patterns
from core.hermes.log.record import Kind, LogRecord

_ENDS = (b"context compression started: ", b"context compression done: ")
"""How the lines begin between which a compaction runs."""
_ENDS_KINDS = (Kind.STARTED, Kind.DONE)
_NAMES = re.compile(r"(agent|gateway)\.log(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Log:
    """The lines about some sessions, oldest first.

    Attributes:
        records: In time order; equal times keep the order of the files.
        files: Names that were read, oldest rotation first.
        problems: Files that could not be read, with the reason.
        compactions: Where compactions of any session began and ended, oldest first: a line that names no
            session may belong to another's.
    """

    records: tuple[LogRecord, ...] = ()
    files: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    compactions: tuple[LogRecord, ...] = ()

    @property
    def empty(self) -> bool:
        """No line about these sessions survives."""
        return not self.records


def read_log(home: Path, sessions: Collection[str] | None, cache_directory: Path | None = None) -> Log:
    """Read what the log of a home says about some sessions.

    Lines without a session are kept too, as are those that state a window or a threshold for any session.
    Rotations are read oldest first and joined by time, so that files in the wrong order, or lines written
    twice, do no harm.

    Args:
        home: The HERMES_HOME.
        sessions: Ids of the sessions asked about; None for all.
        cache_directory: Where indexes are kept between runs; None for nowhere.
    """
    indexes, problems = [], []
    for path in log_files(home):
        try:
            indexes.append(index_file(path, cache_directory))
        except OSError as error:
            problems.append(f"{path.name}: {error.strerror or error}")
    wanted = (
        [b""] if sessions is None else [*(session.encode() for session in sessions), *_anywhere(), *_ENDS]
    )
    found = sorted((one for index in indexes for one in _records(index, wanted)), key=lambda one: one.at)
    records = [one for one in found if sessions is None or not _of_another(one, sessions)]
    return Log(
        records=tuple(_without_repeats(records)),
        files=tuple(index.name for index in indexes),
        problems=tuple(problems),
        compactions=compaction_ends(found),
    )


def compaction_ends(records: Iterable[LogRecord]) -> tuple[LogRecord, ...]:
    """The lines that open and close compactions."""
    return tuple(one for one in records if one.kind in _ENDS_KINDS)


def _of_another(record: LogRecord, sessions: Collection[str]) -> bool:
    """Where a compaction of a session that was not asked about began or ended."""
    told = record.kind in _ENDS_KINDS
    return told and record.session not in sessions and record.tag not in sessions


def log_files(home: Path) -> tuple[Path, ...]:
    """The log files of a home, oldest rotation first, the agent's before the gateway's."""
    folder = home / "logs"
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError:
        return ()
    found = [match for name in names if (match := _NAMES.fullmatch(name))]
    found.sort(key=lambda match: (match[1], -int(match[2] or 0)))
    return tuple(folder / match[0] for match in found)


def _records(index: FileIndex, wanted: Collection[bytes]) -> Iterator[LogRecord]:
    for hit in index.about(wanted):
        line = hit.line.decode("utf-8", "replace")
        below = hit.continued.decode("utf-8", "replace")
        record = parse_line(line, f"{index.name}:{hit.number}", below)
        if record is not None:
            yield record


def _anywhere() -> Iterator[bytes]:
    """Beginnings of lines whose numbers hold for every session."""
    return (pattern.starts.encode() for pattern in patterns() if pattern.anywhere)


def _without_repeats(records: Iterable[LogRecord]) -> Iterator[LogRecord]:
    """Drop lines that say the same at the same moment, as the gateway's file and doubled files do."""
    seen: set[tuple[object, ...]] = set()
    for record in records:
        key = (record.at, record.kind, record.message, record.tag)
        if key not in seen:
            seen.add(key)
            yield record
