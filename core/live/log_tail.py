"""The log lines written since the last look, each once, even if files are rotated.

A file is identified by its first line, not by its name or inode: that line survives a rotation by renaming,
one by copying and truncating, and a home that is moved away and back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from core.explain.context.log.log_clock import Clock
from core.hermes.log.index import log_files, scan
from core.hermes.log.read import parse_hit
from core.hermes.log.record import Kind, LogRecord
from core.live.event import LiveEvent, LiveKind
from core.model.accounting.amounts import share_of

FAILURES: Mapping[Kind, str] = {
    Kind.ABORTED: "compaction",
    Kind.FALLBACK: "summary",
    Kind.SPLIT_FAILED: "compaction",
    Kind.STALLED: "compaction",
    Kind.HYGIENE_FAILED: "compaction",
    Kind.EXHAUSTED: "compaction",
    Kind.CALL_FAILED: "call",
}
"""Lines that report a final failure, and what failed; earlier lines report attempts that may succeed."""
_AGAIN = "Compaction completed with a deterministic fallback summary"
"""Start of the line that repeats, once a compaction is done, that its summary was a fallback (0.19)."""
_COMPACTED = (Kind.DONE, Kind.NATIVE_DONE)
_FIRST = 4_096
"""Bytes of a first line that identify its file."""
_FILES = 64
_LINES = 10_000
"""How many files and lines are remembered."""


def event_of(key: str, record: LogRecord, clock_of: Callable[[str | None], Clock]) -> LiveEvent | None:
    """The event of a line; None for a line without one of its own."""
    if record.kind is Kind.CALL:
        kind, facts = LiveKind.CALL, _call(record)
    elif record.kind in FAILURES and not record.message.startswith(_AGAIN):
        kind, facts = LiveKind.FAILURE, {"what": FAILURES[record.kind], "text": record.message}
    elif record.kind in _COMPACTED:
        kind, facts = LiveKind.COMPACTION, _done(record)
    else:
        return None
    return LiveEvent(kind, key, record.session, clock_of(record.session).utc(record.at), facts)


def _call(record: LogRecord) -> dict[str, Any]:
    cached = None if record.input is None else record.cached or 0
    return {
        "model": record.model,
        "prompt": record.input,
        "cache_read": cached,
        "output": record.output,
        "hit_rate": share_of(cached, record.input),
        "seconds": record.seconds,
    }


def _done(record: LogRecord) -> dict[str, Any]:
    return {
        "messages_before": record.before,
        "messages_after": record.after,
        "tokens_after": record.tokens_after,
    }


@dataclass(slots=True)
class LogTail:
    """How far the logs of a home have been read.

    Attributes:
        read: Bytes and lines read of each file, by its family and first line.
        reported: The newest lines reported and the log they were in: the gateway repeats the agent's lines.
    """

    read: dict[str, tuple[int, int]] = field(default_factory=dict)
    reported: dict[str, str] = field(default_factory=dict)

    def skip(self, home: Path) -> None:
        """Mark everything written so far as read."""
        for _ in self.fresh(home):
            pass

    def fresh(self, home: Path) -> Iterator[tuple[str, LogRecord]]:
        """Lines written since the last look, each with its key, the oldest file first."""
        for path in log_files(home):
            try:
                yield from self._of_file(path)
            except OSError:  # just rotated away; its lines are found under another name next time
                continue

    def saved(self) -> dict[str, Any]:
        """The state as JSON values."""
        return {
            "read": {name: list(place) for name, place in self.read.items()},
            "told": list(self.reported.items()),
        }

    @classmethod
    def restored(cls, state: dict[str, Any]) -> LogTail:
        """Restore a state from `saved`."""
        read = {str(name): (int(place[0]), int(place[1])) for name, place in state["read"].items()}
        return cls(read, {str(line): str(family) for line, family in state["told"]})

    def _of_file(self, path: Path) -> Iterator[tuple[str, LogRecord]]:
        if not path.is_file():  # reading a pipe would block
            return
        with path.open("rb") as stream:
            begins = stream.read(_FIRST)
            if b"\n" not in begins and len(begins) < _FIRST:
                return  # still being written
            first = begins.partition(b"\n")[0]
            family = path.name.partition(".")[0]
            name = f"{family}:{sha256(first).hexdigest()[:16]}"
            offset, lines = self.read.get(name, (0, 0))
            found = scan(stream, offset, lines)
        self.read.pop(name, None)
        self.read[name] = (found.offset, found.lines)
        while len(self.read) > _FILES:
            del self.read[next(iter(self.read))]
        for hit in found.hits:
            record = parse_hit(hit, path.name)
            if record is not None and self._is_new(hit.line, family):
                yield f"{name}:{hit.number}", record

    def _is_new(self, line: bytes, family: str) -> bool:
        key = sha256(line).hexdigest()[:16]
        if self.reported.setdefault(key, family) != family:
            return False
        if len(self.reported) > _LINES:
            del self.reported[next(iter(self.reported))]
        return True
