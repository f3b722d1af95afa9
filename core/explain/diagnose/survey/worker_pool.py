"""Full examinations in separate processes, one for each core, as these take most of a survey's time."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO, Self

from msgspec import to_builtins

from core.errors import InspectorError
from core.explain.context.log.log_claims import STATES_WINDOW
from core.explain.diagnose.diagnose import examine
from core.hermes.config.config import load_config
from core.hermes.log.read import Log, read_log
from core.hermes.log.record import Kind, LogRecord
from core.model.finding import Finding
from core.store.database.locate import Location
from core.store.store import Store
from core.support.own_files import cache_directory

# -P: the user's current folder may hold modules with the names of ours.
COMMAND = ("-P", "-m", "core.explain.diagnose.survey.worker_pool")
WORTH_IT = 60
"""With fewer conversations, starting processes takes longer than they save."""
_EVERYDAY = (Kind.TURN, Kind.TURN_ENDED, Kind.CALL, Kind.AUX_CALL, Kind.SUMMARY_CALL, Kind.INIT)


def encoded(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings as JSON values, from which `msgspec.convert` restores them."""
    return [to_builtins(finding, builtin_types=(Decimal,)) for finding in findings]


class Examiners:
    """Examines conversations on every core, in the order given; use as a context manager.

    `threads` are the sessions of each, the newest last, in the order answers will be asked for.
    """

    def __init__(
        self,
        location: Location,
        now: datetime,
        threads: Sequence[Sequence[str]],
        *,
        processes: int | None = None,
    ) -> None:
        self._asked = 0
        self._children: list[subprocess.Popen[bytes]] = []
        self._answers: list[SimpleQueue[bytes]] = []
        count = _cores() if processes is None else processes
        if count > 1 and len(threads) >= WORTH_IT:
            with contextlib.suppress(OSError):
                for place in range(count):
                    self._children.append(_start(location, now, threads[place::count]))
        for child in self._children:
            self._answers.append(SimpleQueue())
            Thread(target=_collect, args=(child.stdout, self._answers[-1]), daemon=True).start()
        self._wanted = count

    def __enter__(self) -> Self:
        """The processes are at work already."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop the processes that still run."""
        for child in self._children:
            child.terminate()
        for child in self._children:
            child.wait()

    @property
    def ready(self) -> bool:
        """Whether `next` returns at once."""
        return len(self._children) < self._wanted or not self._answers[self._asked % self._wanted].empty()

    def next(self) -> list[dict[str, Any]] | None:
        """The encoded findings of the next conversation; None where the caller has to examine it itself."""
        place, self._asked = self._asked % self._wanted, self._asked + 1
        if len(self._children) < self._wanted:
            return None
        answer = self._answers[place].get()
        if not answer:
            self._answers[place].put(answer)  # for later questions to this process
        with contextlib.suppress(ValueError):
            found: list[dict[str, Any]] | None = json.loads(answer)
            return found
        return None


def _collect(answers: BinaryIO, found: SimpleQueue[bytes]) -> None:
    """Take answers as they come, so that no process waits to be asked; an empty one marks the end."""
    with answers:
        for answer in answers:
            found.put(answer)
    found.put(b"")


def serve(questions: Iterable[bytes], answers: BinaryIO) -> None:
    """Read the sessions of one conversation from each line after the first, and write its findings."""
    lines = iter(questions)
    place = json.loads(next(lines))
    home = Path(place["home"]) if place["home"] is not None else None
    now = datetime.fromisoformat(place["now"])
    with Store(Location(Path(place["db"]), home)) as store:
        for found in _answers(store, home, now, map(json.loads, lines)):
            answers.write(_line(found))
            answers.flush()


def _answers(
    store: Store, home: Path | None, now: datetime, threads: Iterable[list[str]]
) -> Iterator[list[dict[str, Any]] | None]:
    config, logs = load_config(home), SessionLogs.of_home(home)
    for ids in threads:
        try:
            found = examine(store, ids[-1], config=config, log=logs.about(ids), now=now)
        except InspectorError:
            yield None  # the caller examines it again, and reports what is wrong
        else:
            yield encoded(found.findings)


def _start(location: Location, now: datetime, threads: Sequence[Sequence[str]]) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(
        [sys.executable, *COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    home = None if location.home is None else str(location.home)
    place = {"db": str(location.db), "home": home, "now": now.isoformat()}
    with contextlib.suppress(OSError):
        assert child.stdin is not None
        child.stdin.write(b"".join(map(_line, (place, *threads))))
        child.stdin.close()
    return child


def _cores() -> int:
    """How many processes can run at once."""
    affinity = getattr(os, "sched_getaffinity", None)  # no such call on macOS and Windows
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _line(value: object) -> bytes:
    return json.dumps(value, default=str).encode() + b"\n"


class SessionLogs:
    """The log of a home, split by session."""

    def __init__(self, log: Log) -> None:
        self.whole = log
        self.own: dict[str, list[LogRecord]] = defaultdict(list)
        self.common: list[LogRecord] = []
        newest: dict[str, LogRecord] = {}
        for record in log.records:
            for session in {record.session, record.tag} - {None}:
                self.own[str(session)].append(record)
            if record.session is None:
                self.common.append(record)
            if record.kind in STATES_WINDOW and record.window and record.model:
                newest[record.model] = record
        self.stated = tuple(newest.values())

    @classmethod
    def of_home(cls, home: Path | None) -> Self:
        """The log of a home; empty without one."""
        return cls(read_log(home, None, cache_directory() / "logs") if home else Log())

    def about(self, sessions: Sequence[str]) -> Log:
        """The lines about some sessions, those without a session, and the newest window of each model."""
        found = {id(record): record for session in sessions for record in self.own.get(session, ())}
        found |= {id(record): record for record in (*self.common, *self.stated)}
        records = sorted(found.values(), key=lambda record: record.at)
        return replace(self.whole, records=tuple(records))

    def tells(self, session: str) -> bool:
        """Whether a line of this session is about compression: an attempt, a check, a refusal."""
        return any(record.kind not in _EVERYDAY for record in self.own.get(session, ()))

    def newest(self, session: str) -> str:
        """The time of a session's newest line, or nothing."""
        records = self.own.get(session)
        return records[-1].at.isoformat() if records else ""


if __name__ == "__main__":
    serve(sys.stdin.buffer.readlines(), sys.stdout.buffer)
