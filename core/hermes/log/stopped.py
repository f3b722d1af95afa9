"""Compactions that the log shows no end of, or an interruption: a model may have written for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from pathlib import Path

from core.hermes.log.read import MAX_RUN_TIME, Log, read_log
from core.hermes.log.record import Kind, LogRecord

MODEL_CALLS = frozenset({Kind.SUMMARY_CALL, Kind.AUX_CALL})
"""Lines that show a model was asked for a summary."""
_SAYS_NOTHING = MODEL_CALLS | {Kind.SKIPPED, Kind.ENGINE_REGISTERED, Kind.ENGINE_MISSING}
_GOES_ON = (Kind.TURN, Kind.HYGIENE, Kind.STARTED)


def was_stopped(started: LogRecord, records: Iterable[LogRecord], starts: Sequence[datetime]) -> bool:
    """Whether the process ended during an attempt: no outcome is logged, but its end or a later start is."""
    later = (line for line in records if line.at > started.at)
    further = next((line for line in later if line.kind not in _SAYS_NOTHING), None)
    if further is None or further.kind not in _GOES_ON:
        return further is not None and further.kind is Kind.PROGRAM_ENDED
    return any(started.at < start <= further.at for start in starts)


def is_last(started: LogRecord, records: Iterable[LogRecord], waited: timedelta) -> bool:
    """Whether the lines end with an attempt, `waited` ago, which is longer than one takes."""
    later = (line for line in records if line.at > started.at and line.kind not in MODEL_CALLS)
    return waited > MAX_RUN_TIME and next(later, None) is None


def stopped_summaries(home: Path, cache_directory: Path | None = None) -> frozenset[str]:
    """The sessions in which Hermes was stopped or interrupted while a model may have written a summary."""
    suspects = {line.session for line in _without_end(read_log(home, (), cache_directory)) if line.session}
    if not suspects:
        return frozenset()
    log = read_log(home, sorted(suspects), cache_directory)
    return frozenset(one for one in suspects if _asked_and_stopped(one, log))


def _without_end(ends: Log) -> list[LogRecord]:
    """The attempts of any session that no line closes."""
    open_: list[LogRecord] = []
    for line in ends.compactions:
        if line.kind is Kind.STARTED:
            open_.append(line)
        elif line.kind is Kind.DONE:
            closed = next((one for one in reversed(open_) if one.before == line.before), None)
            open_ = [one for one in open_ if one is not closed]
    return open_


def _asked_and_stopped(session: str, log: Log) -> bool:
    own = [line for line in log.records if line.session in (None, session)]
    for at, line in enumerate(own):
        if line.kind is Kind.STARTED:
            inner = list(takewhile(lambda one: one.kind not in _GOES_ON, own[at + 1 :]))
            asked = any(one.kind in MODEL_CALLS for one in inner)
            if asked and (was_stopped(line, own[at + 1 :], log.starts) or any(map(_interrupted, inner))):
                return True
    return False


def _interrupted(line: LogRecord) -> bool:
    """Whether an attempt ended by a person's command before the model had answered."""
    told = line.telemetry
    return told is not None and told.failure == "explicit_interrupt" and told.aux_model is None
