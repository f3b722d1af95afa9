"""What log lines say of sessions and their model, and which lines belong to a session, run or attempt."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from core.hermes.config.in_force import WindowClaim
from core.hermes.log.read import MAX_RUN_TIME, Log
from core.hermes.log.record import Kind, LogRecord
from core.model.finding import Verdict

_CALLS = (Kind.TURN, Kind.CALL)
STATES_WINDOW = (Kind.PREFLIGHT, Kind.PRE_API, Kind.HYGIENE, Kind.TELEMETRY, Kind.INIT)
_ENGINES = (Kind.ENGINE_REGISTERED, Kind.ENGINE_MISSING)
_COMPARES = (Kind.PREFLIGHT, Kind.PREFLIGHT_SKIPPED, Kind.PRE_API, Kind.REARMED)
_TELLING = frozenset({Kind.TURN, Kind.CALL, Kind.STARTED, Kind.DONE, Kind.NATIVE_STARTED})
SILENCE = timedelta(minutes=20)
"""Longer than any release waits for a summary: a later line belongs to something else."""
AFTERWARDS = timedelta(seconds=10)
"""Once an attempt has been given up, its remaining lines follow within this time."""
_LAST_WORDS = frozenset({Kind.ABORTED, Kind.NO_PROGRESS, Kind.EMPTY_TRANSCRIPT, Kind.REFUSED})


def logged_window(log: Log, sessions: Collection[str], model: str | None) -> WindowClaim | None:
    """The newest window that a line states for a model: one of these sessions, else any that names the model.

    A line of another session is only derived evidence, as that one may have had another configuration.
    """
    own = of_model(windows_stated(log, sessions), model)
    others = (line for line in log.records if line.kind in STATES_WINDOW and line.model == model)
    lines = own or [line for line in others if model is not None and line.window]
    if not lines:
        return None
    return WindowClaim(
        "log", lines[-1].window or 0, lines[-1].evidence, Verdict.PROVED if own else Verdict.DERIVED
    )


def assumed_window(log: Log, model: str | None) -> WindowClaim | None:
    """The newest window that Hermes assumed for a model because it could not find out the real one."""
    assumed = (line for line in reversed(log.records) if line.kind is Kind.WINDOW_ASSUMED)
    line = next((line for line in assumed if line.model == model), None)
    return None if line is None else WindowClaim("log", line.window or 0, line.evidence, Verdict.DERIVED)


def windows_stated(log: Log, sessions: Collection[str]) -> Iterator[tuple[LogRecord, str | None]]:
    """Lines of these sessions that state a window, with the model that ran, oldest first."""
    own, running = about(log, sessions), None
    for record in log.records:
        if record.kind in _CALLS:
            running = (record.model if record.session in sessions else None) or running
        elif record.kind in STATES_WINDOW and record.window and own(record):
            yield record, record.model or running


def of_model(stated: Iterable[tuple[LogRecord, str | None]], model: str | None) -> list[LogRecord]:
    """The lines about one model; a line without a model, or None as the model, matches any."""
    return [record for record, named in stated if None in (named, model) or named == model]


def same_model(one: str, other: str) -> bool:
    """Whether two names mean the same model, with or without its maker before it."""
    return one.rpartition("/")[2] == other.rpartition("/")[2]


def last_model(log: Log) -> str | None:
    """The model that answered last."""
    return next((one.model for one in reversed(log.records) if one.kind is Kind.CALL and one.model), None)


def prompt_before(log: Log, sessions: Collection[str], at: datetime) -> int | None:
    """The size that the provider counted in the newest call of these sessions before a moment.

    None where no line tells, or a compaction came after that call.
    """
    for line in reversed(log.records[: bisect_left(log.records, at, key=lambda line: line.at)]):
        if line.session in sessions and line.kind in (Kind.CALL, Kind.DONE):
            return line.input if line.kind is Kind.CALL else None
    return None


def lowered_threshold(
    records: Sequence[LogRecord], threshold: int, until: datetime | None = None
) -> LogRecord | None:
    """The newest line until a local time that says this threshold was lowered to the summary model's window.

    A line about another threshold concerns another model.
    """
    lines = (line for line in reversed(records) if line.kind is Kind.AUX_LOWERED and line.threshold)
    return next(
        (line for line in lines if line.tokens == threshold and (not until or line.at <= until)), None
    )


def stated_by_engine(records: Sequence[LogRecord], at: datetime | None = None) -> LogRecord | None:
    """The newest line up to a local time that names the threshold of a plugin's context engine."""
    loaded = [line for line in records if line.kind in _ENGINES]
    since = next((line.at for line in loaded if line.kind is Kind.ENGINE_REGISTERED), None)
    until = next((line.at for line in loaded if at is not None and line.at > at), datetime.max)
    lines = (line for line in reversed(records) if line.kind in _COMPARES and line.threshold)
    return next((line for line in lines if since is not None and since <= line.at < until), None)


def about(log: Log, sessions: Collection[str]) -> Callable[[LogRecord], bool]:
    """A test whether a line is about some sessions; without a session it must stand between two of theirs."""
    ends = [
        next((record.at for record in way if record.session in sessions), None)
        for way in (log.records, reversed(log.records))
    ]

    def matches(record: LogRecord) -> bool:
        first, last = ends
        if record.session is not None or first is None or last is None:
            return record.session in sessions
        return first <= record.at <= last

    return matches


