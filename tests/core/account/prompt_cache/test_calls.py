"""The calls of a log, read once; what a home says of when the identity of its agent changed."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from core.account.prompt_cache.calls import identity_changed, read_calls
from core.hermes.log.record import Kind
from tests.core.account.prompt_cache.logs import line, log, utc

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_an_identity_is_another_once_the_stored_prompt_no_longer_holds_it(tmp_path: Path) -> None:
    assert identity_changed(tmp_path, "You are Hermes.") is None
    soul = tmp_path / "SOUL.md"
    soul.write_text("You are Athena.\n")
    os.utime(soul, (NOON.timestamp(), NOON.timestamp()))
    assert identity_changed(tmp_path, "You are Hermes.\n\nRules") == NOON
    assert identity_changed(tmp_path, "You are Athena.\n\nRules") is None
    assert identity_changed(tmp_path, None) is identity_changed(None, "You are Hermes.") is None


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "SOUL.md")
    assert identity_changed(tmp_path, "a prompt") is None


CALLS = [line(Kind.CALL, seconds, input=seconds + 1, cached=seconds) for seconds in (0, 10, 20, 30)]


def test_calls_that_were_read_are_not_made_anew_for_one_that_is_new() -> None:
    before = read_calls(log(*CALLS[:3]), {"s"}, utc)
    found = read_calls(log(*CALLS), {"s"}, utc, before)
    assert found == read_calls(log(*CALLS), {"s"}, utc)
    assert all(known is one for known, one in zip(before, found, strict=False))


def test_a_line_that_came_late_or_another_clock_changes_the_calls_that_were_read() -> None:
    before = read_calls(log(*CALLS[:2], CALLS[3]), {"s"}, utc)
    assert read_calls(log(*CALLS), {"s"}, utc, before) == read_calls(log(*CALLS), {"s"}, utc)
    assert read_calls(log(*CALLS[:2]), {"s"}, utc, before) == read_calls(log(*CALLS[:2]), {"s"}, utc)
    later = partial(utc_later, hours=1)
    assert read_calls(log(*CALLS), {"s"}, later, before) == read_calls(log(*CALLS), {"s"}, later)


def utc_later(local: datetime, *, hours: int) -> datetime:
    """The times of a log in a zone west of Greenwich."""
    return utc(local) + timedelta(hours=hours)