def runs_of(records: Sequence[LogRecord], sessions: Collection[str]) -> Mapping[str, int]:
    """The number of the agent run each line belongs to, by place; lines that cannot be assigned are left out.

    An agent numbers its calls without gaps, across turns and rotations; a new process, a branch or another
    model begins at 1. A turn belongs with its first answered call, whatever ran before it.
    """
    found: dict[str, int] = {}
    waiting: list[LogRecord] | None = None
    run, last = 0, 0
    for record in records:
        if record.session not in sessions:
            continue
        if record.kind is Kind.TURN:
            waiting = []
        if record.kind is Kind.CALL:
            run += record.number != last + 1 or not run
            last = record.number or 0
            found |= {line.where: run for line in waiting or ()}
            waiting = None
        if waiting is not None:
            waiting.append(record)
        elif run:
            found[record.where] = run
    return found


def passed_over(records: Iterable[LogRecord], model: str | None) -> Iterator[LogRecord]:
    """Answered calls whose size was checked and found too small: another call followed in the same turn.

    The records are of one run; with a model only its calls count. Calls after a failed attempt are left out,
    because a pause may have stopped the check; so are those after a second attempt, because the limit on
    failures in a row may have.
    """
    attempts = 0
    for record, following in pairwise(record for record in records if record.kind in _TELLING):
        attempts += record.kind is Kind.STARTED
        if attempts > 1 or (record.kind is Kind.STARTED and following.kind is not Kind.DONE):
            return
        if record.kind is following.kind is Kind.CALL and model in (None, record.model):
            yield record


def first_failure(records: Iterable[LogRecord]) -> datetime:
    """When the first attempt began that no line completes: a pause may stop checks in any run after it."""
    telling = (record for record in records if record.kind in _TELLING)
    failed = (
        one.at for one, then in pairwise(telling) if one.kind is Kind.STARTED and then.kind is not Kind.DONE
    )
    return next(failed, datetime.max)


class OtherCompactions:
    """The compactions of other sessions in the same log."""

    def __init__(self, compactions: Sequence[LogRecord], sessions: Collection[str]) -> None:
        others = (compaction for compaction in compactions if compaction.session not in sessions)
        self._lines = sorted(others, key=lambda one: one.at)
        self._times = [line.at for line in self._lines]

    def running(self, at: datetime) -> bool:
        """Whether one of them may have been running at a moment."""
        ended: set[str | None] = set()
        for index in range(bisect_right(self._times, at) - 1, -1, -1):
            line = self._lines[index]
            if at - line.at > MAX_RUN_TIME:
                return False
            if line.kind is not Kind.STARTED:
                ended.add(line.session)
            elif line.session not in ended:
                return True
            else:
                ended.discard(line.session)
        return False


def belongs(
    record: LogRecord,
    started: LogRecord,
    previous: LogRecord,
    others: OtherCompactions,
    *,
    turns_tagged: bool,
) -> bool:
    """Whether a line that reports an outcome belongs to the attempt that a line opened.

    `previous` is the newest line known to belong to it, `others` are compactions of other sessions. If
    `turns_tagged`, lines written in a turn carry its session: one without it is from outside a turn.
    """
    silence = AFTERWARDS if previous.kind in _LAST_WORDS else SILENCE
    if record.at - previous.at > silence:
        return False
    if record.session is not None:
        return True
    if turns_tagged and started.tag is not None:
        return False
    return not others.running(record.at)


def with_deleted(
    log: Log,
    sessions: Collection[str],
    exists: Callable[[str], bool],
    read: Callable[[Collection[str]], Log],
) -> tuple[list[LogRecord], Collection[str]]:
    """The lines about some sessions, and their ids, with compactions that began or ended in one deleted.

    What else a deleted session did is not theirs. `read` gives the lines about other sessions.
    """

    def deleted(line: LogRecord) -> bool:
        return line.session is not None and line.session not in sessions and not exists(line.session)

    more: list[LogRecord] = []
    for started, done in _pairs(log.compactions):
        if started.session in sessions and started.tag in (None, done.tag, started.session):
            more += [done] if deleted(done) else []
        elif done.session in sessions and deleted(started):
            more += _last_lines(log, started, done, read)
    if not more:
        return list(log.records), set(sessions)
    added, wanted = {line.where for line in more}, {None, *sessions}
    ours = [line for line in log.records if line.session in wanted and line.where not in added]
    lines = sorted((*ours, *more), key=lambda line: line.at)
    return lines, {*sessions, *(line.session for line in more if line.session)}


def _last_lines(
    log: Log, started: LogRecord, done: LogRecord, read: Callable[[Collection[str]], Log]
) -> Iterator[LogRecord]:
    """What a deleted session logged after its last but one compaction, up to the end of the last."""
    session = started.session or ""
    earlier = (line.at for line in log.compactions if line.session == session and line.at < started.at)
    since = max(earlier, default=datetime.min)
    lines = (line for line in read([session]).records if line.session == session)
    yield from (line for line in lines if since < line.at <= done.at)


def _pairs(compactions: Iterable[LogRecord]) -> Iterator[tuple[LogRecord, LogRecord]]:
    """Starts of attempts with their ends, told by how many messages went in."""
    began: dict[int | None, LogRecord] = {}
    for line in compactions:
        if line.kind is Kind.STARTED:
            began[line.before] = line
        elif line.kind is Kind.DONE and (started := began.pop(line.before, None)) is not None:
            yield started, line
